import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUndistributedDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../db/database.ts'
import { PLACEMENTS } from './table-placement.ts'

/** Rows of an account can be stored together on one of several servers only if every key begins with the account: docs/scale.md. */

let own: TestDatabase
beforeAll(async () => {
  own = await createUndistributedDatabase()
})
afterAll(() => own.drop())

const PERSON = 'belongs to a person, who may be a member of several accounts'
const BEFORE = 'read before the account of a request is known: a copy on every server'
const SERVICE = 'belongs to the service itself'

/** Tables without an account, and single keys of the others. */
const REASONS: Record<string, string> = {
  accounts: 'the account itself',
  users: PERSON,
  connected_accounts: PERSON,
  logins: PERSON,
  notification_preferences: PERSON,
  passkeys: PERSON,
  recovery_codes: PERSON,
  sessions: PERSON,
  two_factors: PERSON,
  verifications: PERSON,
  oauth_clients: PERSON,
  oauth_codes: PERSON,
  refresh_tokens: PERSON,
  idempotency_keys: 'belongs to a token, which may reach several accounts; the key is looked up together with the token',
  api_tokens: BEFORE,
  sso_domains: BEFORE,
  sso_sessions: BEFORE,
  projects_pkey: 'finds the account of a project, whose id is all that a request names',
  projects_badge: 'a badge is read by strangers, who know its key alone',
  integrations_pkey: BEFORE,
  integrations_token_hash_key: BEFORE,
  invitations_token_hash_key: BEFORE,
  invitations_mailed_hash_key: BEFORE,
  scim_tokens_hash_key: BEFORE,
  ugs_tokens_hash_key: BEFORE,
  mails: 'a mail may be about no account, such as one that ends a sign-up',
  jobs: 'workers claim across accounts in turns, and the service has jobs of its own: one queue, on one server',
  audit_keys: SERVICE,
  backups: SERVICE,
  daily_sizes: SERVICE,
  nodes: SERVICE,
  schema_migrations: SERVICE,
  secret_canary: SERVICE,
}

/** 32-bit ids: tables with few rows. */
const SHORT = [
  'accounts',
  'api_tokens',
  'audit_keys',
  'connected_accounts',
  'external_references',
  'integrations',
  'invitations',
  'logins',
  'projects',
  'sessions',
  'users',
  'verifications',
]

const isNamed = ({ table, name }: { table: string; name: string }) =>
  Object.hasOwn(REASONS, table) || Object.hasOwn(REASONS, name)

test('every primary and unique key begins with the account, or has a reason why not', async () => {
  const keys = await own.db.rows<{ table: string; name: string }>(sql`
    select c.relname as table, i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid
    where i.indisunique and c.relnamespace = 'public'::regnamespace and pg_get_indexdef(i.indexrelid, 1, true) <> 'account_id'
    order by 1, 2`)
  expect(keys.filter((key) => !isNamed(key))).toEqual([])
  const lacking = new Set(keys.flatMap(({ table, name }) => [table, name]))
  expect(Object.keys(REASONS).filter((name) => !lacking.has(name))).toEqual([])
})

test('every reference between two tables of an account begins with the account', async () => {
  const references = await own.db.rows<{ table: string; name: string }>(sql`
    select c.conrelid::regclass::text as table, c.conname as name from pg_constraint c
    where c.contype = 'f' and c.confrelid not in ('accounts'::regclass, 'users'::regclass, 'api_tokens'::regclass)
      and (select a.attname from pg_attribute a where a.attrelid = c.conrelid and a.attnum = c.conkey[1]) <> 'account_id'
      and 2 = (select count(*) from pg_attribute a where a.attrelid in (c.conrelid, c.confrelid) and a.attname = 'account_id')
    order by 1, 2`)
  expect(references).toEqual([])
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

test('every table has a place on several servers that its keys and references allow', async () => {
  const tables = await own.db.rows<{ name: string; unfit: boolean }>(sql`
    select c.relname as name, not exists (select from pg_attribute a
        where a.attrelid = c.oid and a.attname = 'account_id' and a.attnotnull and a.atttypid = 'integer'::regtype)
      or exists (select from pg_index i where i.indrelid = c.oid and i.indisunique and pg_get_indexdef(i.indexrelid, 1, true) <> 'account_id') as unfit
    from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`)
  expect(tables.map(({ name }) => name).toSorted()).toEqual(Object.keys(PLACEMENTS).toSorted())
  expect(tables.filter(({ name, unfit }) => PLACEMENTS[name] === 'by account' && unfit)).toEqual([])
  const references = await own.db.rows<{ table: string; parent: string }>(sql`
    select conrelid::regclass::text as table, confrelid::regclass::text as parent from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace`)
  const allowed = { copied: ['copied'], central: ['copied', 'central'], 'by account': ['copied', 'by account'] }
  expect(references.filter(({ table, parent }) => !allowed[PLACEMENTS[table]!].includes(PLACEMENTS[parent]!))).toEqual([])
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
