import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { signIn } from '../../../test/support/callers/visitor.ts'
import { unrealPackage } from '../../../test/support/files/unreal-packages.ts'
import { scratch, standIn } from '../../../test/support/stand-in.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import type { Jobs } from '../../db/queue.ts'
import { dropExcess, giveUp, giveUpOld } from '../../domain/previews/pending.ts'
import { put } from '../../domain/previews/store.ts'
import { allowedHosts } from '../../net/addresses.ts'
import { ingest } from '../ingest.ts'
import type { JobContext } from '../job-context.ts'
import { fetchPreviews } from './fetch-previews.ts'

const PASSWORD = 'a long enough password'
let studio: Studio
let outside: JobContext & { p4: string }
const { folder, remove } = scratch()

beforeAll(async () => {
  studio = await openStudio(
    {
      accounts: [{ key: 'owl', name: 'Night Owl' }],
      users: [
        {
          key: 'kim',
          email: 'kim@example.com',
          name: 'Kim',
          password: PASSWORD,
          accounts: { owl: 'owner' },
          connected_accounts: [{ provider: 'perforce', uid: 'kim' }],
        },
      ],
      tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
      projects: [{ key: 'star', account: 'owl', name: 'Starfall', members: { kim: 'lead' } }],
      integrations: [
        {
          key: 'p4',
          project: 'star',
          provider: 'perforce',
          config: { server: 'ssl:127.0.0.1:1666', user: 'gold', password: 'a ticket' },
        },
        { key: 'plain', project: 'star', provider: 'perforce' },
      ],
    },
    { service: { allowedHosts: allowedHosts(['127.0.0.1']) } },
  )
  const { db, vault, log } = studio.service
  outside = { db, vault, log, allowed: allowedHosts(['127.0.0.1']), p4: 'p4 that is not there' }
})
afterAll(async () => {
  await studio.close()
  remove()
})
beforeEach(() => studio.db.execute(sql`delete from jobs`))

const accountId = () => studio.world.accounts!.owl!.id as number
let [name, changelist] = [0, 7_000]
const p4 = (script: string) => standIn(folder, `p4-${++name}`, script)
/** A server whose files are in the folder of the test, by the last part of their path. */
const serving = (files: Record<string, Buffer>) => {
  const given = Object.entries(files).map(([file, bytes], i) => {
    const path = join(folder, `file-${name}-${i}`)
    writeFileSync(path, bytes)
    return [file, path]
  })
  return p4(`const files = ${JSON.stringify(Object.fromEntries(given))}
    fs.appendFileSync(${JSON.stringify(join(folder, 'asked'))}, args.join(' ') + '\\n')
    const file = files[args[2].replace(/@\\d+$/, '').split('/').at(-1)]
    if (!file) { process.stderr.write(args[2] + ' - no such file(s).\\n'); process.exit(1) }
    process.stdout.write(fs.readFileSync(file))`)
}
async function submit(paths: string[], key = 'p4') {
  const token = studio.world.integrations![key]!.webhook_token as string
  const files = paths.map((path) => ({ path, action: 'edit' }))
  const body = { changelist: ++changelist, user: 'kim', description: 'Art', files }
  const { json } = await studio.ask(`/webhooks/perforce?token=${token}`, { method: 'POST', body })
  await ingest(studio.db, { account_id: accountId(), delivery_id: Number(json.delivery_id) })
}
const jobs = () =>
  studio.db.rows<{ payload: Jobs['fetch_previews'] }>(sql`select payload from jobs where kind = 'fetch_previews'`)
