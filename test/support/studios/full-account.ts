import { type Pool, reserveId, sql } from '../../../src/db/database.ts'
import { sealedIn, type Vault } from '../../../src/domain/privacy/secrets.ts'
import { nightOwl } from './night-owl.ts'

/** A studio with at least one row in every table that belongs to an account. */
export const fullWorld = {
  ...nightOwl,
  users: nightOwl.users.map((user) => ({ ...user, password: 'a long enough password' })),
  integrations: [
    ...((nightOwl as { integrations?: object[] }).integrations ?? []),
    {
      key: 'full',
      project: 'star',
      provider: 'jenkins',
      signing_secret: 'signed',
      config: { server: 'https://ci.example.com', user: 'gold', api_token: 'open sesame' },
      places: ['star/*'],
    },
  ],
}

const DAY = sql`'2026-10-05T12:00:00Z'::timestamptz`

/** Fills the tables that no world file describes, for the integration's account and project. */
export async function fillTables(db: Pool, vault: Vault, integrationId: number) {
  const { account_id, project_id } = (await db.one<{ account_id: number; project_id: number }>(sql`
    select p.account_id, p.id as project_id from integrations i join projects p on p.id = i.project_id where i.id = ${integrationId}`))!
  const { id: user } = (await db.one<{ id: number }>(sql`
    select user_id as id from account_members where account_id = ${account_id} order by user_id limit 1`))!
  const { id: build } = (await db.one<{ id: number }>(
    sql`select min(id) as id from build_runs where project_id = ${project_id}`,
  ))!
  const { id: change } = (await db.one<{ id: number }>(sql`select min(id) as id from changes where project_id = ${project_id}`))!
  const channel = await reserveId(db, 'destinations')
  const webhook = await reserveId(db, 'destinations')
  const owner = sql`${account_id}, ${project_id}`
  const statements = [
    sql`insert into connected_accounts (user_id, provider, uid) values (${user}, 'github', '4711')`,
    sql`insert into connected_account_confirmations (account_id, connected_account_id, confirmed_by)
        select ${account_id}, max(id), ${user} from connected_accounts where user_id = ${user}`,
    sql`insert into notification_preferences (user_id, kind, in_app, mail, chat) values (${user}, 'task', true, false, false)`,
    sql`insert into saved_views (account_id, user_id, name, path, query) values (${account_id}, ${user}, 'Mine', ${`/projects/${project_id}/tasks`}, '')`,
    sql`insert into task_history (account_id, project_id, task_id, user_id, changes)
        select ${owner}, min(id), ${user}, '{}' from tasks where project_id = ${project_id}`,
    sql`insert into deployment_history (account_id, project_id, deployment_id, kind, user_id, after, build_run_id, note)
        select account_id, project_id, id, 'status', ${user}, 'live', ${build}, 'seen' from deployments where project_id = ${project_id} limit 1`,
    sql`insert into audit_log (account_id, user_id, action) values (${account_id}, ${user}, 'editProject')`,
    sql`insert into failure_rules (account_id, rule_id, definition) values (${account_id}, 'own', '{"pattern": "boom"}')`,
    sql`insert into refused_requests (day, account_id, address, reason, count) values ('2026-10-05', ${account_id}, '192.0.2.1', 'rate_limited', 4)`,
    sql`insert into intake_usage (account_id, day, bytes) values (${account_id}, '2026-10-05', 4)`,
    sql`insert into destinations (id, account_id, kind, name, secret_sealed) overriding system value
        values (${channel}, ${account_id}, 'discord', 'builds', ${vault.seal('https://discord.example/x', sealedIn('destinations', channel, 'secret_sealed'))})`,
    sql`insert into channel_rules (account_id, channel_id, project_id, subject) values (${account_id}, ${channel}, ${project_id}, 'breakage')`,
    sql`insert into destinations (id, account_id, kind, url, secret_sealed) overriding system value
        values (${webhook}, ${account_id}, 'webhook', 'https://hook.example/', ${vault.seal('whsec_x', sealedIn('destinations', webhook, 'secret_sealed'))})`,
    sql`insert into sso_connections (account_id, issuer, client_id, client_secret_sealed)
        values (${account_id}, 'https://id.example.com', 'gold', ${vault.seal('hush', sealedIn('sso_connections', account_id, 'client_secret_sealed'))})`,
    sql`insert into sso_domains (domain, account_id) values ('full.example', ${account_id})`,
    sql`insert into ugs_tokens (account_id, project_id, name, prefix, hash) values (${owner}, 'sync', 'abcdefgh', sha256('x'))`,
    sql`insert into agent_mutes (account_id, project_id, agent, reason, user_id) values (${owner}, 'BUILD-07', 'disk full', ${user})`,
    sql`insert into branch_marks (account_id, project_id, branch, change_id, reason, user_id)
        values (${owner}, 'main', ${change}, 'played it', ${user})`,
    sql`insert into build_steps (account_id, build_run_id, name, status) values (${account_id}, ${build}, 'compile', 'failed')`,
    sql`insert into build_log_streams (account_id, build_run_id, stream, received, closed, received_at)
        values (${account_id}, ${build}, 's', 5, false, ${DAY})`,
    sql`insert into build_log_chunks (account_id, build_run_id, until, text) values (${account_id}, ${build}, 5, 'hello')`,
    sql`insert into passed_lines (account_id, build_run_id, log_size, hashes) values (${account_id}, ${build}, 5, '\\x0102')`,
    sql`insert into build_sizes (account_id, build_run_id, sizes) values (${account_id}, ${build}, '[["T_Lamp.png", 5]]')`,
    sql`insert into measure_alerts (account_id, project_id, kind, budget, measure, platform, unit, job, branch, value, allowed, build_run_id, user_id, opened_at, updated_at)
        values (${owner}, 'exceeded', '{}', 'package', 'Win64', 'bytes', 'Game', 'main', 5, 4, ${build}, ${user}, ${DAY}, ${DAY})`,
    sql`insert into test_builds (account_id, project_id, integration_id, ci_job_name, build_number, build_run_id, digests)
        values (${owner}, ${integrationId}, 'tests', '1', ${build}, array['\\x01'::bytea])`,
    sql`insert into test_reports (account_id, project_id, ci_job_name, name, platform, rhi, cases) values (${owner}, 'tests', '', '', '', 1)`,
    sql`insert into test_cases (account_id, project_id, test_report_id, number, identity, suite, class, name, occurrence)
        select ${owner}, max(id), 0, 5, 's', 'c', 'n', 1 from test_reports where account_id = ${account_id}`,
    sql`insert into test_runs (account_id, test_build_id, test_report_id, passed, failed, errors, skipped, flaky, duration_ms, outcomes, durations)
        select ${account_id}, max(b.id), max(r.id), 0, 1, 0, 0, 0, 5, '\\x02', '\\x0005' from test_builds b join test_reports r using (account_id)
        where account_id = ${account_id}`,
    sql`insert into test_failures (account_id, project_id, test_build_id, test_case_id, outcome, cause, place, message, details, output, file)
        select ${owner}, max(b.id), max(c.id), 'failed', 'boom', 'ai.cpp', 'boom', '', '', '' from test_builds b join test_cases c using (account_id)
        where account_id = ${account_id}`,
    sql`insert into flaky_tests (account_id, project_id, test_report_id, test_case_id, branch, flaky_runs, runs, last_test_build_id, last_failed_at)
        select ${owner}, max(c.test_report_id), max(c.id), 'main', 3, 60, max(b.id), ${DAY}
        from test_builds b join test_cases c using (account_id) where account_id = ${account_id}`,
    sql`insert into test_quarantines (account_id, project_id, test_case_id, reason, owner_user_id, user_id, until)
        select ${owner}, max(id), 'waits for a server', ${user}, ${user}, ${DAY} from test_cases where account_id = ${account_id}`,
    sql`insert into corrections (account_id, project_id, build_run_id, category, cleared_change_ids, user_id, corrected_at)
        values (${owner}, ${build}, 'network', array[${change}::bigint], ${user}, ${DAY})`,
    sql`insert into investigations (account_id, build_run_id, status, suspects, created_at, finished_at, correction_id)
        values (${account_id}, ${build}, 'completed', ${JSON.stringify([{ change_id: change, user_id: user, score: 1, reasons: [], reason_codes: [] }])}::jsonb, ${DAY}, ${DAY},
          (select id from corrections where account_id = ${account_id} and build_run_id = ${build}))`,
    sql`insert into branches (account_id, project_id, name, told, repository) values (${owner}, 'owl/tools:main', 'main', '2')`,
    sql`insert into change_branches (account_id, project_id, branch, change_id, arrived_at) values (${owner}, 'main', ${change}, ${DAY})`,
    sql`insert into imports (account_id, project_id, integration_id, state, since, until, created_by_user_id, finished_at)
        values (${owner}, ${integrationId}, 'done', ${DAY}, ${DAY}, ${user}, ${DAY})`,
    sql`insert into external_references (account_id, project_id, integration_id, provider, key, title, state, url)
        values (${owner}, ${integrationId}, 'jira', 'OWL-1', 'A title', 'open', 'https://jira.example/OWL-1')`,
    sql`insert into deliveries (account_id, integration_id, received_at, path, event, dedupe_key, counts, outcome, status, headers, body, records, milliseconds)
        values (${account_id}, ${integrationId}, ${DAY}, 'jenkins', 'build', 'k', true, 'processed', 200, '{}', '\\xdeadbeef',
          ${JSON.stringify([{ type: 'build_run', id: build }])}::jsonb, 3)`,
    sql`insert into notifications (user_id, account_id, project_id, kind, subject, subject_id, title, path, in_app, at)
        select ${user}, ${owner}, 'task', 'task', t.id::text, 'A task', '/projects/' || t.project_id || '/tasks/' || t.id, true, ${DAY}
        from tasks t where t.project_id = ${project_id} order by t.id limit 1`,
    sql`insert into task_changes (account_id, task_id, change_id) select ${account_id}, min(id), ${change} from tasks where project_id = ${project_id} on conflict do nothing`,
    sql`insert into task_build_runs (account_id, task_id, build_run_id) select ${account_id}, min(id), ${build} from tasks where project_id = ${project_id} on conflict do nothing`,
    sql`insert into task_deployments (account_id, task_id, deployment_id) select ${account_id}, (select min(id) from tasks where project_id = ${project_id}),
        (select id from deployments where project_id = ${project_id} limit 1) on conflict do nothing`,
    sql`insert into comments (account_id, project_id, task_id, user_id, body, mentions)
        select ${owner}, min(id), ${user}, 'A comment', array[${user}::integer] from tasks where project_id = ${project_id}`,
    sql`insert into file_contents (account_id, sha256, bytes, content)
        values (${account_id}, sha256('a file'), 6, 'a file')`,
    sql`insert into files (account_id, project_id, comment_id, sha256, bytes, name, type)
        select ${owner}, min(id), sha256('a file'), 6, 'a.txt', 'text/plain' from comments where project_id = ${project_id}`,
    sql`insert into previews (account_id, project_id, asset_id, version, change_id, state, kind, original_sha256, original_bytes, original_type)
        select ${owner}, id, version, ${change}, 'ready', 'text', sha256('a file'), 6, 'text/plain' from assets where project_id = ${project_id} limit 1`,
    sql`insert into file_contents (account_id, sha256, bytes, content)
        values (${account_id}, sha256('a game'), 6, 'a game')`,
    sql`insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes, received, completed_at, sha256)
        values (${owner}, ${build}, 'Game.zip', 'one', 6, 6, now(), sha256('a game'))`,
    sql`insert into artifact_pieces (account_id, artifact_id, start, bytes, sha256)
        select account_id, id, 0, 6, sha256('a game') from artifacts where project_id = ${project_id}`,
    sql`insert into comment_reactions (account_id, comment_id, user_id, reaction)
        select ${account_id}, min(id), ${user}, '👍' from comments where project_id = ${project_id}`,
    // A running one would be canceled by a move.
    sql`update bisections set status = 'stuck' where account_id = ${account_id}`,
    sql`insert into bisection_builds (account_id, bisection_id, number, project_id, build_run_id, change_id, verdict)
        select account_id, min(id), 1, project_id, ${build}, ${change}, 'bad' from bisections where project_id = ${project_id} group by account_id, project_id`,
    sql`insert into ugs_sequences (account_id, project_id, sequence) values (${owner}, 7)`,
    sql`insert into ugs_changes (account_id, project_id, path, change, sequence) values (${owner}, '//star/main', 5, 7)`,
    sql`insert into ugs_badges (account_id, project_id, path, change, name, state, url, sequence)
        values (${owner}, '//star/main', 5, 'Editor', 'Success', '', 7)`,
    sql`insert into ugs_user_metadata (account_id, project_id, path, change, user_key, user_name, sequence)
        values (${owner}, '//star/main', 5, 'ann', 'Ann', 7)`,
  ]
  for (const statement of statements) await db.execute(statement)
  return { account_id, project_id, user, channel }
}
