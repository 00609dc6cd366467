import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { until } from '../../test/support/until.ts'
import { CHANNEL_KINDS } from '../contract/channels.ts'
import { type ObjectStore, openDatabase, type Pool, raw, type Sql, sql } from '../db/database.ts'
import { LEASES } from '../db/queue.ts'
import { RETENTION_DEFAULTS } from '../domain/accounts/retention-days.ts'
import { sequence } from '../domain/feed/sequencer.ts'
import { folderFiles } from '../domain/files/file-store.ts'
import { readOutbox } from '../domain/inbox/outbox-readers.ts'
import { judged } from '../domain/operations/areas.ts'
import { readStatus } from '../domain/operations/status.ts'
import { enqueueMessages } from '../domain/webhooks/webhook-messages.ts'
import { allowedHosts } from '../net/addresses.ts'
import { startMovingObjects } from './object-moving.ts'
import { startIndexing } from './search-indexing.ts'
import { startSender } from './sending/sender.ts'
import { SCHEDULED } from './worker.ts'

/** Work over several accounts, one of which fails on each of its writes to a table. */
interface Case {
  /** For the account `a` with the user `u` and the project `p`. */
  fill: Sql
  after?: Sql
  /** The table whose rows of the poisoned account can't be written, and their account. */
  poisons: string
  column?: string
  /** The accounts for which it is done. */
  done: Sql
  run?: () => Promise<unknown>
}

const KEYS = ['owl', 'fox', 'elk'] as const
let studio: Studio
let folder: string
/** With a file store. */
let db: Pool
beforeAll(async () => {
  studio = await openStudio({
    accounts: KEYS.map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
    users: KEYS.map((key) => ({ key, email: `${key}@example.com`, name: key, accounts: { [key]: 'owner' } })),
    projects: KEYS.map((key) => ({ key, account: key, name: key })),
    integrations: KEYS.map((key) => ({ key, project: key, provider: 'jenkins' })),
    // A green change with a later one behind it.
    changes: KEYS.flatMap((key) =>
      ['c1', 'c2'].map((identifier, i) => ({
        ...{ key: `${key} ${identifier}`, project: key, identifier, source_type: 'GitCommit', author: key, description: 'Cook' },
        ...{ branches: ['main'], timestamp: `2026-01-0${i + 1}T00:00:00Z` },
      })),
    ),
    build_runs: KEYS.map((key) => ({
      ...{ key, project: key, integration: key, ci_job_name: 'Cook', build_number: '1', status: 'completed' },
      ...{ branch: 'main', commit_hash: 'c1' },
    })),
    assets: KEYS.map((key) => ({ key, project: key, name: 'T', path: 'T.png', asset_type: 'texture' })),
  })
  folder = await mkdtemp(join(tmpdir(), 'goldmaster-'))
  db = openDatabase(studio.url, { files: folderFiles(folder) })
  await db.execute(sql`
    create function poison() returns trigger language plpgsql as $$
    begin
      if to_jsonb(coalesce(new, old)) ->> tg_argv[0] = tg_argv[1] then raise exception 'The account is poisoned.'; end if;
      return coalesce(new, old);
    end $$`)
})
afterAll(async () => {
  await db.close()
  await studio.close()
  await rm(folder, { recursive: true })
})

const account = (key: string) => Number(studio.world.accounts![key]!.id)
const context = () => ({
  db,
  vault: studio.service.vault,
  log: pino({ level: 'silent' }),
  allowed: allowedHosts([]),
  site: 'https://gold.example',
  retention: { ...RETENTION_DEFAULTS, notifications: 30 },
})
const old = sql`now() - interval '400 days'`
const outboxRow = (type: string, row: Sql) => sql`
  insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
  select a.id, p.id, ${type}, ${row}, ${type}, now(), '{}' from accounts a join projects p on p.account_id = a.id`
const ofEach = sql`from accounts a join projects p on p.account_id = a.id join users u on u.default_account_id = a.id`