/** Until no job is left: on a slow machine a job makes way for its next turn. */
async function run(p4: string) {
  const context = { ...outside, p4 }
  const taken = () =>
    studio.db.rows<{ payload: Jobs['fetch_previews'] }>(sql`delete from jobs where kind = 'fetch_previews' returning payload`)
  for (let jobs = await taken(); jobs.length > 0; jobs = await taken())
    for (const { payload } of jobs) await fetchPreviews(context, payload)
}
const previews = (name: string) =>
  studio.db.rows<{ version: number; state: string; kind: string; source: string; reason: string; width: number }>(sql`
    select p.version, p.state, p.kind, p.source, p.reason, p.width from previews p join assets a on a.account_id = p.account_id and a.id = p.asset_id
    where a.name = ${name} order by p.version`)

test('a submitted texture, material and mesh have the thumbnails of their packages without any setup', async () => {
  const names = ['T_Rock.uasset', 'M_Rock.uasset', 'SM_Rock.uasset']
  await submit(names.map((name) => `//star/main/${name}`))
  expect(await previews('T_Rock.uasset')).toMatchObject([{ version: 1, state: 'pending' }])
  expect(await jobs()).toHaveLength(1)
  // Only the first bytes of a large package are needed.
  await run(serving(Object.fromEntries(names.map((name) => [name, unrealPackage({ body: 9_000_000 })]))))
  for (const name of names)
    expect(await previews(name)).toMatchObject([{ version: 1, state: 'ready', kind: 'picture', source: 'package', width: 256 }])
  expect(readFileSync(join(folder, 'asked'), 'utf8').split('\n')).toContain(`print -q //star/main/T_Rock.uasset@${changelist}`)
})

test('each version has its own preview', async () => {
  await submit(['//star/main/T_Two.uasset'])
  await run(serving({ 'T_Two.uasset': unrealPackage() }))
  await submit(['//star/main/T_Two.uasset'])
  await run(serving({ 'T_Two.uasset': unrealPackage({ thumbnail: null }) }))
  expect(await previews('T_Two.uasset')).toMatchObject([
    { version: 1, kind: 'picture' },
    { version: 2, kind: 'text', source: 'package' },
  ])
})

test('a file without a preview says why', async () => {
  await submit(['//star/main/T_Gone.uasset', '//star/main/T_Odd.uasset', '//star/main/T_Empty.png', '//star/main/T_Cut.png'])
  await run(
    serving({
      'T_Odd.uasset': Buffer.from('fe832a9e00', 'hex'),
      'T_Empty.png': Buffer.alloc(0),
      'T_Cut.png': Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    }),
  )
  const reasonOf = async (name: string) => (await previews(name)).map(({ state, reason }) => `${state}: ${reason}`)
  expect(await reasonOf('T_Gone.uasset')).toEqual([
    'none: The server does not give this file. Check the settings of the integration, or upload a preview.',
  ])
  expect(await reasonOf('T_Odd.uasset')).toEqual(['none: There are no previews of this type of file. Upload a picture of it.'])
  expect(await reasonOf('T_Empty.png')).toEqual(['none: The file is empty.'])
  expect(await reasonOf('T_Cut.png')).toEqual(['none: The file is damaged or cut off.'])
})

test('files of actors, code and servers that are not configured are not fetched', async () => {
  await submit(['//star/main/__ExternalActors__/A/1/ABC.uasset', '//star/main/a.cpp'])
  await submit(['//star/main/T_Plain.uasset'], 'plain')
  expect(await jobs()).toEqual([])
  expect(await previews('T_Plain.uasset')).toEqual([])
})

test('a path that could name other files is never passed to p4', async () => {
  await submit(['//star/main/....uasset', '//star/main/T_*.uasset', '-x/T_Option.uasset'])
  const before = readFileSync(join(folder, 'asked'), 'utf8')
  await run(serving({}))
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe(before)
  expect(await previews('T_*.uasset')).toMatchObject([{ state: 'none' }])
  expect(await previews('T_Option.uasset')).toMatchObject([{ state: 'none' }])
})

