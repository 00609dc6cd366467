import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { sql } from './database.ts'

/** The rules of README.md, read from the schema and from the source. */

let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
})
afterAll(() => own.drop())

/** Columns that change again and again in the life of a row. */
const BUSY = [
  'updated_at',
  'heard_at',
  'seen_at',
  'last_seen_at',
  'used_at',
  'read_at',
  'progressed_at',
  'busy_until',
  'lease_until',
  'rests_until',
  'phase',
  'build_count',
]

const UPDATED_SINCE =
  'the filter updated_since of the API reads it in this order, and the record is edited a few times in its life'
/** Indexes that hold such a column nevertheless, and why. */
const BUSY_INDEXES: Record<string, string> = {
  approvals_updated_since: UPDATED_SINCE,
  approvals_weeks: UPDATED_SINCE,
  changes_updated_since: UPDATED_SINCE,
  changes_weeks: UPDATED_SINCE,
  deployments_updated_since: UPDATED_SINCE,
  deployments_weeks: UPDATED_SINCE,
  tasks_updated_since: UPDATED_SINCE,
  tasks_weeks: UPDATED_SINCE,
  tasks_feed: 'the feed is in the order of the last change',
  tasks_own: 'the feed of a person is in the order of the last change',
  breakages_seen: 'the feed and the UGS issues are in this order; one update for each failed build',
  notifications_unread: 'a notification is read once',
  oauth_clients_unused: 'a client is used for the first time once',
  sessions_user: 'a session is renewed once a day',
}

test('no index holds or names a column that is updated often, without a reason', async () => {
  const indexes = await own.db.rows<{ name: string; definition: string }>(sql`
    select c.relname as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'public'::regnamespace order by 1`)
  const busy = indexes.filter(({ definition }) =>
    BUSY.some((column) => new RegExp(`\\b${column}\\b`).test(definition.split(' USING ')[1]!)),
  )
  expect(busy.map(({ name }) => name)).toEqual(Object.keys(BUSY_INDEXES).sort())
})

test('the table of builds has no more than 16 indexes beside its key', async () => {
  const { count } = (await own.db.one<{ count: number }>(sql`
    select count(*)::integer as count from pg_index where indrelid = 'build_runs'::regclass and not indisprimary`))!
  expect(count).toBeLessThanOrEqual(16)
})

const PERSON = 'deleting a person is a job, which clears most of these before; the check reads the table once'
const PROJECT = 'a project is deleted by a job that has emptied the table before'
const INTEGRATION = 'a deleted integration stays as a name'
const FEW = 'few rows, which expire'
/** Foreign keys whose columns no index begins with, and why deleting the parent may read the whole table. */
const UNINDEXED: Record<string, string> = {
  'agent_mutes (user_id)': PERSON,
  'artifact_builds (account_id, project_id)': PROJECT,
  'bisections (account_id, integration_id)': INTEGRATION,
  'bisections (account_id, project_id)': PROJECT,
  'bisections (user_id)': PERSON,
  'branch_marks (user_id)': PERSON,
  'breakage_history (user_id)': PERSON,
  'breakage_occurrences (attributed_user_id)': PERSON,
  'breakage_occurrences (owner_user_id)': PERSON,
  'breakages (owner_user_id)': PERSON,
  'changes (account_id, integration_id)': INTEGRATION,
  'changes (author_user_id)': PERSON,
  'comment_reactions (user_id)': PERSON,
  'comments (user_id)': PERSON,
  'comments (via_api_token_id)': PERSON,
  'connected_account_confirmations (confirmed_by)': PERSON,
  'connected_accounts (user_id)': PERSON,
  'corrections (user_id)': PERSON,
  'deployment_history (user_id)': PERSON,
  'destinations (account_id, project_id)': PROJECT,
  'exports (user_id)': FEW,
  'imports (account_id, project_id)': PROJECT,
  'imports (created_by_user_id)': PERSON,
  'integrations (created_by_user_id)': PERSON,
  'investigations (attributed_user_id)': PERSON,
  'invitations (invited_by)': PERSON,
  'mails (to_user_id)': FEW,
  'messages (account_id, project_id)': PROJECT,
  'oauth_codes (assistant_id)': FEW,
  'oauth_codes (token_id)': FEW,
  'oauth_codes (user_id)': FEW,
  'project_members (user_id)': PERSON,
  'task_history (user_id)': PERSON,
  'task_history (via_api_token_id)': PERSON,
  'tasks (created_by_user_id)': PERSON,
  'tasks (user_id)': PERSON,
  'tasks (via_api_token_id)': PERSON,
  'test_builds (account_id, project_id)': PROJECT,
  'test_quarantines (owner_user_id)': PERSON,
  'test_quarantines (user_id)': PERSON,
  'ugs_tokens (account_id, project_id)': PROJECT,
  'ugs_tokens (created_by_user_id)': PERSON,
  'users (default_account_id)': 'an account is deleted by a job',
}

