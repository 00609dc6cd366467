import { afterAll, beforeAll, expect, test } from 'vitest'
import { raw, sql } from '../src/db/database.ts'
import { distribute, planDistribution } from '../src/db/distributed/distribute.ts'
import { openClient } from '../src/db/hosts.ts'
import { openMigrationSession } from '../src/db/migration-session.ts'
import { PLACEMENTS } from '../src/domain/accounts/table-placement.ts'
import { createUndistributedDatabase, type TestDatabase } from './support/database.ts'

/**
 * The schema that `admin distribute` makes, on one PostgreSQL: functions with the names of those of Citus only write down what they were
 * asked for. So what becomes of triggers, references, functions and the view is tested without a cluster.
 */
const FUNCTIONS_OF_CITUS = `
create schema asked;
create table asked.tables (id serial, name text, key text, beside text);
create table asked.workers (command text);
create function create_reference_table(name text) returns void language plpgsql as $$
  begin insert into asked.tables (name) values (name); end $$;
create function create_distributed_table(name text, key text, colocate_with text) returns void language plpgsql as $$
  begin insert into asked.tables (name, key, beside) values (name, key, colocate_with); end $$;
create function run_command_on_workers(command text) returns void language plpgsql as $$
  begin insert into asked.workers values (command); end $$;`

const FUNCTIONS = sql`
  select p.oid::regprocedure::text as name, md5(pg_get_functiondef(p.oid)) as definition from pg_proc p
  where p.pronamespace = 'public'::regnamespace and p.prosqlbody is not null and p.proname <> 'iso' order by 1`
const VIEWS = sql`select viewname as name, definition from pg_views where schemaname = 'public' order by 1`
const TRIGGERS = sql`
  select t.tgrelid::regclass::text as table, t.tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where not t.tgisinternal and c.relnamespace = 'public'::regnamespace order by 1, 2`
const REFERENCES = sql`
  select c.conrelid::regclass::text as table, c.conname as name, c.confrelid::regclass::text as parent,
    cardinality(c.confdelsetcols) > 0 as clears, c.confdeltype as deletes, cardinality(c.conkey) as columns
  from pg_constraint c join pg_class t on t.oid = c.conrelid
  where c.contype = 'f' and t.relnamespace = 'public'::regnamespace order by 1, 2`

interface Trigger {
  table: string
  name: string
}
interface Reference extends Trigger {
  parent: string
  clears: boolean | null
  deletes: string
  columns: number
}

let own: TestDatabase
const read = async () => ({
  functions: await own.db.rows(FUNCTIONS),
  views: await own.db.rows(VIEWS),
  triggers: await own.db.rows<Trigger>(TRIGGERS),
  references: await own.db.rows<Reference>(REFERENCES),
})
let before: Awaited<ReturnType<typeof read>>
let after: typeof before

beforeAll(async () => {
  own = await createUndistributedDatabase()
  for (const text of FUNCTIONS_OF_CITUS.split(/;$/m).filter((text) => text.trim())) await own.db.execute(raw(text))
  before = await read()
  const session = await openMigrationSession(own.url, { info() {}, warn() {} })
  await distribute(session, PLACEMENTS).finally(() => session.end())
  after = await read()
})
afterAll(() => own?.drop())

const tablesOf = (wanted: string) =>
  Object.keys(PLACEMENTS)
    .filter((table) => PLACEMENTS[table] === wanted)
    .sort()

test('without the extension nothing is planned', async () => {
  const client = openClient(own.url, {})
  await client.connect()
  await expect(planDistribution(client, PLACEMENTS)).rejects.toThrow(/^This database has no extension citus\./)
  await client.end()
})

