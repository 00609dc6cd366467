import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { moveTimes } from '../../test/support/aging.ts'
import { type FakeJenkins, jenkinsFixture, json, openJenkins, progressive } from '../../test/support/servers/jenkins.ts'
import { scratch, standIn } from '../../test/support/stand-in.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { type Database, type Pool, sql } from '../db/database.ts'
import type { JobKind, Jobs } from '../db/queue.ts'
import * as exports from '../domain/accounts/exports.ts'
import * as outbox from '../domain/feed/outbox.ts'
import { sequenceAll } from '../domain/feed/sequencer.ts'
import { readOutbox } from '../domain/inbox/outbox-readers.ts'
import * as integrations from '../domain/integrations/integrations.ts'
import * as webhooks from '../domain/integrations/webhook-access.ts'
import { dueLanes, writeToAddress } from '../domain/mail/mails.ts'
import { receive } from '../intake/receive.ts'
import { allowedHosts } from '../net/addresses.ts'
import { openBreaker } from './breaker.ts'
import { sendNext } from './sending/mail.ts'
import { WORK, type WorkerContext } from './worker.ts'

const LOG = 'Combat.cpp(540): error C2065: undeclared\n'
const DESCRIBED = { code: 'stat', change: '7', user: 'kim', desc: 'Paint', depotFile0: '//d/T_7.png', action0: 'add', rev0: '1' }

let studio: Studio
let jenkins: FakeJenkins
let mails: string[]
const { folder, remove } = scratch()
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', credits: 500, daily_limit: 400 }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: ['write:builds'] }],
  })
})
afterAll(async () => {
  await studio.close()
  remove()
})
beforeEach(async () => {
  jenkins = await openJenkins()
  mails = []
})
afterEach(() => jenkins.close())

/** Runs for this many steps, where sending a statement and receiving its result is a step each; then the connection is dead. */
function mortal(db: Database, steps: number): Database {
  let left = steps
  const step = async <T>(act: () => Promise<T>): Promise<T> => {
    const live = () => {
      if (left-- <= 0) throw new Error('killed')
    }
    live()
    const answer = await act()
    live()
    return answer
  }
  const over = (db: Database): Database => ({
    files: db.files,
    rows: (query, how) => step(() => db.rows(query, how)),
    one: (query, how) => step(() => db.one(query, how)),
    execute: (query, how) => step(() => db.execute(query, how)),
    transaction: (work) => step(() => db.transaction((db) => work(over(db)))),
    isDistributed: () => db.isDistributed(),
    origin: db.origin,
  })
  return over(db)
}

const context = (db: Database): WorkerContext & { p4: string } => ({
  db: db as Pool,
  vault: studio.service.vault,
  log: studio.service.log,
  allowed: allowedHosts(['127.0.0.1']),
  site: 'https://gold.example',
  p4: standIn(folder, 'p4', `console.log(${JSON.stringify(JSON.stringify(DESCRIBED))})`),
  post: async ({ id }) => mails.push(String(id)),
})

const load = async (provider: string, config: object = {}) => {
  // Those of the steps before would write back too.
  await studio.db.execute(sql`update integrations set write_back = false where write_back`)
  return (await studio.load({ integrations: [{ key: 'it', project: studio.world.projects!.star!.id, provider, config }] }))
    .integrations!.it as unknown as { id: number; webhook_token: string }
}
const tell = async (path: string, { webhook_token }: { webhook_token: string }, body: object) =>
  (await studio.ask(`/webhooks/${path}?token=${webhook_token}`, { method: 'POST', body })).json
const waiting = (kind: JobKind) =>
  studio.db.rows<{ payload: never }>(sql`
    select payload from jobs where kind = ${kind} and state in ('scheduled', 'waiting')`)
const rows = (query: ReturnType<typeof sql>) => studio.db.rows<Record<string, unknown>>(query)
const forgetChanges = async () => {
  await studio.db.execute(sql`delete from changes`)
  await studio.db.execute(sql`delete from assets`)
}
const forgetAll = () => studio.db.execute(sql`delete from jobs`)
const account = () => studio.world.accounts!.owl!.id as number
const triggered = async () => {
  const delivered = await tell('ci/commit_trigger', await load('jenkins', { server: jenkins.url }), {
    job_name: 'night',
    commit: 'abc',
  })
  return { account_id: account(), build_run_id: delivered.records[0].id as number }
}
const stateOf = (build: number) => rows(sql`select status, build_number, output_log from build_runs where id = ${build}`)

/** A failed build at a change that touches the file in its log. */
const brokenBuild = async () => {
  await forgetChanges()
  const project = studio.world.projects!.star!.id
  const files = [{ path: 'Source/Combat.cpp', action: 'edit' }]
  const made = await studio.load({
    changes: [{ key: 'c', project, identifier: 'c1', source_type: 'GitCommit', author: 'kim', files, branches: ['main'] }],
    build_runs: [
      { key: 'b', project, status: 'failed', ci_job_name: 'Cook', branch: 'main', commit_hash: 'c1', output_log: LOG },
    ],
  })
  return { broken: Number(made.build_runs!.b!.id), culprit: Number(made.changes!.c!.id) }
}