const CASES: Record<string, Case> = {
  sweep_trials: {
    fill: sql`update accounts set payment_method = false, trial_ends_at = ${old}`,
    poisons: 'accounts',
    column: 'id',
    done: sql`select id as account_id from accounts where swept_at is not null`,
  },
  mark_lost_builds: {
    fill: sql`
      insert into build_runs (account_id, project_id, status, ci_job_name, build_number, updated_at)
      select a.id, p.id, 'building', 'Lost', '1', ${old} ${ofEach}`,
    after: sql`update running_builds set heard_at = ${old}`,
    poisons: 'build_runs',
    done: sql`select account_id from build_runs where lost_at is not null`,
  },
  recompute_breakages_overdue: {
    fill: sql`
      insert into breakages (account_id, project_id, fingerprint, branch, opened_at, last_seen_at, muted_until)
      select a.id, p.id, 'f', 'main', ${old}, ${old}, ${old} ${ofEach}`,
    poisons: 'breakages',
    done: sql`select account_id from breakages where state = 'withdrawn' or state = 'fixed' or muted_until is null`,
  },
  judge_all_measures: {
    fill: sql`update projects set measure_budgets = '[{"name": "cook", "max": 1}]'`,
    poisons: 'jobs',
    done: sql`select account_id from jobs where kind = 'judge_measures'`,
  },
  announce_ended_quarantines: {
    fill: sql`
      with report as (
          insert into test_reports (account_id, project_id, ci_job_name, name, platform, rhi)
          select a.id, p.id, 'Cook', 'unit', '', '' ${ofEach} returning account_id, project_id, id),
        tested as (
          insert into test_cases (account_id, project_id, test_report_id, number, identity, suite, class, name, occurrence)
          select account_id, project_id, id, 1, 1, '', '', 'walks', 0 from report returning account_id, project_id, id)
      insert into test_quarantines (account_id, project_id, test_case_id, reason, owner_user_id, until)
      select t.account_id, t.project_id, t.id, 'flaky', u.id, now() - interval '1 day'
      from tested t join users u on u.default_account_id = t.account_id`,
    poisons: 'notifications',
    done: sql`select account_id from notifications where kind = 'quarantine'`,
  },
  send_digests: {
    fill: sql`update users set daily_digest = true, timezone = (
      select name from pg_timezone_names where name like 'Etc/GMT%' and extract(hour from now() at time zone name) = 12 limit 1)`,
    poisons: 'users',
    column: 'default_account_id',
    done: sql`select default_account_id as account_id from users where digested_at is not null`,
  },
  purge_notifications: {
    fill: sql`
      insert into notifications (user_id, account_id, project_id, kind, subject, subject_id, title, path, in_app, at)
      select u.id, a.id, p.id, 'quarantine', 'test', '1', 'T', '/', true, ${old} ${ofEach}`,
    poisons: 'notifications',
    done: sql`select a.id as account_id from accounts a where not exists (select from notifications n where n.account_id = a.id)`,
  },
  purge_expired: {
    fill: sql`insert into exports (account_id, user_id, whole, secrets, expires_at) select a.id, u.id, true, false, ${old} ${ofEach}`,
    poisons: 'exports',
    done: sql`select a.id as account_id from accounts a where not exists (select from exports e where e.account_id = a.id)`,
  },
  seal_audit_logs: {
    fill: sql`insert into audit_log (account_id, action) select a.id, 'createTask' ${ofEach}`,
    poisons: 'audit_log',
    done: sql`select account_id from audit_log where position is not null`,
  },
  sweep_files: {
    fill: sql`insert into file_contents (account_id, sha256, bytes, used_at) select a.id, ${Buffer.alloc(32)}, 1, ${old} ${ofEach}`,
    poisons: 'file_contents',
    done: sql`select a.id as account_id from accounts a where not exists (select from file_contents f where f.account_id = a.id)`,
  },
  give_up_previews: {
    fill: sql`
      insert into previews (account_id, project_id, asset_id, version, created_at)
      select account_id, project_id, id, 1, ${old} from assets`,
    poisons: 'previews',
    done: sql`select account_id from previews where state = 'none'`,
  },
  advance_bisections: {
    fill: sql`
      with breakage as (
        insert into breakages (account_id, project_id, fingerprint, branch, opened_at, last_seen_at)
        select a.id, p.id, 'f', 'main', now(), now() ${ofEach} returning account_id, project_id, id)
      insert into bisections (account_id, project_id, breakage_id, occurrence, job, branch, suspects, failures)
      select account_id, project_id, id, 1, 'Cook', 'main', '[]', 1 from breakage`,
    poisons: 'jobs',
    done: sql`select account_id from jobs where kind = 'advance_bisection'`,
  },
  start_polls: {
    fill: sql`update integrations set provider = 'horde', config = '{"server": "https://horde.example", "streams": "main"}'`,
    poisons: 'jobs',
    done: sql`select account_id from jobs where kind = 'poll_horde'`,
  },
  resume_imports: {
    fill: sql`
      insert into imports (account_id, project_id, integration_id, since, until, part, updated_at)
      select i.account_id, i.project_id, i.id, ${old}, now(), 'builds', ${old} from integrations i`,
    poisons: 'jobs',
    done: sql`select account_id from jobs where kind = 'read_import'`,
  },
  look_for_gaps: {
    fill: sql`update integrations set provider = 'jenkins', config = '{"server": "https://ci.example", "username": "a", "api_token": "b"}'`,
    poisons: 'imports',
    done: sql`select account_id from imports where nightly`,
  },
  announce_stale_branches: {
    fill: sql`
      with room as (
        insert into destinations (account_id, kind, name) select a.id, 'discord', 'builds' ${ofEach} returning account_id, id)
      insert into channel_rules (account_id, channel_id, project_id, subject, hours)
      select r.account_id, r.id, p.id, 'last_known_good', 1 from room r join projects p on p.account_id = r.account_id`,
    poisons: 'messages',
    done: sql`select account_id from messages`,
  },
  'outbox: fixes': {
    fill: outboxRow('task.created', sql`'1'`),
    poisons: 'outbox_heads',
    done: sql`select account_id from outbox_heads where fixes = position`,
    run: () => readOutbox(db, context()),
  },
  'outbox: channels': {
    // An entry that channels can't read: its record has no number.
    fill: outboxRow('breakage.opened', sql`case when a.name = 'owl' then 'x' else '1' end`),
    poisons: '',
    done: sql`select account_id from outbox_heads where channels = position and inbox = position`,
    run: () => readOutbox(db, context()),
  },
  'event positions': {
    fill: outboxRow('task.created', sql`'1'`),
    poisons: 'outbox',
    done: sql`select account_id from outbox where position is not null`,
    run: () => sequence(db),
  },
  'webhook messages': {
    fill: sql`
      with hook as (insert into destinations (account_id, kind, url) select a.id, 'webhook', 'https://a.example' ${ofEach} returning account_id)
      insert into tasks (account_id, project_id, title) select h.account_id, p.id, 'T' from hook h join projects p on p.account_id = h.account_id`,
    poisons: 'messages',
    done: sql`select account_id from messages`,
    run: () => enqueueMessages(db),
  },
}