test('every foreign key has an index, or a reason why it needs none', async () => {
  // An index serves it if it begins with one of its columns other than the account, or with the account and one of them.
  const keys = await own.db.rows<{ name: string }>(sql`
    with keys as (
        select c.conrelid, c.conkey, (select attnum from pg_attribute where attrelid = c.conrelid and attname = 'account_id') as account
        from pg_constraint c where c.contype = 'f'),
      indexes as (
        select indrelid, string_to_array(indkey::text, ' ')::int2[] as columns, pg_get_expr(indpred, indrelid) as condition from pg_index)
    select k.conrelid::regclass::text || ' (' || (
      select string_agg(a.attname, ', ' order by x.n) from unnest(k.conkey) with ordinality x (number, n)
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = x.number) || ')' as name
    from keys k where not exists (
      select from indexes i where i.indrelid = k.conrelid and (i.condition is null or i.condition ~ '^\\(\\w+ IS NOT NULL\\)$')
        and (i.columns[1] = any (k.conkey) and i.columns[1] is distinct from k.account
          or i.columns[1] = k.account and (i.columns[2] = any (k.conkey) or k.conkey = array[k.account])))
    order by 1`)
  expect(keys.map(({ name }) => name).sort()).toEqual(Object.keys(UNINDEXED).sort())
})

describe('in the source', () => {
  const root = join(import.meta.dirname, '..')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:ts|sql)$/.test(path) && !/\.test\.ts$|^web|^cli/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  const statements = files.flatMap(({ path, text }) =>
    path.endsWith('.sql')
      ? text.split(';').map((statement) => ({ path, statement }))
      : [...text.matchAll(/sql`((?:[^`$]|\$(?!\{)|\$\{(?:[^{}`]|`[^`]*`)*\})*)`/g)].map(([, statement]) => ({
          path,
          statement: statement!,
        })),
  )
  const places = (found: { path: string; statement: string }[]) =>
    found.map(({ path, statement }) => `${path}: ${statement.replaceAll(/\s+/g, ' ').trim().slice(0, 120)}`)

  test('no statement locks the row of an account against the foreign keys of its records', () => {
    // `for update of` another table of the statement does not lock the account.
    const locking = statements.filter(
      ({ statement }) => /\bfor (?:no key )?update\b(?! of (?!a\b))/.test(statement) && /\bfrom accounts\b/.test(statement),
    )
    expect(locking.length, 'statements that lock an account').toBeGreaterThan(3)
    expect(places(locking.filter(({ statement }) => !/\bfor no key update\b/.test(statement)))).toEqual([])
  })

  test('every insert names its columns', () => {
    const inserts = statements.filter(({ statement }) => /\binsert into\b/.test(statement))
    expect(inserts.length).toBeGreaterThan(100)
    const nameless = inserts.filter(({ statement }) =>
      /\binsert into (?:\w+|\$\{[^}]*\})(?: as \w+)?\s+(?:select|values|default)\b/.test(statement),
    )
    expect(places(nameless)).toEqual([])
  })

  /** Statements that read the newest builds of a project, and why: none is a question about one job. */
  const WINDOWS: Record<string, string> = {
    'domain/builds/builds.ts': 'the list itself, page by page',
    'domain/builds/report.ts': 'one build by its names, each with an index',
    'domain/builds/running.ts': 'the running builds of a person, limited for the page',
    'domain/builds/trends.ts': 'plots of a project, limited by time',
    'domain/deployments/build-link.ts': 'the builds before a deployment, whatever their job',
    'domain/integrations/write-backs.ts': 'some pages to try permissions with',
    'domain/ugs/tokens.ts': 'the changelists that Unreal Game Sync shows',
    'intake/reach/follow-up.ts': 'builds of three days without a log, by the hundred',
  }

  test('no statement about one job reads the newest builds of the project: rare jobs fall out of them', () => {
    const windows = statements.filter(
      ({ statement }) =>
        /\bfrom build_runs\b(?:(?!\bfrom\b)[^;])*?\border by (?:\w+\.)?(?:created_at|happened_at) desc(?:(?!\bfrom\b)[^;])*?\blimit\b/.test(
          statement,
        ) && !/ci_job_name (?:=|is)|\bjob\b.*=|\.id = |\bid = \$/.test(statement),
    )
    expect([...new Set(windows.map(({ path }) => path))].sort()).toEqual(Object.keys(WINDOWS))
  })
})
