import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../db/database.ts'
import { HOLDINGS } from './table-ownership.ts'

/** Rows of an account can lie together on one of several servers only where a key of their table says whose they are: docs/scale.md. */

let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
})
afterAll(() => own.drop())

/** Small, and read by everybody before it is known whose a request is: a copy on every server. */
const EVERYWHERE = ['accounts', 'users', 'api_tokens', 'connected_accounts', 'sso_domains', 'sso_sessions']
/** Its id is part of what the API promises, and unique for the whole service; `account_id` is in the row. */
const PROMISED = ['approvals', 'assets', 'build_runs', 'changes', 'deployments', 'external_references', 'investigations', 'tasks']
/** The account is in the row, and the id counts for the whole service. */
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
/** Found by the row it hangs on. */
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
/** Numbers of 32 bits: of what is few. */
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

test('every table of an account has it in a key, or a reason why not', async () => {
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

test('only what is few counts with 32 bits, and nothing refers to the others by so many', async () => {
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
