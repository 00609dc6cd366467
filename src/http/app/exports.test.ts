import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { createDatabase } from '../../../test/support/database.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { raw, sql } from '../../db/database.ts'
import { purgeExpired } from '../../domain/retention/retention.ts'
import { loadWorld } from '../../world/world.ts'

const PASSWORD = 'a long enough password'
const PASSPHRASE = 'a phrase that nobody guesses'
const ROLES = { owner: 'owner', boss: 'owner', admin: 'admin', member: 'member', outsourcer: 'guest' }

let studio: Studio
/** Serves the files that the other node wrote. */
let node: Studio
const people: Record<string, Visitor> = {}
beforeAll(async () => {
  const names = [...Object.keys(ROLES), 'stranger']
  studio = await openStudio({
    accounts: ['owl', 'fox'].map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
    users: names.map((key) => ({
      key,
      email: `${key}@example.com`,
      name: `${key} Quillfeather`,
      password: PASSWORD,
      accounts: key === 'stranger' ? { fox: 'owner' } : { owl: ROLES[key as keyof typeof ROLES] },
    })),
    projects: [
      { key: 'star', account: 'owl', name: 'Star', members: { outsourcer: 'lead', boss: 'contributor' } },
      { key: 'moon', account: 'owl', name: 'Moonshine' },
    ],
    tasks: [
      { project: 'star', title: 'Polish the star', user: 'member', description: 'Ask boss@example.com first' },
      { project: 'moon', title: 'Polish the moon' },
    ],
    integrations: [{ key: 'ci', project: 'star', provider: 'jenkins', signing_secret: 'hush hush' }],
    channels: [{ account: 'owl', kind: 'discord', name: 'backroom', secret: 'https://discord.example/x' }],
  })
  node = await openStudio({}, { beside: studio })
  for (const name of names) people[name] = await signIn(studio, `${name}@example.com`, PASSWORD)
})
afterAll(async () => {
  await node.close()
  await studio.close()
})