test('a silent server leaves previews pending, for a day', async () => {
  await submit(['//star/main/T_Late.uasset'])
  const away = p4(`process.stderr.write('Perforce client error: Connect to server failed; check $P4PORT.'); process.exit(1)`)
  await expect(run(away)).rejects.toMatchObject({ message: expect.stringContaining('failed') })
  expect(await previews('T_Late.uasset')).toMatchObject([{ state: 'pending' }])
  await studio.db.execute(sql`update previews set created_at = now() - interval '25 hours' where state = 'pending'`)
  await giveUpOld(studio.db)
  expect(await previews('T_Late.uasset')).toMatchObject([
    { state: 'none', reason: 'The server did not give the file for a day.' },
  ])
})

test('of a change with ten thousand files, 500 are fetched, and the others say why not without an event each', async () => {
  await studio.db.execute(sql`delete from outbox`)
  await submit(Array.from({ length: 10_000 }, (_, i) => `//star/many/T_${i}.uasset`))
  const counts = await studio.db.rows(sql`
    select p.state, count(*) from previews p join assets a on a.account_id = p.account_id and a.id = p.asset_id where a.path like '//star/many/%' group by p.state order by p.state`)
  expect(counts).toEqual([
    { state: 'none', count: 9_500 },
    { state: 'pending', count: 500 },
  ])
  expect(await jobs()).toHaveLength(1)
  expect(await studio.db.rows(sql`select event_type from outbox where event_type like 'preview.%' limit 1`)).toEqual([])
  await studio.db.execute(sql`delete from previews where state = 'pending'`)
})

test('of previews that wait, the newest are fetched first, and only the oldest of more than 2,000 are given up', async () => {
  const names = ['T_First.uasset', 'T_Second.uasset', 'T_Third.uasset']
  for (const name of names) await submit([`//star/main/${name}`])
  const [first] = await studio.db.rows<{ account_id: number; project_id: number }>(sql`
    update previews p set created_at = now() - interval '1 hour' * (select 3 - x.n from unnest(${names}::text[]) with ordinality x (name, n) where x.name = a.name)
    from assets a where a.account_id = p.account_id and a.id = p.asset_id and a.name = any (${names}::text[]) returning p.account_id, p.project_id`)
  await studio.db.execute(sql`
    update previews set state = 'pending', reason = null where account_id = ${first!.account_id} and asset_id in (
      select p.asset_id from previews p join assets a on a.account_id = p.account_id and a.id = p.asset_id
      where p.account_id = ${first!.account_id} and a.path like '//star/many/%' limit 1998)`)
  await dropExcess(studio.db, first!.account_id, first!.project_id)
  expect(await previews(names[0]!)).toMatchObject([{ state: 'none', reason: expect.stringMatching(/^Too many files/) }])
  expect(await previews(names[1]!)).toMatchObject([{ state: 'pending' }])
  await studio.db.execute(sql`
    update previews p set state = 'none' from assets a where a.account_id = p.account_id and a.id = p.asset_id and a.path like '//star/many/%' and p.state = 'pending'`)
  await run(serving(Object.fromEntries(names.map((name) => [name, unrealPackage()]))))
  const asked = readFileSync(join(folder, 'asked'), 'utf8').match(/T_(?:First|Second|Third)\.uasset/g)
  expect(asked).toEqual(['T_Third.uasset', 'T_Second.uasset'])
})

test('an upload that came first stays', async () => {
  await submit(['//star/main/T_Own.uasset'])
  const { id } = (await studio.db.one<{ id: string }>(sql`select id from assets where name = 'T_Own.uasset'`))!
  const upload = () =>
    studio.ask(`/api/v1/projects/${studio.world.projects.star!.id}/assets/${id}/versions/1/preview`, {
      method: 'PUT',
      token: studio.world.tokens!.kim!.token as string,
      raw: Buffer.from('own text') as Buffer<ArrayBuffer>,
      headers: { 'content-type': 'application/octet-stream' },
    })
  expect((await upload()).json).toMatchObject({ source: 'upload', kind: 'text' })
  await run(serving({ 'T_Own.uasset': unrealPackage() }))
  // What was fetched while somebody uploaded comes too late.
  const [account_id, project_id] = [studio.world.accounts!.owl!.id as number, studio.world.projects.star!.id as number]
  const fetched = { asset_id: id, version: 1, project_id, path: '//star/main/T_Own.uasset', identifier: '1' }
  await giveUp(studio.db, account_id, fetched, 'The file is empty.')
  await put(
    studio.db,
    { account_id, project_id },
    { assetId: id, version: 1, onlyPending: true },
    { kind: 'picture', source: 'file' },
  )
  expect(await previews('T_Own.uasset')).toMatchObject([{ source: 'upload', kind: 'text' }])
})

