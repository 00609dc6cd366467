import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../db/database.ts'
import { HOLDINGS } from './table-ownership.ts'

/** Rows of an account can be sharded to one of several servers only if a key of their table contains the account: docs/scale.md. */

let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
})
afterAll(() => own.drop())

/** Small tables that are read before the account of a request is known: replicated to every server. */
const EVERYWHERE = ['accounts', 'users', 'api_tokens', 'connected_accounts', 'sso_domains', 'sso_sessions']
/** `account_id` is a column of the row, and the id is unique across the service. */
const COUNTED = ['channel_rules', 'mails', 'notifications', 'outbox', 'search_segments']
/** Found by their parent row. */
const BELOW = ['deliveries', 'project_members', 'notification_preferences']
/** 32-bit ids: tables with few rows. */
const SHORT = [
  'accounts',
  'api_tokens',
  'audit_keys',
  'channel_rules',
  'connected_accounts',
  'external_references',
  'failure_rules',
  'integrations',
  'invitations',
  'logins',
  'projects',
  'sessions',
  'users',
  'verifications',
]

test('every table of an account has the account in a key, or a reason why not', async () => {
  const keyed = await own.db.rows<{ name: string }>(sql`
    select distinct i.indrelid::regclass::text as name from pg_index i
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
    where i.indisunique and a.attname = 'account_id'`)
  const names = new Set(keyed.map(({ name }) => name))
  const lacking = Object.entries(HOLDINGS)
    .filter(([name, { level, left }]) => !names.has(name) && !(level === 'person' && left !== undefined))
    .map(([name]) => name)
  const reasons = [...EVERYWHERE, ...COUNTED, ...BELOW]
  expect(lacking.toSorted()).toEqual(reasons.toSorted())
})

test('only small tables have 32-bit ids, and no reference to another table is 32-bit', async () => {
  const short = await own.db.rows<{ name: string }>(sql`
    select c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'id'
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.atttypid = 'integer'::regtype`)
  expect(short.map(({ name }) => name).toSorted()).toEqual(SHORT.toSorted())
  const references = await own.db.rows(sql`
    select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.atttypid in ('integer'::regtype, 'integer[]'::regtype)
      and a.attname ~ '(change|build_run|build_step|investigation|task)_ids?$'`)
  expect(references).toEqual([])
})

/** Tables with a primary or unique key that does not begin with the account, because rows are found by it before the account is known. */
const FOUND_FIRST = [
  'account_members',
  'accounts',
  'api_tokens',
  'connected_accounts',
  'integrations',
  'invitations',
  'logins',
  'notification_preferences',
  'projects',
  'sso_domains',
  'sso_sessions',
  'ugs_tokens',
  'users',
]
/** Tables whose key does not begin with the account yet. */
const NOT_YET = [
  'channel_rules',
  'deliveries',
  'exports',
  'failure_rules',
  'jobs',
  'mails',
  'notifications',
  'outbox',
  'project_members',
  'refused_requests',
  'saved_views',
  'scim_tokens',
  'search_segments',
]

test('every primary and unique key of records begins with the account', async () => {
  const keys = await own.db.rows<{ name: string }>(sql`
    select distinct i.indrelid::regclass::text as name from pg_index i
    join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
    left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    where i.indisunique and a.attname is distinct from 'account_id'`)
  const held = keys.map(({ name }) => name).filter((name) => !(HOLDINGS[name]?.level === 'person' && HOLDINGS[name].left))
  expect(held.toSorted()).toEqual([...FOUND_FIRST, ...NOT_YET].toSorted())
})

test('a foreign key between two records contains the account', async () => {
  const references = await own.db.rows<{ name: string; definition: string }>(sql`
    select f.conrelid::regclass::text as name, pg_get_constraintdef(f.oid) as definition from pg_constraint f
    where f.contype = 'f' and f.connamespace = 'public'::regnamespace
      and exists (select from pg_attribute a where a.attrelid = f.confrelid and a.attname = 'account_id' and a.attnum = any (f.confkey)) is false`)
  const records = ['changes', 'build_runs', 'assets', 'approvals', 'deployments', 'tasks', 'breakages', 'investigations']
  expect(references.filter(({ definition }) => records.some((table) => definition.includes(`REFERENCES ${table}(`)))).toEqual([])
})

test('a row cannot refer to a record of another account', async () => {
  const projects = await own.db.rows<{ account_id: number; id: number }>(sql`
    with made as (insert into accounts (name, plan) values ('Owl', 'studio'), ('Fox', 'studio') returning id)
    insert into projects (account_id, name) select id, 'Moon' from made returning account_id, id`)
  const [owl, fox] = projects as [(typeof projects)[0], (typeof projects)[0]]
  const change = (await own.db.one<{ id: number }>(sql`
    insert into changes (account_id, project_id, identifier, source_type)
    values (${owl.account_id}, ${owl.id}, 'a', 'GitCommit') returning id`))!
  const mark = ({ account_id, id }: typeof owl) =>
    own.db.execute(sql`
      insert into branch_marks (account_id, project_id, branch, change_id, reason)
      values (${account_id}, ${id}, 'main', ${change.id}, 'played it')`)
  await expect(mark(fox)).rejects.toMatchObject({ code: '23503' })
  expect(await mark(owl)).toBe(1)
})
