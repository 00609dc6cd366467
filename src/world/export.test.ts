import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { beginBeyond32Bits, createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { fillTables, fullWorld } from '../../test/support/studios/full-account.ts'
import { raw, sql } from '../db/database.ts'
import { loadDemo } from '../demo/load.ts'
import { REFERENCES, TABLE_OWNERSHIP } from '../domain/accounts/table-ownership.ts'
import { showToken } from '../domain/integrations/settings.ts'
import { sealedIn, Vault } from '../domain/privacy/secrets.ts'
import { type Audience, exportedTables } from './columns.ts'
import { exportWorld } from './export.ts'
import { loadWorld } from './world.ts'

const described = JSON.parse(readFileSync(new URL('./fixtures/world.json', import.meta.url), 'utf8'))
const here = new Vault('a key of these tests, and long enough')
const elsewhere = new Vault('the key of another service, as long')
const PASSPHRASE = 'a phrase that nobody guesses'

let own: TestDatabase
let empty: TestDatabase
let account: number
let channel: number
/** With and without secrets; deriving a key from a passphrase is slow on purpose. */
let [full, open] = ['', '']
let integration: number
beforeAll(async () => {
  ;[own, empty] = await Promise.all([createDatabase(), createDatabase()])
  await beginBeyond32Bits(own.db)
  const made = await loadWorld(own.db, Readable.from([JSON.stringify(fullWorld)]), { vault: here })
  integration = made.integrations.full!.id
  ;({ account_id: account, channel } = await fillTables(own.db, here, integration))
  full = await exported(own.db, here, account, { passphrase: PASSPHRASE })
  open = await exported(own.db, here, account)
})
afterAll(() => Promise.all([own.drop(), empty.drop()]))

interface Wanted {
  passphrase?: string
  project_id?: number
  audience?: Audience
}

async function exported(db: TestDatabase['db'], vault: Vault, account_id: number, wanted: Wanted = {}) {
  const { passphrase, project_id, audience = 'operator' } = wanted
  let text = ''
  await exportWorld(db, { account_id, project_id }, { vault, passphrase, audience }, async (part) => {
    text += part
  })
  return text
}
const load = (text: string, into: TestDatabase, passphrase?: string) =>
  loadWorld(into.db, Readable.from([text]), { vault: elsewhere, passphrase })
const rowsOf = (text: string) =>
  (JSON.parse(text).rows as Record<string, Record<string, unknown>>[]).map((row) => Object.entries(row)[0]!)

describe('every table', () => {
  test('is part of an export, or has a reason why not', async () => {
    const tables = await own.db.rows<{ name: string }>(sql`
      select table_name::text as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`)
    expect(Object.keys(TABLE_OWNERSHIP).toSorted()).toEqual(tables.map(({ name }) => name).toSorted())
  })

  test('refers to others by consistent column names', async () => {
    const keys = await own.db.rows<{ table: string; column: string; target: string }>(sql`
      select c.conrelid::regclass::text as table, a.attname::text as column, c.confrelid::regclass::text as target
      from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.contype = 'f' and cardinality(c.conkey) = 1 and c.connamespace = 'public'::regnamespace`)
    const wrong = keys.filter(
      ({ table, column, target }) =>
        TABLE_OWNERSHIP[table]!.left === undefined &&
        REFERENCES[column] !== target &&
        table !== 'sso_domains' &&
        table !== 'build_log_chunks',
    )
    expect(wrong).toEqual([])
  })
})

test('an account with rows in every table survives a move to an empty service and back', async () => {
  const held = new Set(rowsOf(full).map(([table]) => table))
  expect([...held].toSorted()).toEqual(
    exportedTables(true, 'operator')
      .map(([table]) => table)
      .toSorted(),
  )
  await load(full, empty, PASSPHRASE)
  expect(await exported(empty.db, elsewhere, account)).toBe(open)
  // Secrets, too, and under the key of the other service.
  expect(await showToken(empty.db, elsewhere, integration)).toBe(await showToken(own.db, here, integration))
  const secret = await empty.db.one<{ sealed: string }>(
    sql`select secret_sealed as sealed from destinations where id = ${channel}`,
  )
  expect(elsewhere.open(secret!.sealed, sealedIn('destinations', channel, 'secret_sealed'))).toBe('https://discord.example/x')
  const hashes = sql`select array_agg(hash order by id) as hashes from api_tokens where user_id in (select user_id from account_members where account_id = ${account})`
  expect(await empty.db.one(hashes)).toEqual(await own.db.one(hashes))
})

test('what a world file describes survives an export: tests, quarantines, muted agents, measures and budgets', async () => {
  const [from, to] = await Promise.all([createDatabase(), createDatabase()])
  const world = structuredClone(described)
  Object.assign(world.projects[0], { measure_budgets: [{ measure: 'package', max_value: 7 }] })
  Object.assign(world.build_runs[0], { measures: [{ name: 'package', value: 8, unit: 'bytes' }] })
  const { id } = (await loadWorld(from.db, Readable.from([JSON.stringify(world)]), { vault: here })).accounts.owl!
  const text = await exported(from.db, here, id)
  const tables = rowsOf(text).map(([table]) => table)
  for (const table of ['test_runs', 'test_failures', 'test_quarantines', 'agent_mutes']) expect(tables).toContain(table)
  await load(text, to)
  expect(await exported(to.db, elsewhere, id)).toBe(text)
  await Promise.all([from.drop(), to.drop()])
})

test('without a passphrase it contains no secret, and with one none that is readable', async () => {
  const secrets = [
    'signed',
    'open sesame',
    'https://discord.example/x',
    'whsec_x',
    'hush',
    await showToken(own.db, here, integration),
  ]
  const hashes = await own.db.rows<{ hash: string }>(sql`
    select encode(hash, 'hex') as hash from api_tokens union all select password from logins where password is not null`)
  for (const text of [open, full])
    for (const secret of [...secrets, ...hashes.map(({ hash }) => hash)]) expect(text).not.toContain(`"${secret}"`)
  expect(open).not.toContain('operator')
})

test('an admin’s export contains no login, token or single sign-on, whatever the passphrase, and survives a move to another service and back', async () => {
  const text = await exported(own.db, here, account, { passphrase: PASSPHRASE, audience: 'admin' })
  const held = new Set(rowsOf(text).map(([table]) => table))
  const without = exportedTables(true, 'operator')
    .map(([table]) => table)
    .filter((table) => !held.has(table))
  expect(without).toEqual(['logins', 'api_tokens', 'sso_connections', 'sso_domains', 'ugs_tokens'])
  expect(rowsOf(text).filter(([, row]) => 'hash' in row || 'password' in row || row.token_hash)).toEqual([])
  const target = await createDatabase()
  await load(text, target, PASSPHRASE)
  expect(await exported(target.db, elsewhere, account, { audience: 'admin' })).toBe(
    await exported(own.db, here, account, { audience: 'admin' }),
  )
  expect(await showToken(target.db, elsewhere, integration)).toBe(await showToken(own.db, here, integration))
  await target.drop()
})

test('next to other accounts it gets its own numbers, and all references stay consistent', async () => {
  const { accounts } = await load(full, own, PASSPHRASE)
  const copy = Object.values(accounts)[0]!.id
  expect(copy).not.toBe(account)
  const count = (id: number) =>
    own.db.one(sql`
    select (select count(*) from tasks where account_id = ${id}) as tasks, (select count(*) from build_runs where account_id = ${id}) as builds,
      (select count(*) from approvals where account_id = ${id}) as approvals, (select count(*) from account_members where account_id = ${id}) as members`)
  expect(await count(copy)).toEqual(await count(account))
  const loose = await own.db.rows(sql`
    select b.id from breakages b, jsonb_array_elements(b.suspects) s
    where b.account_id = ${copy} and not exists (select from changes c where c.id = (s->>'change_id')::bigint and c.account_id = ${copy})
    union all
    select n.id from notifications n where n.account_id = ${copy} and not exists (
      select from tasks t where t.account_id = ${copy} and t.id::text = n.subject_id and n.path = '/projects/' || t.project_id || '/tasks/' || t.id)
    union all
    select d.id from deliveries d join integrations i on i.id = d.integration_id join projects p on p.id = i.project_id, jsonb_array_elements(d.records) r
    where p.account_id = ${copy} and not exists (select from build_runs b where b.id = (r->>'id')::bigint and b.account_id = ${copy})`)
  expect(loose).toEqual([])
  // New rows come after the reserved numbers.
  await own.db.execute(sql`insert into projects (account_id, name) values (${copy}, 'Next')`)
  const tokens = await own.db.one<{ tokens: number; hashes: number }>(
    sql`select count(*) as tokens, count(distinct token_hash) as hashes from integrations`,
  )
  expect(tokens!.tokens).toBe(tokens!.hashes)
})

test('a file gives an existing user no password and no token', async () => {
  // Otherwise the existing ones would prevent loading the same ones.
  for (const table of ['logins', 'api_tokens']) await empty.db.execute(sql`delete from ${raw(table)}`)
  const before = await empty.db.one(
    sql`select (select count(*) from logins) as logins, (select count(*) from api_tokens) as tokens`,
  )
  await load(full, empty, PASSPHRASE)
  expect(
    await empty.db.one(sql`select (select count(*) from logins) as logins, (select count(*) from api_tokens) as tokens`),
  ).toEqual(before)
})

test.each([
  ['a wrong passphrase', (text: string) => text, 'another phrase altogether'],
  ['no passphrase', (text: string) => text, undefined],
  ['a newer version', (text: string) => text.replace(/"schema":\d+/, '"schema":9999'), PASSPHRASE],
  ["somebody else's number", (text: string) => text.replace(/"project_id":\d+/, '"project_id":1000000'), PASSPHRASE],
  [
    'a table of the service itself',
    (text: string) => text.replace('\n{"accounts":{', '\n{"secret_canary":{}},{"accounts":{'),
    PASSPHRASE,
  ],
  ['an unknown column', (text: string) => text.replace('\n{"accounts":{', '\n{"accounts":{"id\\" = 1; --":1,'), PASSPHRASE],
  ['the operator flag', (text: string) => text.replace('{"users":{', '{"users":{"operator":true,'), PASSPHRASE],
])('is refused as a whole with %s', async (_, change, passphrase) => {
  const text = change(full)
  const before = await empty.db.one(sql`select count(*) from accounts`)
  await expect(load(text, empty, passphrase)).rejects.toThrow(/^[^\n]+$/)
  expect(await empty.db.one(sql`select count(*) from accounts`)).toEqual(before)
})

test('from before the first release omits the tables and columns that were renamed', async () => {
  const text = full
    .replace(/"schema":\d+/, '"schema":146')
    .replace('"tables":{', '"tables":{"stored_bodies":{"columns":["bytes"],"range":null},')
    .replace('{"projects":{', '{"stored_bodies":{"bytes":4}},{"projects":{"approval_types":null,')
  expect(text).not.toBe(full)
  const target = await createDatabase()
  await load(text, target, PASSPHRASE)
  const count = sql`select (select count(*) from projects) as projects, (select count(*) from changes) as changes`
  expect(await target.db.one(count)).toEqual(
    await own.db.one(sql`
    select (select count(*) from projects where account_id = ${account}) as projects,
      (select count(*) from changes where account_id = ${account}) as changes`),
  )
  await target.drop()
})

test('a single project contains only its own records', async () => {
  const projects = await own.db.rows<{ id: number }>(sql`select id from projects where account_id = ${account} order by id`)
  const [{ id }] = projects as [{ id: number }]
  const text = await exported(own.db, here, account, { project_id: id })
  const named = new Set(
    rowsOf(text)
      .map(([, row]) => row.project_id)
      .filter((project) => project !== undefined),
  )
  expect([...named]).toEqual([id])
})

test('the demo studios survive an export and import', async () => {
  const demo = await createDatabase()
  await loadDemo(demo.db, here, new Date('2026-11-02T09:00:00Z'))
  const accounts = await demo.db.rows<{ id: number }>(sql`select id from accounts order by id`)
  for (const { id } of accounts) {
    const text = await exported(demo.db, here, id)
    const target = await createDatabase()
    await load(text, target)
    const again = (await exported(target.db, elsewhere, id)).split('\n')
    expect(text.split('\n').filter((line, i) => line !== again[i])).toEqual([])
    await target.drop()
  }
  await demo.drop()
  expect(accounts.length).toBeGreaterThan(1)
})