/** A p4 in the PATH that notes its arguments and says the same to everybody. */
function installP4(script: string) {
  const bin = mkdtempSync(join(folder, 'bin-'))
  writeFileSync(join(bin, 'p4'), `#!/bin/sh\necho "$@" >> '${bin}/asked'\n${script}\n`, { mode: 0o755 })
  const { PATH } = process.env
  process.env.PATH = `${bin}:${PATH}`
  return {
    asked: () => (existsSync(join(bin, 'asked')) ? readFileSync(join(bin, 'asked'), 'utf8').trim().split('\n') : []),
    remove: () => {
      process.env.PATH = PATH
    },
  }
}

test('the page of an asset shows who has it checked out, asks once for everybody, and never fails because of it', async () => {
  await submit(['//star/main/T_Out.uasset', '//star/main/T_Away.uasset', '//star/main/T_*.uasset'])
  await submit(['//star/main/T_PlainOut.uasset'], 'plain')
  const kim = await signIn(studio, 'kim@example.com', PASSWORD)
  const project = studio.world.projects.star!.id
  const ask = async (name: string) => {
    const { id } = (await studio.db.one<{ id: string }>(
      sql`select id from assets where name = ${name} order by created_at desc`,
    ))!
    const { status, json } = await kim.app(`/projects/${project}/assets/${id}/checkouts`)
    expect(status).toBe(200)
    const isAskable = (await kim.app(`/projects/${project}/assets/${id}`)).json.can_list_checkouts
    expect(isAskable, 'pages ask only if the integration has a server').toBe(!name.startsWith('T_Plain'))
    const waiting = (await kim.app(`/projects/${project}/approvals?queue=true&limit=50`)).json.approvals
    const entry = waiting.find(({ asset_id }: { asset_id: string }) => asset_id === id)
    if (entry) expect(entry.queue.can_list_checkouts).toBe(isAskable)
    return json.checkouts
  }
  const opened = ['Kim', 'zoe'].map((user) => JSON.stringify({ user, client: `${user}-ws`, action: 'edit', change: 'default' }))
  const p4 = installP4(`cat <<'END'\n${opened.join('\n')}\nEND`)
  try {
    const expected = [
      { name: 'Kim', workspace: 'Kim-ws', action: 'edit', user_id: studio.world.users!.kim!.id },
      { name: 'zoe', workspace: 'zoe-ws', action: 'edit', user_id: null },
    ]
    expect(await Promise.all([ask('T_Out.uasset'), ask('T_Out.uasset')])).toEqual([expected, expected])
    expect(await ask('T_Out.uasset')).toEqual(expected)
    expect(p4.asked()).toEqual(['-Mj -ztag opened -a -m 20 //star/main/T_Out.uasset'])
    // Its path could name other files, and the other integration has no server.
    expect(await ask('T_*.uasset')).toEqual([])
    expect(await ask('T_PlainOut.uasset')).toBe(null)
    expect(p4.asked()).toHaveLength(1)
  } finally {
    p4.remove()
  }
  const away = installP4('echo "Perforce client error: Connect to server failed" >&2; exit 1')
  expect(await ask('T_Away.uasset')).toBe(null)
  away.remove()
  expect((await kim.app(`/projects/${project}/assets/${randomUUID()}/checkouts`)).status).toBe(404)
})
