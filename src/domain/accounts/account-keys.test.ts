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
/** The id is part of the public API and unique across the service; `account_id` is a column of the row. */
const PROMISED = ['approvals', 'assets', 'build_runs', 'changes', 'deployments', 'external_references', 'investigations', 'tasks']
/** `account_id` is a column of the row, and the id is unique across the service. */
const COUNTED = [
  'breakage_history',
  'channel_rules',
  'deployment_history',
  'mails',
  'notifications',
  'outbox',
  'search_segments',
  'task_history',
]
/** Found by their parent row. */
const BELOW = [
  'build_steps',
  'deliveries',
  'project_members',
  'notification_preferences',
  'task_build_runs',
  'task_changes',
  'task_deployments',
  'task_labels',
]
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
  const reasons = [...EVERYWHERE, ...PROMISED, ...COUNTED, ...BELOW]
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
