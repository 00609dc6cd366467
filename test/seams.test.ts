import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RETENTION_KINDS } from '../src/contract/sets.ts'
import { dump } from '../src/db/backup/dump.ts'
import { restore } from '../src/db/backup/restore.ts'
import { raw, type Sql, sql } from '../src/db/database.ts'
import { deleteUser } from '../src/domain/accounts/forget-person.ts'
import { REFERENCES, TABLE_OWNERSHIP } from '../src/domain/accounts/table-ownership.ts'
import { reviewRanges } from '../src/domain/breakages/late-changes.ts'
import { Vault } from '../src/domain/privacy/secrets.ts'
import { purge, purgeExpired } from '../src/domain/retention/retention.ts'
import { removeAll, restoreAll } from '../src/domain/tasks/bulk.ts'
import { undoImport } from '../src/intake/history/undo-import.ts'
import { exportWorld } from '../src/world/export.ts'
import { loadWorld } from '../src/world/world.ts'
import { createDatabase, createEmptyDatabase, type TestDatabase } from './support/database.ts'
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
  breakage_builds breakage_occurrences breakages build_log_chunks build_log_streams build_names build_runs build_sizes build_steps change_branches changes
  channel_people connected_account_confirmations connected_accounts daily_sizes deliveries deployments destinations export_chunks exports
  external_references failing_accounts file_contents file_usage flaky_tests former_members idempotency_keys import_etags imports intake_usage integration_places
  integrations investigations invitations jobs logins mails measure_alerts messages nodes notification_preferences notifications oauth_clients
  oauth_codes outbox outbox_heads passed_lines passkeys project_members projects recovery_codes refresh_tokens refused_requests result_addresses running_builds
  schema_migrations scim_tokens scim_users search_documents search_queue search_segments secret_canary sessions sso_connections sso_domains
  sso_sessions stored_objects task_labels test_builds test_cases test_failures test_reports test_runs two_factors ugs_badges ugs_changes
  ugs_sequences ugs_tokens users verifications write_backs`
  .trim()
  .split(/\s+/)

/**
 * What people set in rows that tools report or the service makes: of the columns that name a person or hold JSON, and those that belong to
 * them.
 */
const SAID: Record<string, readonly string[]> = {
  accounts: ['allowed_addresses', 'quotas', 'retention'],
  account_members: ['user_id'],
  api_tokens: ['project_ids', 'scopes', 'user_id'],
  breakage_occurrences: ['claimed_at', 'owner_user_id'],
  breakages: ['claimed_at', 'muted_until', 'owner_user_id', 'task_id'],
  connected_account_confirmations: ['confirmed_by'],
  connected_accounts: ['user_id'],
  destinations: ['event_types'],
  imports: ['created_by_user_id'],
  integrations: ['config', 'created_by_user_id'],
  notification_preferences: ['user_id'],
  project_members: ['user_id'],
  projects: ['agent_prices', 'approval_rules', 'assignment', 'job_patterns', 'measure_budgets', 'required_jobs', 'test_gate'],
  sso_connections: ['role_groups'],
  ugs_tokens: ['created_by_user_id'],
}

/** The other columns of these tables that name a person or hold JSON: what tools said, what follows from it, and visits. */
const TOLD: Record<string, string> = {
  accounts: 'closed_member_ids',
  api_tokens: 'barred_account_ids',
  audit_log: 'after before',
  breakage_builds: 'test_case_ids',
  breakage_occurrences: 'attributed_user_id suspects',
  breakages: 'assigned_because cause_keys evidence jobs platforms suspects',
  build_runs: 'artifacts measures',
  build_sizes: 'sizes',
  changes: 'author_user_id files',
  channel_people: 'user_id',
  deliveries: 'headers records',
  exports: 'user_id',
  external_references: 'told_at',
  former_members: 'user_id',
  idempotency_keys: 'reply',
  import_etags: 'next',
  imports: 'counts cursor expected',
  integrations: 'secrets_sealed streams',
  investigations: 'attributed_user_id evidence joins_keys steps suspects',
  invitations: 'invited_by project_ids',
  jobs: 'payload',
  logins: 'user_id',
  mails: 'to_user_id',
  measure_alerts: 'budget user_id',
  messages: 'payload',
  nodes: 'silent_servers',
  notifications: 'user_id',
  oauth_clients: 'redirect_uris',
  oauth_codes: 'scopes user_id',
  outbox: 'facts',
  passkeys: 'user_id',
  recovery_codes: 'user_id',
  scim_users: 'user_id',
  search_documents: 'terms',
  sessions: 'user_id',
  test_builds: 'digests',
  two_factors: 'user_id',
}

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
  await own.db.execute(sql`
    update breakages k set state = 'muted', owner_user_id = ${account.user}, claimed_at = now(), fixed_at = null, muted_until = now() + interval '9 days',
      task_id = (select min(id) from tasks where (account_id, project_id) = (k.account_id, k.project_id))
    where (account_id, project_id) = (${place})`)
  await own.db.execute(sql`
    update breakage_occurrences o set owner_user_id = k.owner_user_id, claimed_at = k.claimed_at from breakages k
    where (o.account_id, o.project_id) = (${place}) and k.account_id = o.account_id and k.id = o.breakage_id`)
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

type Row = Record<string, unknown>

/** The rows of each table, without the times of their last change; of the tables in `SAID` only what people set. */
async function rowsOf({ db, account_id }: Account, tables: readonly string[]): Promise<Record<string, Row[]>> {
  const entries = await Promise.all(
    tables.map(async (table) => {
      const { of, key } = TABLE_OWNERSHIP[table]!
      const rows = await db.rows<{ row: Row }>(sql`
        select to_jsonb(t) - 'updated_at' as row from ${raw(table)} t where ${of({ account_id })} order by ${raw(key.replace(/\w+/g, 't.$&'))}`)
      const columns = SAID[table] && [...key.split(', '), ...SAID[table]]
      return [
        table,
        rows.map(({ row }) => (columns ? Object.fromEntries(columns.map((column) => [column, row[column]])) : row)),
      ] as const
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

test('every column of others that names a person or holds JSON is named as set by people or as told', async () => {
  const columns = await untouched.db.rows<{ name: string }>(sql`
    select c.conrelid::regclass || '.' || a.attname as name from pg_constraint c
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey) and a.attname <> 'account_id'
    where c.contype = 'f' and c.confrelid = 'users'::regclass
    union select t.table_name || '.' || c.column_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where t.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('json', 'jsonb', 'ARRAY') order by 1`)
  const ofOthers = columns.map(({ name }) => name).filter((name) => OTHERS.includes(name.split('.')[0]!))
  const inAll = (of: Record<string, readonly string[]>) =>
    Object.entries(of).flatMap(([table, names]) => names.map((name) => `${table}.${name}`))
  const told = inAll(Object.fromEntries(Object.entries(TOLD).map(([table, names]) => [table, names.split(' ')])))
  const said = inAll(SAID).filter((name) => !/_at$|muted_until|task_id/.test(name))
  expect([...told, ...said].toSorted()).toEqual(ofOthers.toSorted())
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

/** All builds of breakages fail now, and turn out to be of this branch. */
async function failOn({ db, account_id, project_id }: Account, branch: Sql) {
  const place = sql`(${account_id}::integer, ${project_id}::integer)`
  await db.execute(sql`
    update build_runs set status = 'failed', kind = 'regular', created_at = now(), inferred_branch = ${branch}
    where (account_id, project_id) = ${place} and id in (select build_run_id from breakage_builds where account_id = ${account_id})`)
  await db.execute(sql`update breakages set last_seen_at = now() where (account_id, project_id) = ${place}`)
}

const ALL = [...PEOPLES, ...LINKS, ...Object.keys(SAID)]

const WAYS: Record<string, { tables: readonly string[]; go: (account: Account) => Promise<unknown> }> = {
  'the undo of the deletion of all tasks': {
    tables: ALL.filter((table) => table !== 'task_history'),
    async go(account) {
      const by = { ...account, user_id: account.user, token_id: null }
      await removeAll(account.db, by, await ids(account))
      await restoreAll(account.db, by, await ids(account))
    },
  },
  'the undo of an import of everything': {
    tables: [...PEOPLES, ...Object.keys(SAID)],
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
  'the move of all failed builds to other streams': {
    // Each moved breakage and search says so in its history; see below.
    tables: ALL.filter((table) => table !== 'breakage_history'),
    async go(account) {
      await failOn(account, sql`'//depot/moved/' || id`)
      await reviewRanges(account.db, account)
      const stayed = await account.db.rows(sql`
        select k.id, k.state, k.branch from breakages k where (account_id, project_id) = (${account.account_id}::integer, ${account.project_id}::integer)
          and (branch not like '//depot/moved/%' or state <> 'muted')`)
      expect(stayed).toEqual([])
    },
  },
  'the move of all failed builds to one stream, where each breakage but the first meets another of the same cause': {
    // What stays is checked below: it goes along with the builds.
    tables: ALL.filter((table) => !['breakage_history', 'comments', 'breakages', 'breakage_occurrences'].includes(table)),
    async go(account) {
      await failOn(account, sql`'//depot/one'`)
      await account.db.execute(sql`update breakages set fingerprint = 'one' where account_id = ${account.account_id}`)
      await reviewRanges(account.db, account)
      const states = await account.db.rows<{ state: string; count: number }>(sql`
        select state, count(*)::integer as count from breakages
        where (account_id, project_id) = (${account.account_id}::integer, ${account.project_id}::integer) group by 1 order by 1`)
      expect(states).toMatchObject([{ state: 'muted', count: 1 }, { state: 'withdrawn' }])
    },
  },
  'retention after no day at all': {
    // Artifacts go after their days, and the links to them with them.
    tables: ALL.filter((table) => table !== 'share_links'),
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

/** Numbers may be others elsewhere: ids in columns, texts and JSON, and what refers to them. */
const withoutIds = (rows: readonly Row[]) =>
  rows
    .map((row) =>
      Object.entries(row).flatMap(([column, value]) => {
        if (column === 'id' || value === null) return []
        const isId = column in REFERENCES || typeof value === 'number'
        return `${column} ${
          isId
            ? 'set'
            : JSON.stringify(value)
                .replace(/"sealed":"[^"]+"/g, '"sealed"')
                .replace(/\d+/g, '#')
        }`
      }),
    )
    .map((row) => row.toSorted().join('\n'))
    .toSorted()

describe('an export that is loaded elsewhere', () => {
  let [here, there]: Record<string, Row[]>[] = []
  // Credentials only come along with one.
  const passphrase = 'correct horse battery staple'
  beforeAll(async () => {
    let text = ''
    await exportWorld(
      untouched.db,
      { account_id: untouched.account_id },
      { vault, passphrase, audience: 'operator' },
      async (part) => {
        text += part
      },
    )
    const target = await createDatabase()
    const { accounts } = await loadWorld(target.db, Readable.from([text]), { vault, passphrase })
    const loaded = { ...target, account_id: Object.values(accounts)[0]!.id } as Account
    opened.push(loaded)
    here = await rowsOf(untouched, ALL)
    there = await rowsOf(loaded, ALL)
  })
  test.each(ALL.filter((table) => TABLE_OWNERSHIP[table]!.left === undefined))('has all %s', (table) => {
    expect(withoutIds(there![table]!)).toEqual(withoutIds(here![table]!))
  })
})

describe('a backup that is restored elsewhere', () => {
  let [here, there]: Record<string, unknown>[] = []
  const all = [...PEOPLES, ...LINKS, ...OTHERS]
  /** As they are stored. */
  const sums = async ({ db }: TestDatabase) =>
    Object.fromEntries(
      await Promise.all(
        all.map(async (table) => [
          table,
          await db.one(
            sql`select count(*)::integer as rows, md5(string_agg(t::text, '|' order by t::text)) as sum from ${raw(table)} t`,
          ),
        ]),
      ),
    )
  beforeAll(async () => {
    const target = { ...untouched, ...(await createEmptyDatabase()) }
    opened.push(target)
    here = await sums(untouched)
    await restore(target.url, dump(untouched.url, { secretKey: null }), { log: { info: () => {}, warn: () => {} } })
    there = await sums(target)
  })
  // Its rows say when each migration was applied there.
  test.each(all.filter((table) => table !== 'schema_migrations'))('has all %s', (table) => {
    expect(there![table]).toEqual(here![table])
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

test('what was said about breakages that turn out to be one stands at the one', async () => {
  const own = await account()
  const { db, account_id, project_id, user } = own
  const place = sql`(${account_id}::integer, ${project_id}::integer)`
  const comments = () =>
    db.rows<{ id: number; breakage_id: number }>(sql`
      select id, breakage_id from comments where (account_id, project_id) = ${place} and breakage_id is not null order by id`)
  await failOn(own, sql`'//depot/one'`)
  const on = (await comments())[0]!.breakage_id
  // Nobody said anything about the one where they meet.
  await db.execute(sql`
    update breakages set fingerprint = 'one', branch = case when id = ${on} then branch else '//depot/one' end,
      state = case when id = ${on} then 'muted' else 'open' end, owner_user_id = case when id = ${on} then owner_user_id end,
      muted_until = case when id = ${on} then muted_until end, task_id = case when id = ${on} then task_id end
    where (account_id, project_id) = ${place}`)
  const said = await db.one<Row>(sql`select owner_user_id, claimed_at, muted_until, task_id from breakages where id = ${on}`)
  const before = await comments()
  await reviewRanges(db, own)
  const { same } = (await db.one<{ same: number }>(sql`
    select same_as_breakage_id as same from breakages where account_id = ${account_id} and id = ${on} and state = 'withdrawn'`))!
  expect(await comments()).toEqual(before.map(({ id }) => ({ id, breakage_id: same })))
  expect(
    await db.one(sql`
      select state, owner_user_id, claimed_at, muted_until, task_id from breakages where account_id = ${account_id} and id = ${same}`),
  ).toEqual({ ...said, state: 'muted' })
  expect(
    await db.rows(sql`
      select kind, detail ->> 'muted_until' is not null as is_until from breakage_history
      where account_id = ${account_id} and breakage_id = ${same} and kind in ('muted', 'claimed')`),
  ).toEqual([{ kind: 'muted', is_until: true }])
  expect(said).toMatchObject({ owner_user_id: user })
})