test('every table is copied, distributed by account beside the others, or left on the coordinator', async () => {
  const asked = await own.db.rows<{ name: string; key: string | null; beside: string | null }>(
    sql`select name, key, beside from asked.tables order by id`,
  )
  const distributed = asked.filter(({ key }) => key !== null)
  expect(distributed.map(({ name }) => name).sort()).toEqual(tablesOf('by account'))
  expect(
    asked
      .filter(({ key }) => key === null)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(tablesOf('copied'))
  expect(new Set(distributed.map(({ key }) => key))).toEqual(new Set(['account_id']))
  expect(distributed.map(({ beside }) => beside)).toEqual(
    distributed.map((_, place) => (place === 0 ? 'none' : distributed[0]!.name)),
  )
})

test('sessions on the workers start with the same settings', async () => {
  const commands = (await own.db.rows<{ command: string }>(sql`select command from asked.workers`)).map(({ command }) => command)
  const { settings } = (await own.db.one<{ settings: string[] }>(sql`
    select setconfig as settings from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database()`))!
  expect(settings).toHaveLength(commands.length)
  for (const setting of settings) {
    const [name, value] = setting.split('=')
    expect(commands).toContainEqual(expect.stringMatching(new RegExp(`^alter database \\w+ set ${name} = ${value}$`)))
  }
})

test('functions and views are the same, and a time as text no longer depends on settings', async () => {
  expect(after.functions).toEqual(before.functions)
  expect(before.functions.length).toBeGreaterThan(0)
  expect(after.views).toEqual(before.views)
  expect(before.views).toHaveLength(1)
  expect(await own.db.one(sql`select provolatile as kind from pg_proc where proname = 'iso'`)).toEqual({ kind: 'i' })
})

test('every trigger is there again, and none reads the rows of a whole statement', async () => {
  const added = after.triggers.filter(({ name }) => name.startsWith('C_clear_'))
  expect(after.triggers.filter(({ name }) => !name.startsWith('C_clear_'))).toEqual(before.triggers)
  expect(await own.db.rows(sql`select tgname from pg_trigger where tgnewtable is not null or tgoldtable is not null`)).toEqual([])
  const cleared = before.references.filter(({ clears, parent }) => clears && PLACEMENTS[parent] === 'by account')
  expect(cleared.length).toBeGreaterThan(5)
  expect(added.map(({ table }) => table).sort()).toEqual(cleared.map(({ parent }) => parent).sort())
})

test('a reference to a record on every server is by its id alone if the record clears it, and no other reference changes', () => {
  const named = new Map(before.references.map((reference) => [`${reference.table} ${reference.name}`, reference]))
  expect(after.references).toHaveLength(before.references.length)
  for (const reference of after.references) {
    const { clears, parent, ...old } = named.get(`${reference.table} ${reference.name}`)!
    const expected = !clears
      ? { clears, parent, ...old }
      : PLACEMENTS[parent] === 'copied'
        ? { ...old, clears: null, parent, columns: 1, deletes: 'n' }
        : { ...old, clears: null, parent, deletes: 'a' }
    expect(reference).toEqual(expected)
  }
})

test('a new record is queued for search and told, and a deleted one is cleared from others', async () => {
  const { id: account } = (await own.db.one<{ id: number }>(sql`insert into accounts (name) values ('Owl') returning id`))!
  const { id: project } = (await own.db.one<{ id: number }>(sql`
    insert into projects (account_id, name) values (${account}, 'Owl') returning id`))!
  await own.db.execute(
    sql`insert into tasks (account_id, project_id, title) values (${account}, ${project}, 'one'), (${account}, ${project}, 'two')`,
  )
  expect(await own.db.rows(sql`select kind from search_queue where kind = 'task'`)).toHaveLength(2)
  const changes = await own.db.rows<{ id: number }>(sql`
    insert into changes (account_id, project_id, identifier, source_type)
    values (${account}, ${project}, 'a', 'GitCommit'), (${account}, ${project}, 'b', 'GitCommit') returning id`)
  expect(await own.db.rows(sql`select kind, count(*) from outbox group by 1 order by 1`)).toEqual([
    { kind: 'change', count: 2 },
    { kind: 'task', count: 2 },
  ])
  for (const [place, { id }] of changes.entries())
    await own.db.execute(sql`
      insert into breakages (account_id, project_id, fingerprint, branch, opened_at, last_seen_at, first_bad_change_id)
      values (${account}, ${project}, ${`${place}`}, 'main', now(), now(), ${id})`)
  await own.db.execute(sql`delete from changes where account_id = ${account} and id = ${changes[0]!.id}`)
  expect(await own.db.rows(sql`select first_bad_change_id as change from breakages order by fingerprint`)).toEqual([
    { change: null },
    { change: changes[1]!.id },
  ])
})

test('records of which one refers to the other are deleted together', async () => {
  const { id: account } = (await own.db.one<{ id: number }>(sql`insert into accounts (name) values ('Fox') returning id`))!
  const { id: project } = (await own.db.one<{ id: number }>(sql`
    insert into projects (account_id, name) values (${account}, 'Fox') returning id`))!
  const { id: tool } = (await own.db.one<{ id: number }>(sql`
    insert into integrations (account_id, project_id, provider, token_hash, token_sealed)
    values (${account}, ${project}, 'jenkins', sha256('token'), '') returning id`))!
  const receive = async (replayOf: number | null) =>
    (await own.db.one<{ id: number }>(sql`
      insert into deliveries (account_id, integration_id, path, dedupe_key, outcome, status, replay_of)
      values (${account}, ${tool}, 'ci', '', 'processed', 200, ${replayOf}) returning id`))!.id
  const first = await receive(await receive(null))
  await receive(first)
  await own.db.execute(sql`delete from deliveries where account_id = ${account} and id = ${first}`)
  expect(await own.db.rows(sql`select replay_of from deliveries order by id`)).toEqual([{ replay_of: null }, { replay_of: null }])
  const last = await receive(await receive(null))
  await receive(last)
  expect(await own.db.execute(sql`delete from deliveries where account_id = ${account}`)).toBe(5)
})
