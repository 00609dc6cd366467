import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RETENTION_KINDS } from '../src/contract/sets.ts'
import { raw, sql } from '../src/db/database.ts'
import { deleteUser } from '../src/domain/accounts/forget-person.ts'
import { TABLE_OWNERSHIP } from '../src/domain/accounts/table-ownership.ts'
import { Vault } from '../src/domain/privacy/secrets.ts'
import { purge, purgeExpired } from '../src/domain/retention/retention.ts'
import { removeAll, restoreAll } from '../src/domain/tasks/bulk.ts'
import { undoImport } from '../src/intake/history/undo-import.ts'
import { exportWorld } from '../src/world/export.ts'
import { loadWorld } from '../src/world/world.ts'
import { createDatabase, type TestDatabase } from './support/database.ts'
import { fillTables, fullWorld } from './support/studios/full-account.ts'

/**
 * What people wrote, decided, linked or set: nothing of it is lost when a record goes and comes back. A whole account, with a row in every
 * table, goes each way; a new table fails until it is named here.
 */
const PEOPLES = [
  'agent_mutes',
  'approvals',
  'bisection_builds',
  'bisections',
  'branch_marks',
  'breakage_history',
  'channel_rules',
  'comment_reactions',
  'comments',
  'corrections',
  'deployment_history',
  'failure_rules',
  'files',
  'previews',
  'saved_views',
  'share_links',
  'task_history',
  'tasks',
  'test_quarantines',
  'ugs_user_metadata',
]

/** Links to tasks come from texts as well as from people; an undo of an import takes the first kind with its record. */
const LINKS = ['task_build_runs', 'task_changes', 'task_deployments']

/** What tools report and the service makes of it, people's accounts and settings, and what is on its way. */
const OTHERS = `
  accounts account_members api_tokens artifact_builds artifact_pieces artifacts assets attempts audit_heads audit_keys audit_log backups branches
  breakage_builds breakage_occurrences breakages build_log_chunks build_log_streams build_runs build_sizes build_steps change_branches changes
  channel_people connected_account_confirmations connected_accounts daily_sizes deliveries deployments destinations export_chunks exports
  external_references failing_accounts file_contents file_usage flaky_tests former_members idempotency_keys import_etags imports intake_usage integration_places
  integrations investigations invitations jobs logins mails measure_alerts messages nodes notification_preferences notifications oauth_clients
  oauth_codes outbox outbox_heads passed_lines passkeys project_members projects recovery_codes refresh_tokens refused_requests result_addresses
  schema_migrations scim_tokens scim_users search_documents search_queue search_segments secret_canary sessions sso_connections sso_domains
  sso_sessions stored_objects task_labels test_builds test_cases test_failures test_reports test_runs two_factors ugs_badges ugs_changes
  ugs_sequences ugs_tokens users verifications write_backs`
  .trim()
  .split(/\s+/)

const vault = new Vault('a key of these tests, and long enough')

interface Account extends TestDatabase {
  account_id: number
  project_id: number
  user: number
}

async function open(): Promise<Account> {
  const own = await createDatabase()
  const made = await loadWorld(own.db, Readable.from([JSON.stringify(fullWorld)]), { vault })
  const account = await fillTables(own.db, vault, made.integrations.full!.id)
  const place = sql`${account.account_id}::integer, ${account.project_id}::integer`
  await own.db.execute(sql`
    insert into share_links (account_id, project_id, artifact_id, user_id, hash, expires_at)
    select account_id, project_id, id, ${account.user}::integer, sha256('shared'), now() + interval '7 days'
    from artifacts where (account_id, project_id) = (${place}) limit 1`)
  await own.db.execute(sql`
    update bisections set found_change_id = (select min(id) from changes where (account_id, project_id) = (${place}))
    where account_id = ${account.account_id} and id = (select min(id) from bisections where (account_id, project_id) = (${place}))`)
  await own.db.execute(sql`
    update previews set source = 'upload' where account_id = ${account.account_id}`)
  // The person can be deleted, because no account is left without an owner.
  await own.db.execute(sql`
    insert into account_members (account_id, user_id, role)
    select m.account_id, u.id, 'owner' from account_members m, users u where m.user_id = ${account.user} and u.id <> ${account.user}
    on conflict (account_id, user_id) do update set role = 'owner'`)
  return { ...own, ...account }
}

const opened: Account[] = []
const account = async () => {
  const made = await open()
  opened.push(made)
  return made
}
afterAll(() => Promise.all(opened.map((one) => one.drop())))

/** The rows of each table, without the times of their last change. */
async function rowsOf({ db, account_id }: Account, tables: readonly string[]): Promise<Record<string, unknown[]>> {
  const entries = await Promise.all(
    tables.map(async (table) => {
      const { of, key } = TABLE_OWNERSHIP[table]!
      const rows = await db.rows<{ row: unknown }>(sql`
        select to_jsonb(t) - 'updated_at' as row from ${raw(table)} t where ${of({ account_id })} order by ${raw(key.replace(/\w+/g, 't.$&'))}`)
      return [table, rows.map(({ row }) => row)] as const
    }),
  )
  return Object.fromEntries(entries)
}

let untouched: Account
beforeAll(async () => {
  untouched = await account()
})