const LEFT = [
  'jobs',
  'outbox',
  'search_queue',
  'notifications',
  'breakages',
  'messages',
  'destinations',
  'tasks',
  'failing_accounts',
  'imports',
  'mails',
]
beforeAll(async () => {
  for (const table of LEFT) await db.execute(sql`delete from ${raw(table)}`)
})
afterEach(async () => {
  await db.execute(sql`do $$ declare t record; begin
    for t in select tgrelid::regclass as name from pg_trigger where tgname = 'poison' loop execute format('drop trigger poison on %s', t.name); end loop; end $$`)
  await db.execute(sql`update accounts set swept_at = null, trial_ends_at = null`)
  for (const table of LEFT) await db.execute(sql`delete from ${raw(table)}`)
})

/** From now on no row of the first account can be written to the table. */
const poison = (table: string, column: string) =>
  db.execute(sql`
    create trigger poison before insert or update or delete on ${raw(table)} for each row execute function poison('${raw(column)}', '${raw(String(account('owl')))}')`)

describe('one poisoned account', () => {
  test.each(Object.keys(CASES))('leaves %s to all others within one round', async (work) => {
    const { fill, after, poisons, column = 'account_id', done, run } = CASES[work]!
    await db.execute(fill)
    if (after) await db.execute(after)
    if (work.startsWith('outbox:') || work === 'webhook messages') await sequence(db)
    if (poisons !== '') await poison(poisons, column)
    await (run ?? (() => SCHEDULED[work]!(context(), null as never)))()
    const accounts = (await db.rows<{ account_id: number }>(sql`select distinct account_id from (${done}) d order by 1`)).map(
      ({ account_id }) => account_id,
    )
    expect(accounts).toEqual([account('fox'), account('elk')])
  })

  test('is tried again alone, after growing pauses, until it works', async () => {
    const { fill, done } = CASES.sweep_trials!
    await db.execute(fill)
    await poison('accounts', 'id')
    const failing = () =>
      db.rows(sql`
        select account_id, work, failures, error, rest_until > now() + make_interval(secs => 4 * failures) as rests from failing_accounts`)
    const first = {
      account_id: account('owl'),
      work: 'sweep_trials',
      failures: 1,
      error: 'The account is poisoned.',
      rests: true,
    }
    // The second time it rests.
    for (let round = 0; round < 2; round++) {
      await SCHEDULED.sweep_trials!(context(), null as never)
      expect(await failing()).toEqual([first])
    }
    await db.execute(sql`update failing_accounts set rest_until = now()`)
    await SCHEDULED.sweep_trials!(context(), null as never)
    expect(await failing()).toEqual([{ ...first, failures: 2 }])
    await db.execute(sql`drop trigger poison on accounts`)
    await db.execute(sql`update failing_accounts set rest_until = now()`)
    await SCHEDULED.sweep_trials!(context(), null as never)
    expect(await failing()).toEqual([])
    expect(await db.rows(done)).toHaveLength(3)
  })

  test('is shown to operators', async () => {
    await db.execute(CASES.sweep_trials!.fill)
    await poison('accounts', 'id')
    await SCHEDULED.sweep_trials!(context(), null as never)
    const status = await readStatus(db, { retention: RETENTION_DEFAULTS })
    expect(judged(status).find(({ name }) => name === 'accounts')).toMatchObject({
      level: 'warn',
      text: 'sweep_trials fails for account owl: The account is poisoned.',
    })
  })
})