type Case<K extends JobKind> = () => Promise<{ payload: Jobs[K]; effect: () => Promise<unknown> }>
const CASES: { [K in JobKind]: [make: Case<K>, effect: unknown] } = {
  ingest: [
    async () => {
      await forgetChanges()
      const delivered = await tell('perforce', await load('perforce'), { changelist: 5, user: 'kim', files: ['//d/T_5.png'] })
      const effect = () =>
        rows(sql`
          select d.outcome, (select sum(version) from assets where path = '//d/T_5.png') as versions from deliveries d
          where id = ${Number(delivered.delivery_id)}`)
      return { payload: { account_id: studio.world.accounts!.owl!.id, delivery_id: Number(delivered.delivery_id) }, effect }
    },
    [{ outcome: 'processed', versions: 1 }],
  ],
  catch_up: [
    async () => {
      const it = await load('jenkins')
      const integration = await webhooks.open(studio.db, studio.service.vault, it.webhook_token, 'jenkins')
      const behind = { ...integration, is_behind: true }
      for (const body of [
        { job_name: 'behind', build_number: 1, status: 'STARTED' },
        { job_name: 'behind', build_number: 1, status: 'SUCCESS', log: 'line\n'.repeat(2_000) },
      ]) {
        const raw = Buffer.from(JSON.stringify(body))
        const headers = { 'content-type': 'application/json' }
        const received = await receive(studio.db, behind, { path: 'ci', headers, raw, url: '', received: new Date() })
        expect(received).toMatchObject({ delivered: { status: 'accepted' } })
      }
      const effect = () =>
        rows(sql`
          select d.outcome, d.status, d.deferred, d.facts, d.body_note, b.status as build, length(b.output_log) as log
          from deliveries d join build_runs b on b.integration_id = d.integration_id where d.integration_id = ${it.id} order by d.id`)
      return { payload: { account_id: account(), integration_id: it.id }, effect }
    },
    [null, 'log'].map((body_note) => ({
      outcome: 'processed',
      status: 200,
      deferred: true,
      facts: null,
      body_note,
      build: 'completed',
      log: 10_000,
    })),
  ],
  fetch_previews: [
    async () => {
      await forgetChanges()
      const { id } = await load('perforce', { server: 'ssl:127.0.0.1:1666', user: 'gold' })
      await studio.db.execute(sql`
        with c as (
          insert into changes (account_id, project_id, integration_id, source_type, identifier, author, description, timestamp)
          select p.account_id, p.id, ${id}, 'Changelist', '8', '', '', now() from projects p returning *),
        a as (
          insert into assets (account_id, project_id, name, path, asset_type, last_change_id)
          select account_id, project_id, 'T_8.json', '//d/T_8.json', 'config', id from c returning *)
        insert into previews (account_id, project_id, asset_id, version, change_id)
        select account_id, project_id, id, version, last_change_id from a`)
      const effect = () =>
        rows(sql`
        select p.state, p.kind, p.original_bytes > 0 as has_text from previews p
          join assets a on a.account_id = p.account_id and a.id = p.asset_id where a.path = '//d/T_8.json'`)
      return { payload: { account_id: account(), integration_id: id }, effect }
    },
    [{ state: 'ready', kind: 'text', has_text: true }],
  ],
  describe_changelist: [
    async () => {
      await forgetChanges()
      const { id } = await load('perforce', { server: 'ssl:127.0.0.1:1666', user: 'gold' })
      const [row] = await rows(sql`
        insert into changes (account_id, project_id, integration_id, source_type, identifier, author, description, timestamp)
        select p.account_id, p.id, ${id}, 'Changelist', '7', '', '', now() from projects p returning id`)
      const effect = () =>
        rows(sql`
          select c.author, a.version from changes c left join assets a on a.account_id = c.account_id and a.path = '//d/T_7.png'
          where c.identifier = '7'`)
      return { payload: { account_id: account(), change_id: row!.id as number }, effect }
    },
    [{ author: 'kim', version: 1 }],
  ],
  read_streams: [
    async () => {
      const { id } = await load('perforce', { server: 'ssl:127.0.0.1:1666', user: 'gold' })
      const effect = () => rows(sql`select streams_at is not null as is_asked from integrations where id = ${id}`)
      return { payload: { account_id: account(), integration_id: id as number }, effect }
    },
    [{ is_asked: true }],
  ],
  read_log: [
    async () => {
      const project = studio.world.projects!.star!.id
      const output_log = 'LogCook: Display: Cook by the book total time 36.5'
      const { build_runs } = await studio.load({ build_runs: [{ key: 'b', project, status: 'completed', output_log }] })
      const build_run_id = Number(build_runs!.b!.id)
      const effect = () =>
        rows(sql`select value ->> 'value' as seconds from build_runs b, jsonb_each(b.measures) where b.id = ${build_run_id}`)
      return { payload: { account_id: account(), build_run_id }, effect }
    },
    [{ seconds: '36.5' }],
  ],
  judge_measures: [
    async () => {
      const project = studio.world.projects!.star!.id
      const job = randomUUID()
      const measures = [{ name: 'package', value: 5, unit: 'bytes' }]
      // A single value may be an outlier.
      const build_runs = ['1', '2'].map((key) => ({
        key,
        build_number: key,
        project,
        status: 'completed',
        ci_job_name: job,
        measures,
      }))
      await studio.load({ build_runs })
      const budget = {
        measure: 'package',
        job,
        branch: '',
        platform: '',
        configuration: '',
        unit: 'bytes',
        max_value: 4,
        max_growth: null,
        store: '',
        track: '',
      }
      await studio.db.execute(sql`update projects set measure_budgets = ${JSON.stringify([budget])}::jsonb where id = ${project}`)
      const effect = () => rows(sql`select kind, state, value from measure_alerts where job = ${job}`)
      return { payload: { account_id: account(), project_id: Number(project), job }, effect }
    },
    [{ kind: 'exceeded', state: 'open', value: 5 }],
  ],
  judge_tests: [
    async () => {
      const ci = await load('jenkins')
      const job = randomUUID()
      const build = { job_name: job, branch: 'main', commit: 'c1', status: 'SUCCESS' }
      for (const [number, inside] of [
        ['1', '<failure message="late"/>'],
        ['2', ''],
      ] as const) {
        await tell('ci', ci, { ...build, build_number: number })
        await studio.ask(`/webhooks/tests?token=${ci.webhook_token}&job_name=${job}&build_number=${number}`, {
          method: 'POST',
          raw: `<testsuite name="Net"><testcase name="joins">${inside}</testcase></testsuite>`,
          headers: { 'content-type': 'application/xml' },
        })
      }
      const [{ id }] = (await rows(sql`select max(id) as id from test_builds`)) as [{ id: number }]
      return {
        payload: { account_id: account(), test_build_id: id },
        effect: () => rows(sql`select flaky_runs, branch from flaky_tests where last_test_build_id = ${id - 1}`),
      }
    },
    [{ flaky_runs: 1, branch: 'main' }],
  ],
  mail_sign_up: [
    async () => {
      const payload = { name: 'New', email: 'new@example.com', token: randomUUID(), site: 'https://gold.example' }
      await studio.db.execute(sql`delete from mails where to_address = ${payload.email}`)
      const effect = () =>
        rows(sql`select text like ${`%${payload.token}%`} as linked from mails where to_address = ${payload.email}`)
      return { payload, effect }
    },
    [{ linked: true }],
  ],
  mail_password_reset: [
    async () => {
      const { id } = studio.world.users.kim!
      await studio.db.execute(sql`delete from mails where to_user_id = ${id}`)
      const payload = { email: 'kim@example.com', token: randomUUID(), site: 'https://gold.example' }
      const effect = () =>
        rows(
          sql`select text like ${`%${payload.token}%`} as linked from mails where to_user_id = ${id} and subject like 'Choose%'`,
        )
      return { payload, effect }
    },
    [{ linked: true }],
  ],
  audit_refused_sign_in: [
    async () => {
      const payload = { email: 'kim@example.com', ip_address: '192.0.2.7', attempted_at: new Date().toISOString() }
      const effect = () => rows(sql`select ip_address from audit_log where after ->> 'attempted_at' = ${payload.attempted_at}`)
      return { payload, effect }
    },
    [{ ip_address: '192.0.2.7' }],
  ],
  poll_jenkins: [
    async () => {
      const { build_run_id } = await triggered()
      jenkins.answers['/job/night/1/api/json'] = json(() => jenkinsFixture('build'))
      jenkins.answers['/job/night/1/logText/progressiveText'] = progressive(() => ({ log: Buffer.from(LOG), running: false }))
      await studio.db.execute(sql`update build_runs set url = ${`${jenkins.url}/job/night/1/`} where id = ${build_run_id}`)
      return { payload: { account_id: account(), build_run_id, offset: 0, looks: 0 }, effect: () => stateOf(build_run_id) }
    },
    [expect.objectContaining({ status: 'completed', output_log: LOG })],
  ],
  start_build: [
    async () => {
      const payload = await triggered()
      await forgetAll()
      return { payload, effect: () => waiting('start_jenkins') }
    },
    [{ payload: { account_id: expect.any(Number), build_run_id: expect.any(Number) } }],
  ],
  advance_bisection: [
    async () => {
      await studio.db.execute(sql`delete from breakages`)
      const { broken, culprit } = await brokenBuild()
      await forgetAll()
      const project = studio.world.projects!.star!.id
      const { id: integration } = await load('jenkins', { server: jenkins.url })
      const { breakages } = await studio.load({
        breakages: [{ key: 'k', project, branch: 'main', jobs: ['Cook'], builds: [broken], opened_at: '2026-06-01T10:00:00Z' }],
      })
      const [bisection] = await rows(sql`
        with permitted as (update projects set bisect_builds_per_day = 9 where id = ${project})
        insert into bisections (account_id, project_id, breakage_id, occurrence, job, branch, integration_id, suspects, failures)
        values (${account()}, ${project}, ${breakages!.k!.id}, 1, 'Cook', 'main', ${integration},
          ${JSON.stringify([{ change_id: culprit, score: 0 }])}::jsonb, 1) returning id`)
      const bisection_id = bisection!.id as number
      const effect = async () => ({
        started: (await waiting('start_build')).length,
        builds: await rows(sql`
          select t.number, b.status, b.kind, b.commit_hash from bisection_builds t join build_runs b on b.account_id = t.account_id
            and b.id = t.build_run_id where t.bisection_id = ${bisection_id}`),
      })
      return { payload: { account_id: account(), bisection_id }, effect }
    },
    { started: 1, builds: [{ number: 1, status: 'queued', kind: 'bisect', commit_hash: 'c1' }] },
  ],
  start_buildkite: [
    async () => {
      const { build_run_id } = await triggered()
      await forgetAll()
      const { id } = await load('buildkite', { server: jenkins.url })
      await studio.db.execute(sql`update build_runs set integration_id = ${id} where id = ${build_run_id}`)
      let made: object[] = []
      jenkins.answers['/pipelines/night/builds'] = (request, reply) => {
        if (request.method === 'POST') made = [{ number: 7, web_url: 'https://buildkite.com/owl/night/builds/7' }]
        reply.writeHead(request.method === 'POST' ? 201 : 200).end(JSON.stringify(request.method === 'POST' ? made[0] : made))
      }
      const effect = async () => ({
        posts: jenkins.calls.filter((call) => call.startsWith('POST')).length,
        builds: await rows(sql`select build_number from build_runs where id = ${build_run_id}`),
      })
      return { payload: { account_id: account(), build_run_id }, effect }
    },
    { posts: 1, builds: [{ build_number: '7' }] },
  ],
  start_github: [
    async () => {
      const { build_run_id } = await triggered()
      await forgetAll()
      const { id } = await load('github', { server: jenkins.url })
      await studio.db.execute(sql`
        update build_runs set integration_id = ${id}, commit_hash = ${'c'.repeat(40)}, branch = 'main' where id = ${build_run_id}`)
      const made: object[] = []
      jenkins.answers['/actions/workflows'] = json(() => ({
        workflows: [{ id: 5, name: 'night', path: 'night.yml', state: 'active' }],
      }))
      jenkins.answers['/contents/night.yml'] = (_, reply) => reply.end('run-name: Bisect {{ inputs.commit }}')
      jenkins.answers['/actions/workflows/5/runs'] = json(() => ({ workflow_runs: made }))
      jenkins.answers['/actions/workflows/5/dispatches'] = (_, reply) => {
        const display_title = `Bisect ${'c'.repeat(40)}`
        made.push({ id: 7, event: 'workflow_dispatch', display_title, created_at: new Date().toISOString() })
        reply.writeHead(204).end()
      }
      const effect = async () => ({ posts: jenkins.calls.filter((call) => call.startsWith('POST')).length })
      return { payload: { account_id: account(), build_run_id }, effect }
    },
    { posts: 1 },
  ],
  write_back: [
    async () => {
      await forgetChanges()
      await forgetAll()
      const { id } = await load('github', { server: `${jenkins.url}/repos/owl/star` })
      const [commit, pull] = [randomUUID(), `${1 + Math.floor(Math.random() * 1e9)}`]
      const statuses: object[] = []
      const comments: { id: number; body: string }[] = []
      const kept = (list: object[], add: object) => (request: IncomingMessage, reply: ServerResponse) => {
        if (request.method === 'POST') list.unshift({ ...add, ...JSON.parse(jenkins.bodies.at(-1)!) })
        reply.writeHead(200).end(JSON.stringify(request.method === 'POST' ? list[0] : list))
      }
      jenkins.answers[`/repos/owl/star/statuses/${commit}`] = kept(statuses, { id: 4 })
      jenkins.answers[`/repos/owl/star/commits/${commit}/statuses`] = kept(statuses, {})
      jenkins.answers[`/repos/owl/star/issues/${pull}/comments`] = kept(comments, { id: 5, user: { id: 77 } })
      jenkins.answers['/user'] = json(() => ({ id: 77 }))
      jenkins.answers['/repos/owl/star/issues/comments/5'] = (_, reply) => reply.writeHead(200).end('{"id":5}')
      await studio.db.execute(sql`update integrations set write_back = true where id = ${id}`)
      const [row] = await rows(sql`
        insert into build_runs (account_id, project_id, integration_id, status, ci_job_name, commit_hash, kind, pull_request, url)
        select account_id, project_id, id, 'completed', 'Cook', ${commit}, 'preflight', ${pull}, 'https://github.com/owl/star/actions/runs/1'
        from integrations where id = ${id} returning id`)
      const payload = { account_id: account(), integration_id: id, build_run_id: row!.id as number }
      const effect = async () => {
        // A dead job keeps what it was writing to itself for a while.
        while ((await waiting('write_back')).length > 0) {
          await forgetAll()
          await studio.db.execute(sql`update write_backs set busy_until = null`)
          await WORK.write_back(context(studio.db), payload)
        }
        return { statuses: statuses.length, comments: comments.length }
      }
      return { payload, effect }
    },
    { statuses: 1, comments: 1 },
  ],
  write_back_issue: [
    async () => {
      await forgetAll()
      const { id } = await load('jira', { server: jenkins.url, done_state: 'Done' })
      const comments: object[] = []
      const moves: string[] = []
      const key = `GAME-${1 + Math.floor(Math.random() * 1e9)}`
      const done = { name: 'Done', statusCategory: { key: 'done' } }
      const path = `/rest/api/2/issue/${key}`
      jenkins.answers['/rest/api/2/myself'] = json(() => ({ accountId: 'own' }))
      jenkins.answers[`${path}/comment`] = (request, reply) => {
        if (request.method === 'POST')
          comments.push({ id: '5', author: { accountId: 'own' }, ...JSON.parse(jenkins.bodies.at(-1)!) })
        reply.writeHead(200).end(JSON.stringify(request.method === 'POST' ? comments[0] : { total: 1, comments }))
      }
      jenkins.answers[`${path}/comment/5`] = json(() => ({ id: '5' }))
      jenkins.answers[path] = json(() => ({ fields: { status: moves.length > 0 ? done : { name: 'To do' } } }))
      jenkins.answers[`${path}/transitions`] = (request, reply) => {
        if (request.method === 'POST') moves.push('done')
        reply.writeHead(200).end(JSON.stringify({ transitions: [{ id: '31', to: done }] }))
      }
      await studio.db.execute(sql`update integrations set write_back = true where id = ${id}`)
      await studio.db.execute(sql`
        insert into external_references (account_id, project_id, integration_id, provider, key, url)
        select account_id, project_id, id, provider, ${key}, ${`${jenkins.url}/browse/${key}`} from integrations where id = ${id}`)
      const [row] = await rows(sql`
        insert into breakages (account_id, project_id, branch, fingerprint, state, opened_at, last_seen_at)
        select account_id, project_id, 'main', ${key}, 'fixed', now(), now() from integrations where id = ${id} returning id`)
      const payload = { account_id: account(), integration_id: id, breakage_id: Number(row!.id), key }
      const effect = async () => {
        while ((await waiting('write_back_issue')).length > 0) {
          await forgetAll()
          await studio.db.execute(sql`update write_backs set busy_until = null`)
          await WORK.write_back_issue(context(studio.db), payload)
        }
        return { comments: comments.length, moves: moves.length }
      }
      return { payload, effect }
    },
    { comments: 1, moves: 1 },
  ],
  check_write_back: [
    async () => {
      const { id } = await load('github', { server: jenkins.url })
      await studio.db.execute(sql`update integrations set write_back = true where id = ${id}`)
      const effect = () => rows(sql`select write_back_problem as problem from integrations where id = ${id}`)
      return { payload: { account_id: account(), integration_id: id }, effect }
    },
    [{ problem: expect.stringContaining('/repos/') }],
  ],
  read_import: [
    async () => {
      await forgetChanges()
      await forgetAll()
      const { id } = await load('github', { server: jenkins.url })
      const sha = randomUUID()
      jenkins.answers['/'] = json(() => ({ id: 1, full_name: 'owl/star', default_branch: 'main' }))
      jenkins.answers['/commits'] = json(() => [
        { sha, commit: { message: 'Old work', committer: { date: '2026-01-01T00:00:00Z' } } },
      ])
      // The next part has to wait.
      jenkins.answers['/actions/runs'] = (_, reply) => reply.writeHead(429, { 'retry-after': '60' }).end()
      const [{ import_id }] = (await rows(sql`
        insert into imports (account_id, project_id, integration_id, since, until, part)
        select account_id, project_id, id, now() - interval '90 days', now(), 'changes' from integrations where id = ${id}
        returning id as import_id`)) as [{ import_id: number }]
      const effect = async () => ({
        imports: await rows(sql`select part, pages, counts from imports where id = ${import_id}`),
        changes: await rows(sql`select identifier from changes`),
        waiting: (await waiting('read_import')).length,
      })
      return { payload: { account_id: account(), import_id }, effect }
    },
    {
      imports: [{ part: 'builds', pages: 1, counts: { changes: { read: 1, added: 1 } } }],
      changes: [{ identifier: expect.any(String) }],
      waiting: 1,
    },
  ],
  undo_import: [
    async () => {
      await forgetChanges()
      await forgetAll()
      const { id } = await load('github', { server: jenkins.url })
      const [{ import_id }] = (await rows(sql`
        with made as (
          insert into imports (account_id, project_id, integration_id, since, until, state)
          select account_id, project_id, id, now() - interval '90 days', now(), 'undoing' from integrations where id = ${id}
          returning account_id, project_id, id)
        select id as import_id from made`)) as [{ import_id: number }]
      const files = JSON.stringify([{ path: 'Art/T_9.png', action: 'add' }])
      await rows(sql`
        insert into changes (account_id, project_id, source_type, identifier, files, import_id)
        select account_id, project_id, 'GitCommit', 'old', ${files}::jsonb, id from imports where id = ${import_id}`)
      await rows(sql`
        insert into assets (account_id, project_id, name, path, asset_type, version)
        select account_id, project_id, 'T_9.png', 'Art/T_9.png', 'texture', 3 from imports where id = ${import_id}`)
      const effect = async () => ({
        imports: await rows(sql`select state from imports where id = ${import_id}`),
        changes: await rows(sql`select identifier from changes`),
        assets: await rows(sql`select version from assets`),
      })
      return { payload: { account_id: account(), import_id }, effect }
    },
    { imports: [{ state: 'undone' }], changes: [], assets: [{ version: 2 }] },
  ],
  read_github_log: [
    async () => {
      const { build_run_id } = await triggered()
      await forgetAll()
      const { id } = await load('github', { server: jenkins.url })
      await studio.db.execute(sql`update build_runs set integration_id = ${id}, status = 'failed' where id = ${build_run_id}`)
      jenkins.answers['/actions/runs/7/jobs'] = json(() => ({ jobs: [{ id: 8, conclusion: 'failure' }] }))
      jenkins.answers['/actions/jobs/8/logs'] = (_, reply) => reply.writeHead(302, { location: `${jenkins.url}/blob` }).end()
      jenkins.answers['/blob'] = (_, reply) => reply.end('boom\n')
      const effect = () => rows(sql`select output_log from build_runs where id = ${build_run_id}`)
      return { payload: { account_id: account(), build_run_id, run: '7' }, effect }
    },
    [{ output_log: 'boom\n' }],
  ],
  read_buildkite_log: [
    async () => {
      const { build_run_id } = await triggered()
      await forgetAll()
      const { id } = await load('buildkite', { server: jenkins.url })
      await studio.db.execute(
        sql`update build_runs set integration_id = ${id}, status = 'failed', ci_job_name = 'game', build_number = '7' where id = ${build_run_id}`,
      )
      const jobs = [{ id: 'j8', name: 'Cook', state: 'failed' }]
      jenkins.answers['/pipelines/game/builds/7'] = json(() => ({ jobs }))
      jenkins.answers['/pipelines/game/builds/7/jobs/j8/log'] = (_, reply) => reply.end('boom\n')
      const effect = () => rows(sql`select output_log from build_runs where id = ${build_run_id}`)
      return { payload: { account_id: account(), build_run_id }, effect }
    },
    [{ output_log: 'boom\n' }],
  ],
  read_bitbucket_log: [
    async () => {
      const { build_run_id } = await triggered()
      await forgetAll()
      const { id } = await load('bitbucket', { server: jenkins.url })
      await studio.db.execute(
        sql`update build_runs set integration_id = ${id}, status = 'failed', ci_job_name = 'game', build_number = '7' where id = ${build_run_id}`,
      )
      const values = [{ uuid: 's8', state: { result: { name: 'FAILED' } } }]
      jenkins.answers['/pipelines/'] = json(() => ({ values: [{ uuid: 'p7', build_number: 7 }] }))
      jenkins.answers['/pipelines/p7/steps/'] = json(() => ({ values }))
      jenkins.answers['/pipelines/p7/steps/s8/log'] = (_, reply) => reply.end('boom\n')
      const effect = () => rows(sql`select output_log from build_runs where id = ${build_run_id}`)
      return { payload: { account_id: account(), build_run_id, pipeline: '7' }, effect }
    },
    [{ output_log: 'boom\n' }],
  ],
  read_gitlab_log: [
    async () => {
      const { build_run_id } = await triggered()
      await forgetAll()
      const { id } = await load('gitlab', { server: jenkins.url })
      await studio.db.execute(sql`update build_runs set integration_id = ${id}, status = 'failed' where id = ${build_run_id}`)
      jenkins.answers['/api/v4/projects/3/pipelines/7/jobs'] = json(() => [{ id: 8, status: 'failed' }])
      jenkins.answers['/api/v4/projects/3/jobs/8/trace'] = (_, reply) => reply.end('boom\n')
      const effect = () => rows(sql`select output_log from build_runs where id = ${build_run_id}`)
      return { payload: { account_id: account(), build_run_id, project: '3', pipeline: '7' }, effect }
    },
    [{ output_log: 'boom\n' }],
  ],
  read_azure_log: [
    async () => {
      const { build_run_id } = await triggered()
      await forgetAll()
      const { id } = await load('azure_devops', { server: jenkins.url })
      await studio.db.execute(sql`update build_runs set integration_id = ${id}, status = 'failed' where id = ${build_run_id}`)
      const records = [{ type: 'Task', result: 'failed', log: { id: 8 } }]
      jenkins.answers['/_apis/build/builds/7/timeline'] = json(() => ({ records }))
      jenkins.answers['/_apis/build/builds/7/logs/8'] = (_, reply) => reply.end('boom\n')
      const effect = () => rows(sql`select output_log from build_runs where id = ${build_run_id}`)
      return { payload: { account_id: account(), build_run_id, build: '7' }, effect }
    },
    [{ output_log: 'boom\n' }],
  ],
  read_teamcity_log: [
    async () => {
      const { build_run_id } = await triggered()
      await forgetAll()
      const { id } = await load('teamcity', { server: jenkins.url })
      await studio.db.execute(sql`update build_runs set integration_id = ${id}, status = 'failed' where id = ${build_run_id}`)
      jenkins.answers['/downloadBuildLog.html'] = (_, reply) => reply.end('boom\n')
      const effect = () => rows(sql`select output_log from build_runs where id = ${build_run_id}`)
      return { payload: { account_id: account(), build_run_id, build: '7' }, effect }
    },
    [{ output_log: 'boom\n' }],
  ],
  poll_horde: [
    async () => {
      await forgetAll()
      const { id } = await load('horde', { server: jenkins.url, horde_streams: 'main' })
      const job = { id: 'a1', templateId: 'editor', state: 'Running', batches: [], updateTime: new Date().toISOString() }
      jenkins.answers['/api/v1/jobs'] = json(() => [job])
      jenkins.answers['/api/v1/jobs/a1'] = json(() => job)
      const effect = () => rows(sql`select build_number, status from build_runs where integration_id = ${id}`)
      return { payload: { account_id: account(), integration_id: id }, effect }
    },
    [{ build_number: 'a1', status: 'building' }],
  ],
  read_horde_log: [
    async () => {
      const { build_run_id } = await triggered()
      await forgetAll()
      const { id } = await load('horde', { server: jenkins.url })
      await studio.db.execute(sql`update build_runs set integration_id = ${id}, status = 'failed' where id = ${build_run_id}`)
      const steps = [{ name: 'Cook', outcome: 'Failure', logId: 'l1' }]
      jenkins.answers['/api/v1/jobs/a1'] = json(() => ({ batches: [{ steps }] }))
      jenkins.answers['/api/v1/logs/l1/data'] = (_, reply) => reply.end('boom\n')
      const effect = () => rows(sql`select output_log from build_runs where id = ${build_run_id}`)
      return { payload: { account_id: account(), build_run_id, job: 'a1' }, effect }
    },
    [{ output_log: 'boom\n' }],
  ],
  start_jenkins: [
    async () => {
      const payload = await triggered()
      await forgetAll()
      let state: object = jenkinsFixture('job_in_folder')
      jenkins.answers['/job/night/api/json'] = json(() => state)
      jenkins.answers['/job/night/build'] = (_, reply) => {
        state = { ...state, queueItem: { id: 21 } }
        reply.writeHead(201, { location: `${jenkins.url}/queue/item/21/` }).end()
      }
      const effect = async () => ({
        posts: jenkins.calls.filter((call) => call.startsWith('POST')).length,
        follows: (await waiting('follow_jenkins')).map(
          ({ payload: { queue_item } }: { payload: { queue_item: number } }) => queue_item,
        ),
      })
      return { payload, effect }
    },
    { posts: 1, follows: [21] },
  ],
  follow_jenkins: [
    async () => {
      const { build_run_id } = await triggered()
      await forgetAll()
      const executable = { number: 9, url: `${jenkins.url}/job/night/9/` }
      jenkins.answers['/queue/item/21/api/json'] = json(() => ({ executable }))
      const effect = async () => [...(await stateOf(build_run_id)), (await waiting('poll_jenkins')).length]
      return { payload: { account_id: account(), build_run_id, queue_item: 21, looks: 0 }, effect }
    },
    [expect.objectContaining({ status: 'building', build_number: '9' }), 1],
  ],
  purge_integration: [
    async () => {
      const made = await load('perforce')
      await tell('perforce', made, { changelist: 11 })
      await integrations.remove(studio.db, made.id)
      return {
        payload: { integration_id: made.id },
        effect: () => rows(sql`select from deliveries where integration_id = ${made.id}`),
      }
    },
    [],
  ],
  write_export: [
    async () => {
      const [account_id, user_id] = [studio.world.accounts!.owl!.id as number, studio.world.users!.kim!.id as number]
      const { id } = await exports.request(studio.db, studio.service.vault, { account_id, user_id, whole: true }, undefined)
      const effect = async () => {
        const chunks = await studio.db.rows<{ body: Buffer }>(
          sql`select body from export_chunks where export_id = ${id} order by start`,
        )
        const file = JSON.parse(gunzipSync(Buffer.concat(chunks.map(({ body }) => body))).toString())
        return [Object.keys(file), ...(await rows(sql`select status from exports where id = ${id}`))]
      }
      return { payload: { account_id, export_id: id }, effect }
    },
    [['export', 'rows'], { status: 'done' }],
  ],
  delete_project: [
    async () => {
      const account_id = studio.world.accounts!.owl!.id as number
      const { old } = (await studio.load({ projects: [{ key: 'old', account: account_id, name: 'Old' }] })).projects!
      await studio.load({ tasks: [{ project: old!.id, title: 'Old' }] })
      const project_id = old!.id as number
      return { payload: { account_id, project_id }, effect: () => rows(sql`select from projects where id = ${project_id}`) }
    },
    [],
  ],
  delete_account: [
    async () => {
      const left = { key: 'left', email: 'left@example.com', name: 'Left Behind', accounts: { old: 'owner' } }
      const made = await studio.load({ accounts: [{ key: 'old', name: 'Old' }], users: [left] })
      const account_id = made.accounts!.old!.id as number
      const effect = () =>
        rows(sql`
          select from accounts where id = ${account_id} union all select from users where email = 'left@example.com'`)
      return { payload: { account_id }, effect }
    },
    [],
  ],
  delete_user: [
    async () => {
      const account = studio.world.accounts!.owl!.id
      const user = { key: 'ann', email: 'ann@example.com', name: 'Ann Other', accounts: { [String(account)]: 'member' } }
      const { ann } = (await studio.load({ users: [user] })).users!
      await studio.load({ tasks: [{ project: studio.world.projects!.star!.id, title: 'Ask Ann Other' }] })
      const effect = () =>
        rows(sql`
          select from users where email = 'ann@example.com' union all select from tasks where title = 'Ask Ann Other'
          union all select from account_members where user_id = ${ann!.id}`)
      return { payload: { user_id: ann!.id as number }, effect }
    },
    [],
  ],
  investigate: [
    async () => {
      const build = { key: 'b', project: studio.world.projects!.star!.id, status: 'failed', ci_job_name: 'night' }
      const id = (await studio.load({ build_runs: [build] })).build_runs!.b!.id
      const credits = async () => Number((await rows(sql`select credits from accounts`))[0]!.credits)
      const before = await credits()
      const path = `/api/v1/projects/${studio.world.projects!.star!.id}/build_runs/${id}/investigate`
      const begun = await studio.ask(path, { method: 'POST', token: studio.world.tokens!.kim!.token as string })
      const investigation_id = Number(begun.json.investigation_id)
      // Without a log there is nothing to find, and the credit is refunded.
      const effect = async () => [
        ...(await rows(sql`select status from investigations where id = ${investigation_id}`)),
        (await credits()) - before,
      ]
      return { payload: { account_id: account(), investigation_id }, effect }
    },
    [{ status: 'completed' }, 0],
  ],
  investigate_failure: [
    async () => {
      const build = { key: 'b', project: studio.world.projects!.star!.id, status: 'failed', ci_job_name: 'night' }
      const id = Number((await studio.load({ build_runs: [build] })).build_runs!.b!.id)
      await studio.db.execute(sql`update projects set investigates_failures = true`)
      const effect = () =>
        rows(sql`
          select i.status, i.automatic, count(m.breakage_id) as breakages from investigations i
          left join breakage_builds m on m.account_id = i.account_id and m.build_run_id = i.build_run_id where i.build_run_id = ${id} group by i.account_id, i.id`)
      return { payload: { account_id: account(), build_run_id: id }, effect }
    },
    [{ status: 'completed', automatic: true, breakages: 1 }],
  ],
  recompute_breakages: [
    async () => {
      await studio.db.execute(sql`delete from breakages`)
      const project_id = studio.world.projects!.star!.id as number
      const build = { project: project_id, ci_job_name: 'mended' }
      const at = (minute: number) => new Date(Date.now() + minute * 60_000).toISOString()
      const { red } = (
        await studio.load({
          build_runs: [
            { key: 'red', status: 'failed', created_at: at(-2), ...build },
            { key: 'green', status: 'completed', created_at: at(-1), ...build },
          ],
        })
      ).build_runs!
      await studio.db.execute(sql`
        with k as (
          insert into breakages (account_id, project_id, fingerprint, branch, jobs, opened_at, last_seen_at)
          select account_id, id, 'job:mended', '', '{mended}', now(), now() from projects where id = ${project_id} returning *)
        insert into breakage_builds (account_id, breakage_id, build_run_id) select account_id, id, ${red!.id} from k`)
      const effect = () =>
        rows(sql`select state, (select count(*) from breakage_history where kind = 'fixed') as times from breakages`)
      return { payload: { account_id: account(), project_id, job: 'mended' }, effect }
    },
    [{ state: 'fixed', times: 1 }],
  ],
  review_suspects: [
    async () => {
      const { broken, culprit } = await brokenBuild()
      await studio.db.execute(sql`
        insert into investigations (account_id, build_run_id, status) select account_id, id, 'completed' from build_runs where id = ${broken}`)
      const effect = () =>
        rows(sql`
          select count(*) as times, bool_and(suspects -> 0 -> 'change_id' = to_jsonb(${culprit}::bigint)) as suspected
          from investigations where build_run_id = ${broken}`)
      return { payload: { account_id: account(), build_run_id: broken }, effect }
    },
    [{ times: 1, suspected: true }],
  ],
  correct_authors: [
    async () => {
      await studio.db.execute(sql`delete from breakages`)
      const { broken, culprit } = await brokenBuild()
      const kim = studio.world.users!.kim!.id as number
      const suspects = JSON.stringify([
        { change_id: culprit, user_id: kim, score: 0.9, reasons: ['touches the line'], reason_codes: ['file_named'] },
      ])
      await studio.db.execute(sql`update changes set author = 'somebody else', author_user_id = null where id = ${culprit}`)
      await studio.db.execute(sql`
        insert into investigations (account_id, build_run_id, status, category, confidence, suspects, attributed_user_id)
        select account_id, id, 'completed', 'compile_error', 'high', ${suspects}::jsonb, ${kim} from build_runs where id = ${broken}`)
      await studio.db.execute(sql`
        with k as (
          insert into breakages (account_id, project_id, fingerprint, branch, jobs, opened_at, last_seen_at, occurrence, suspects)
          select account_id, project_id, 'wrong', '', array[ci_job_name], now(), now(), 1, ${suspects}::jsonb from build_runs where id = ${broken} returning *)
        insert into breakage_builds (account_id, breakage_id, build_run_id) select account_id, id, ${broken} from k`)
      const effect = async () => [
        ...(await rows(sql`
          select k.suspects -> 0 -> 'user_id' as told, i.suspects -> 0 -> 'user_id' as found, i.attributed_user_id as attributed
          from breakages k join investigations i on i.account_id = k.account_id where i.build_run_id = ${broken}`)),
        await studio.db.execute(
          sql`
            select from outbox o join breakages k on k.account_id = o.account_id and k.id::text = o.row_id
            where o.event_type = 'breakage.suspects_changed'`,
        ),
      ]
      return { payload: { account_id: account(), user_id: kim }, effect }
    },
    [{ told: null, found: null, attributed: null }, 1],
  ],
  review_ranges: [
    async () => {
      // Only builds of the last day are considered.
      await moveTimes(studio.db, 'build_runs', ['created_at'], sql`interval '-2 days'`)
      const { broken } = await brokenBuild()
      await forgetAll()
      await studio.db.execute(sql`
        insert into investigations (account_id, build_run_id, status) select account_id, id, 'completed' from build_runs where id = ${broken}`)
      await studio.db.execute(sql`update change_branches set arrived_at = now() + interval '1 minute'`)
      const effect = () =>
        rows(sql`
          select count(*) as jobs from jobs where payload::text like ${`%${broken}%`}`)
      return { payload: { account_id: account(), project_id: studio.world.projects!.star!.id as number }, effect }
    },
    [{ jobs: 1 }],
  ],
}