test('every table is named as people’s, as links, or as others', async () => {
  const tables = await untouched.db.rows<{ name: string }>(sql`
    select table_name::text as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`)
  expect([...PEOPLES, ...LINKS, ...OTHERS].toSorted()).toEqual(tables.map(({ name }) => name).toSorted())
})

test('every table of people’s has a row, and so has every column in it that refers to a record', async () => {
  const rows = await rowsOf(untouched, [...PEOPLES, ...LINKS])
  expect(Object.entries(rows).flatMap(([table, found]) => (found.length === 0 ? [table] : []))).toEqual([])
  const columns = await untouched.db.rows<{ table: string; column: string }>(sql`
    select c.conrelid::regclass::text as table, a.attname::text as column
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey) and a.attname <> 'account_id'
    where c.contype = 'f' and c.connamespace = 'public'::regnamespace and c.conrelid::regclass::text = any (${[...PEOPLES, ...LINKS]}::text[])
      and c.confrelid::regclass::text in ('tasks', 'changes', 'build_runs', 'breakages', 'assets', 'deployments', 'comments', 'artifacts', 'test_cases')`)
  expect(columns.length).toBeGreaterThan(20)
  const empty = columns.filter(
    ({ table, column }) => !rows[table]!.some((row) => (row as Record<string, unknown>)[column] !== null),
  )
  expect(empty).toEqual([])
})

const ids = async ({ db, account_id, project_id }: Account) =>
  (await db.rows<{ id: number }>(sql`select id from tasks where account_id = ${account_id} and project_id = ${project_id}`)).map(
    ({ id }) => id,
  )

const WAYS: Record<string, { tables: readonly string[]; go: (account: Account) => Promise<unknown> }> = {
  'the undo of the deletion of all tasks': {
    tables: [...PEOPLES.filter((table) => table !== 'task_history'), ...LINKS],
    async go(account) {
      const by = { ...account, user_id: account.user, token_id: null }
      await removeAll(account.db, by, await ids(account))
      await restoreAll(account.db, by, await ids(account))
    },
  },
  'the undo of an import of everything': {
    tables: PEOPLES,
    async go({ db, account_id, project_id }) {
      const { id } = (await db.one<{ id: number }>(sql`
        update imports set state = 'undoing' where account_id = ${account_id} and project_id = ${project_id} returning id`))!
      for (const table of ['changes', 'build_runs', 'deployments', 'external_references'])
        await db.execute(
          sql`update ${raw(table)} set import_id = ${id} where account_id = ${account_id} and project_id = ${project_id}`,
        )
      await undoImport(db, { account_id, import_id: id })
      const left = await db.one<{ builds: number; kept: number }>(sql`
        select (select count(*)::integer from build_runs where account_id = ${account_id} and project_id = ${project_id}) as builds, kept
        from imports where account_id = ${account_id} and id = ${id}`)
      // Some were kept, most were not.
      expect(left!.kept).toBeGreaterThan(2)
      expect(left!.builds).toBeLessThan(10)
    },
  },
  'retention after no day at all': {
    // Artifacts go after their days, and the links to them with them.
    tables: [...PEOPLES.filter((table) => table !== 'share_links'), ...LINKS],
    async go({ db }) {
      for (const kind of ['outbox', 'mails', 'jobs', 'test_runs', ...RETENTION_KINDS] as const) await purge(db, kind, 0)
      await purgeExpired(db)
    },
  },
}

describe.each(Object.entries(WAYS))('%s', (_, { tables, go }) => {
  let [before, after]: Record<string, unknown[]>[] = []
  beforeAll(async () => {
    const own = await account()
    before = await rowsOf(own, tables)
    await go(own)
    after = await rowsOf(own, tables)
  })
  test.each(tables)('leaves %s as they were', (table) => {
    expect(after![table]).toEqual(before![table])
  })
})

describe('an export that is loaded elsewhere', () => {
  let counts: Record<string, [here: number, there: number]>
  beforeAll(async () => {
    let text = ''
    await exportWorld(untouched.db, { account_id: untouched.account_id }, { vault, audience: 'operator' }, async (part) => {
      text += part
    })
    const target = await createDatabase()
    const { accounts } = await loadWorld(target.db, Readable.from([text]), { vault })
    const there = { ...target, account_id: Object.values(accounts)[0]!.id } as Account
    opened.push(there)
    const tables = [...PEOPLES, ...LINKS]
    const [mine, theirs] = [await rowsOf(untouched, tables), await rowsOf(there, tables)]
    counts = Object.fromEntries(tables.map((table) => [table, [mine[table]!.length, theirs[table]!.length]]))
  })
  /** The reasons stand where the tables are listed. */
  const left = ['channel_rules', 'share_links']
  test.each([...PEOPLES, ...LINKS].filter((table) => !left.includes(table)))('has all %s', (table) => {
    const [here, there] = counts[table]!
    expect(there).toBe(here)
  })
})

describe('the deletion of a person', () => {
  let [before, after]: Record<string, unknown[]>[] = []
  beforeAll(async () => {
    const own = await account()
    before = await rowsOf(own, PEOPLES)
    await deleteUser(own.db, own.user)
    after = await rowsOf(own, PEOPLES)
  })
  /** Only theirs, and of no use to others. */
  const own = ['saved_views', 'share_links']
  test.each(PEOPLES.filter((table) => !own.includes(table)))('keeps all %s for the others', (table) => {
    expect(after![table]!.length).toBe(before![table]!.length)
  })
})