/** Whatever goes on until it is stopped. Nothing outside is called: what counts is whose turn it was. */
const LANES: Record<string, Case & { work: string; start: () => { stop(): Promise<void> } }> = {
  ...Object.fromEntries(
    ['webhook', 'audit_stream', ...CHANNEL_KINDS].map((kind) => [
      `destinations: ${kind}`,
      {
        fill: sql`
          with receiver as (
            insert into destinations (account_id, kind, url, room) select a.id, ${kind}, 'https://10.0.0.1/', 'C0BUILDS' ${ofEach} returning account_id, id),
          entry as (insert into audit_log (account_id, action) select account_id, 'createTask' from receiver)
          insert into messages (account_id, destination_id, event_id, event_type, payload, project_id, subject, subject_id)
          select r.account_id, r.id, ${kind === 'webhook' ? sql`'evt_1', 'task.created', '{}'::json, p.id, null, null` : sql`null, null, null, p.id, 'breakage', '99'`}
          from receiver r join projects p on p.account_id = r.account_id`,
        // Whatever is recorded about it.
        poisons: kind === 'audit_stream' ? 'destinations' : 'messages',
        done:
          kind === 'audit_stream'
            ? sql`select account_id from destinations where tries > 0`
            : sql`select account_id from messages where status = 'failed' or tries > 0`,
        work: 'send_messages:',
        start: () => startSender(context()),
      },
    ]),
  ),
  mails: {
    // The poisoned account has most, and they were there first.
    fill: sql`
      insert into mails (account_id, to_address, subject, text, next_at)
      select a.id, 'a' || n || '@example.com', 'S', 'T', now() - interval '1 hour' + a.id * interval '1 minute'
      from accounts a, generate_series(1, case a.name when 'owl' then 40 else 2 end) n`,
    poisons: 'mails',
    done: sql`select account_id from mails group by 1 having bool_and(sent_at is not null)`,
    work: 'send_mails',
    start: () => startSender({ ...context(), post: async () => {} }),
  },
  objects: {
    fill: sql`
      update build_runs set output_log = (select string_agg(md5(n::text), '') from generate_series(1, 1000) n),
        created_at = now() - interval '2 hours', finished_at = now() - interval '2 hours', updated_at = now() - interval '2 hours'`,
    poisons: 'build_runs',
    done: sql`select account_id from build_runs where log_object is not null`,
    work: 'move_to_objects',
    start: () => startMovingObjects({ db, log: context().log, objects: keeping, pauses: { idle: 10, first: 60_000 } }),
  },
  search: {
    fill: sql`insert into search_queue (account_id, kind, record_id) select account_id, 'build', id::text from build_runs`,
    poisons: 'search_queue',
    done: sql`select a.id as account_id from accounts a where not exists (select from search_queue s where s.account_id = a.id)`,
    work: 'index_search',
    start: () => startIndexing(context()),
  },
}