/** Jobs that read every table take hundreds of steps: they are killed only after some of them. */
const STRIDES: Partial<Record<JobKind, number>> = { write_export: 97, delete_account: 61, delete_project: 41, delete_user: 61 }

test.each(Object.keys(CASES) as JobKind[])('%s is done once after its worker is killed at any step', async (kind) => {
  const [make, expected] = CASES[kind] as [Case<JobKind>, unknown]
  const work = WORK[kind] as (context: WorkerContext, payload: unknown) => Promise<unknown>
  for (let steps = 0, over = false; !over; steps += STRIDES[kind] ?? 1) {
    await forgetAll()
    jenkins.calls.length = 0
    const { payload, effect } = await make()
    over = await work(context(mortal(studio.db, steps)), payload).then(
      () => true,
      () => false,
    )
    await work(context(studio.db), payload)
    expect(await effect(), `killed after ${steps} steps`).toEqual(expected)
  }
})

test('a person is notified once of a suspicion after the outbox reader is killed at any step', async () => {
  for (let steps = 0, over = false; !over; steps++) {
    await forgetAll()
    await studio.db.execute(sql`delete from notifications`)
    await studio.db.execute(sql`delete from mails`)
    const { culprit } = await brokenBuild()
    await readAll()
    const suspects = [
      {
        change_id: culprit,
        user_id: studio.world.users!.kim!.id,
        score: 0.9,
        reasons: ['touches the line'],
        reason_codes: ['file_named'],
      },
    ]
    const [row] = await rows(sql`
      insert into breakages (account_id, project_id, fingerprint, branch, occurrence, suspects, jobs, opened_at, last_seen_at)
      select account_id, id, gen_random_uuid()::text, 'main', 1, ${JSON.stringify(suspects)}::jsonb, '{Cook}', now(), now() from projects
      where id = ${studio.world.projects!.star!.id} returning id`)
    await outbox.append(
      studio.db,
      'breakage.suspects_changed',
      sql`select account_id, project_id, id from breakages where id = ${row!.id as number}`,
      { occurrence: 1 },
    )
    await sequenceAll(studio.db)
    over = await readOutbox(mortal(studio.db, steps), context(studio.db)).then(
      () => true,
      () => false,
    )
    await readAll()
    expect(
      [
        ...(await rows(sql`select count(*) as lines from notifications`)),
        ...(await rows(sql`select count(*) as mails from mails where subject like 'Broken%'`)),
      ],
      `killed after ${steps} steps`,
    ).toEqual([{ lines: 1 }, { mails: 1 }])
  }
})

async function readAll() {
  await sequenceAll(studio.db)
  while (await readOutbox(studio.db, context(studio.db)));
}

test('a mail is sent once under one id after the sender is killed at any step', async () => {
  for (let steps = 0, over = false; !over; steps++) {
    mails = []
    await studio.db.execute(sql`delete from mails`)
    await writeToAddress(studio.db, 'ann@example.com', { subject: 'Hello', text: 'Hello' })
    // The database rounds times, also up: the mail may be due in half a millisecond.
    await studio.db.execute(sql`update mails set next_at = now() - interval '1 second'`)
    const [lane] = await dueLanes(studio.db)
    const send = (db: Database) =>
      sendNext({ ...context(db), post: context(db).post! }, { id: lane!, signal: new AbortController().signal }, openBreaker())
    over = await send(mortal(studio.db, steps)).then(
      () => true,
      () => false,
    )
    await send(studio.db)
    // A mail server whose reply was lost gets it again; its id shows that it is the same.
    expect(new Set(mails).size, `killed after ${steps} steps`).toBe(1)
    expect(await rows(sql`select sent_at is not null as sent, next_at from mails`)).toEqual([{ sent: true, next_at: null }])
  }
})