const account = () => `/accounts/${studio.world.accounts.owl!.id}`
const project = (key = 'star') => `/projects/${studio.world.projects[key]!.id}`
const exported = async (who: string, place: string, body: object = {}) => {
  const { status, json } = await people[who]!.app(`${place}/exports`, { method: 'POST', body })
  expect(status).toBe(201)
  await workOff(studio, 'write_export')
  return `/app/api/v1${account()}/exports/${json.id}/file`
}
/** From the other node. */
async function fetchFile(who: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${node.site}${path}`, { headers: { cookie: people[who]!.cookie, ...headers } })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}
const idsOf = async (who: string) =>
  (await people[who]!.app(`${account()}/exports`)).json.exports.map(({ id }: { id: number }) => id)
const tablesIn = (bytes: Buffer) => {
  const { export: header, rows } = JSON.parse(gunzipSync(bytes).toString())
  return [...Object.keys(header[0].tables), ...rows.flatMap((row: object) => Object.keys(row))]
}
const CREDENTIALS = ['logins', 'api_tokens', 'sso_connections', 'sso_domains', 'ugs_tokens']
const idIn = (path: string) => Number(/exports\/(\d+)/.exec(path)![1])

describe('an account', () => {
  let file: string
  let whole: Buffer
  beforeAll(async () => {
    const asked = await people.owner!.app(`${account()}/exports`, { method: 'POST', body: { passphrase: PASSPHRASE } })
    expect(asked).toMatchObject({ status: 201, json: { status: 'waiting', secrets: true, project_id: null } })
    file = `/app/api/v1${account()}/exports/${asked.json.id}/file`
  })

  test('is exported once at a time, and cannot be downloaded before it is finished', async () => {
    const again = await people.boss!.app(`${account()}/exports`, { method: 'POST', body: {} })
    expect(again).toMatchObject({ status: 409, json: { error: 'export_running' } })
    expect((await fetchFile('owner', file)).status).toBe(404)
    expect(await workOff(studio, 'write_export')).toBe(1)
    const [shown] = (await people.owner!.app(`${account()}/exports`)).json.exports
    expect(shown).toMatchObject({ status: 'done', rows: expect.any(Number), error: null })
    expect(shown.rows).toBeGreaterThan(10)
    expect(Date.parse(shown.expires_at) - Date.now()).toBeGreaterThan(23 * 3_600_000)
    expect(await studio.db.rows(sql`select from exports where passphrase_sealed is not null`)).toEqual([])
  })

  test('can be downloaded from any node, resumed at any offset, and loaded elsewhere with its secrets', async () => {
    const { status, headers, bytes } = await fetchFile('owner', file)
    whole = bytes
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'application/gzip' })
    expect(Number(headers.get('content-length'))).toBe(bytes.length)
    const rest = await fetchFile('owner', file, { range: 'bytes=100-', 'if-range': headers.get('etag')! })
    expect(rest).toMatchObject({ status: 206, bytes: bytes.subarray(100) })
    expect(rest.headers.get('content-range')).toBe(`bytes 100-${bytes.length - 1}/${bytes.length}`)
    expect(await fetchFile('owner', file, { range: 'bytes=5-9' })).toMatchObject({ status: 206, bytes: bytes.subarray(5, 10) })
    expect(await fetchFile('owner', file, { range: 'bytes=-7' })).toMatchObject({ status: 206, bytes: bytes.subarray(-7) })
    expect((await fetchFile('owner', file, { range: 'bytes=3-', 'if-range': '"other"' })).bytes).toEqual(bytes)
    expect((await fetchFile('owner', file, { range: `bytes=${bytes.length}-` })).status).toBe(416)
    const empty = await createDatabase()
    await loadWorld(empty.db, Readable.from([bytes]), { vault: studio.service.vault, passphrase: PASSPHRASE })
    expect(await empty.db.rows(sql`select title from tasks order by id`)).toHaveLength(2)
    expect(await empty.db.rows(sql`select from destinations`)).toHaveLength(1)
    // It contains nobody's password or token: members may own other accounts.
    expect(tablesIn(bytes)).toContain('destinations')
    for (const table of CREDENTIALS) {
      expect(tablesIn(bytes)).not.toContain(table)
      expect(await empty.db.rows(sql`select from ${raw(table)}`)).toEqual([])
    }
    await empty.drop()
  })

  test('is downloaded only with a sign-in of the last minutes', async () => {
    const session = sql`user_id = ${studio.world.users.owner!.id}`
    await studio.db.execute(sql`update sessions set confirmed_at = now() - interval '1 hour' where ${session}`)
    const { status, bytes } = await fetchFile('owner', file)
    expect([status, JSON.parse(String(bytes)).error]).toEqual([403, 'fresh_sign_in_required'])
    expect((await fetchFile('boss', file)).status).toBe(200)
    await studio.db.execute(sql`update sessions set confirmed_at = now() where ${session}`)
    expect((await fetchFile('owner', file)).status).toBe(200)
  })

  test('can be downloaded only by its owners', async () => {
    expect((await fetchFile('boss', file)).bytes).toEqual(whole)
    for (const who of ['admin', 'member', 'outsourcer', 'stranger']) {
      expect((await fetchFile(who, file)).status, who).toBe(404)
      expect((await people[who]!.app(`${account()}/exports`)).json.exports ?? [], who).toEqual([])
    }
    expect((await fetch(`${node.site}${file}`)).status).toBe(401)
    const become = (role: string) =>
      studio.db.execute(sql`update account_members set role = ${role} where user_id = ${studio.world.users.owner!.id}`)
    // The creator who is no longer an owner.
    await become('admin')
    expect((await fetchFile('owner', file)).status).toBe(404)
    await become('owner')
  })

  test('is deleted after a day', async () => {
    await purgeExpired(studio.db)
    expect((await fetchFile('owner', file)).status, 'not before').toBe(200)
    await studio.db.execute(sql`update exports set expires_at = now() - interval '1 second'`)
    expect((await fetchFile('owner', file)).status).toBe(404)
    await purgeExpired(studio.db)
    expect(await studio.db.rows(sql`select from exports`)).toEqual([])
    expect(await studio.db.rows(sql`select from export_chunks`)).toEqual([])
  })
})

test('a passphrase that is too short is refused', async () => {
  const asked = await people.owner!.app(`${account()}/exports`, { method: 'POST', body: { passphrase: 'short' } })
  expect(asked).toMatchObject({ status: 422, json: { error: 'invalid_parameter' } })
})

test('a project lead from an outsourcer exports what they can see, and no name, address or secret of the rest', async () => {
  const withSecrets = await people.outsourcer!.app(`${project()}/exports`, { method: 'POST', body: { passphrase: PASSPHRASE } })
  expect(withSecrets).toMatchObject({ status: 403, json: { error: 'insufficient_role', required_role: 'admin' } })
  const delivered = await fetch(`${studio.site}/webhooks/jenkins`, {
    method: 'POST',
    headers: { 'x-webhook-token': studio.world.integrations.ci!.webhook_token, 'content-type': 'application/json' },
    body: JSON.stringify({ started_by: 'boss@example.com' }),
  })
  expect(delivered.status).toBeLessThan(500)
  expect(await studio.db.rows(sql`select from deliveries where position('boss@example.com'::bytea in body) > 0`)).toHaveLength(1)
  const file = await exported('outsourcer', project())
  const { bytes } = await fetchFile('outsourcer', file)
  const text = gunzipSync(bytes).toString()
  expect(text).toContain('Polish the star')
  expect(text).toContain('outsourcer@example.com')
  // Members of the project have a name there, as in the app, and no address.
  expect(text).toContain('boss Quillfeather')
  expect(text).toContain('Ask boss first')
  for (const hidden of [
    'boss@example.com',
    Buffer.from('boss@example.com').toString('hex'),
    'Moonshine',
    'Polish the moon',
    'backroom',
    'member Quillfeather',
    'member@example.com',
    'owner@example.com',
  ])
    expect(text, hidden).not.toContain(hidden)
  const empty = await createDatabase()
  await loadWorld(empty.db, Readable.from([bytes]), { vault: studio.service.vault })
  const [task] = await empty.db.rows(sql`select t.title, u.name from tasks t join users u on u.id = t.user_id`)
  expect(task).toEqual({ title: 'Polish the star', name: 'Somebody' })
  await empty.drop()
  expect(await idsOf('admin')).toEqual([])
  expect(await idsOf('owner')).toEqual([idIn(file)])
  await studio.db.execute(sql`update project_members set project_role = 'contributor'`)
  expect((await fetchFile('outsourcer', file)).status).toBe(404)
  await studio.db.execute(sql`update project_members set project_role = 'lead'`)
})

test("a project's file contains the account's channels only if an admin requested it, and only that admin and owners can download it", async () => {
  const file = await exported('admin', project(), { passphrase: PASSPHRASE })
  const { bytes } = await fetchFile('admin', file)
  expect(gunzipSync(bytes).toString()).toContain('backroom')
  for (const table of CREDENTIALS) expect(tablesIn(bytes)).not.toContain(table)
  expect((await fetchFile('outsourcer', file)).status).toBe(404)
  await studio.db.execute(sql`update account_members set role = 'member' where user_id = ${studio.world.users.admin!.id}`)
  // As project lead they create one themselves, which contains less.
  await studio.db.execute(sql`
    insert into project_members (account_id, project_id, user_id, project_role)
    values (${studio.world.accounts.owl!.id}, ${studio.world.projects.star!.id}, ${studio.world.users.admin!.id}, 'lead')`)
  expect((await fetchFile('admin', file)).status).toBe(404)
})

test('a new file replaces the previous one of the same person only', async () => {
  const former = await exported('boss', project('moon'))
  const others = await exported('owner', project('moon'))
  const latest = await exported('boss', project('moon'))
  expect((await fetchFile('boss', former)).status).toBe(404)
  for (const file of [others, latest]) expect((await fetchFile('boss', file)).status).toBe(200)
  await purgeExpired(studio.db)
  expect(await studio.db.rows(sql`select from export_chunks where export_id = ${idIn(former)}`)).toEqual([])
})

test('a failed export has a readable error, keeps no partial file, and leaves the previous file', async () => {
  const former = await exported('boss', account())
  const large = { pattern: 'x'.repeat(2_000_000) }
  await studio.db.execute(sql`
    insert into failure_rules (account_id, rule_id, definition)
    values (${studio.world.accounts.owl!.id}, 'large', ${JSON.stringify(large)}::jsonb)`)
  // One of the last tables cannot be read.
  for (const statement of [
    sql`insert into ugs_changes (account_id, project_id, path, change, sequence)
      values (${studio.world.accounts.owl!.id}, ${studio.world.projects.star!.id}, '//star/main', 5, 7)`,
    sql`alter table ugs_changes rename to readable`,
    sql`create view ugs_changes as select t.*, 1 / (t.sequence * 0) as broken from readable t`,
  ])
    await studio.db.execute(statement)
  const { json } = await people.boss!.app(`${account()}/exports`, { method: 'POST', body: { passphrase: PASSPHRASE } })
  await expect(workOff(studio, 'write_export')).rejects.toThrow('division by zero')
  const { exports } = (await people.boss!.app(`${account()}/exports`)).json
  expect(exports[0]).toMatchObject({ id: json.id, status: 'failed', bytes: 0 })
  expect(exports[0].error).toBe(
    `The export failed and left no file. Try again. If it fails again, ask the operator to check the service log for export ${json.id}.`,
  )
  expect(await studio.db.rows(sql`select from export_chunks where export_id = ${json.id}`)).toEqual([])
  expect((await fetchFile('boss', former)).status).toBe(200)
})