/** An object store that takes everything. */
const keeping = { put: async () => {}, remove: async () => {} } as unknown as ObjectStore

describe('one poisoned account among those that are served all the time', () => {
  test.each(Object.keys(LANES))('leaves %s to all others, rests and is shown', async (lane) => {
    const { fill, poisons, done, work, start } = LANES[lane]!
    await db.execute(fill)
    await poison(poisons, 'account_id')
    const served = async () =>
      (await db.rows<{ account_id: number }>(sql`select distinct account_id from (${done}) d order by 1`)).map(
        ({ account_id }) => account_id,
      )
    const failing = () =>
      db.rows(sql`
        select distinct account_id, regexp_replace(work, '\\d+$', '') as work, rest_until > now() as rests from failing_accounts`)
    const running = start()
    try {
      await until(async () => (await served()).length === 2 && (await failing()).length > 0)
      expect(await served()).toEqual([account('fox'), account('elk')])
      expect(await failing()).toEqual([{ account_id: account('owl'), work, rests: true }])
      const status = await readStatus(db, { retention: RETENTION_DEFAULTS })
      expect(judged(status).find(({ name }) => name === 'accounts')).toMatchObject({
        level: 'warn',
        text: expect.stringMatching(`^${work}\\d* fails for account owl: The account is poisoned.$`),
      })
    } finally {
      await running.stop()
    }
  })

  test('is every one of them', () => {
    const served = Object.keys(LANES).map((lane) => lane.split(':')[0])
    // Backups are of the service itself.
    expect([...new Set(served)].toSorted()).toEqual(
      [...Object.keys(LEASES).filter((lease) => lease !== 'backups'), 'search'].toSorted(),
    )
  })
})

test('a store that is away is no fault of the accounts: all pause', async () => {
  await db.execute(LANES.objects!.fill)
  let asked = 0
  const away = async () => {
    asked++
    throw new Error('away')
  }
  const pauses = { idle: 10, first: 60_000 }
  const moving = startMovingObjects({ db, log: context().log, objects: { ...keeping, put: away }, pauses })
  await until(async () => asked >= 2)
  await moving.stop()
  expect((await db.rows(sql`select from failing_accounts`)).length).toBeLessThan(2)
})

test('every scheduled work over accounts is among these', () => {
  const others = Object.keys(SCHEDULED).filter((work) => !(work in CASES) && !work.startsWith('purge_'))
  // Rows of the service itself.
  expect(others).toEqual(['record_sizes'])
})

test('fifty busy accounts do not starve the one after them', async () => {
  const busy = 60
  await db.execute(sql`
    insert into outbox_heads (account_id, position, identity, read_at)
    select 1000 + n, 1000000, 'test', now() - interval '1 minute' from generate_series(1, ${busy}::integer) n`)
  const read = async () => {
    await readOutbox(db, context())
    // All of them have new events after each round.
    await db.execute(sql`update outbox_heads set position = position + 1 where account_id > 1000`)
    const left = await db.rows<{ account_id: number }>(
      sql`select account_id from outbox_heads where account_id > 1000 and inbox = 0`,
    )
    return left.length
  }
  expect([await read(), await read()]).toEqual([busy - 50, 0])
  await db.execute(sql`delete from outbox_heads where account_id > 1000`)
})
