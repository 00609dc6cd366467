import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, type Pool, sql } from '../src/db/database.ts'
import { Vault } from '../src/domain/privacy/secrets.ts'
import { loadWorld } from '../src/world/world.ts'
import { openGitHub } from '../test/support/github-server.ts'
import { cpuOfEach, usedBetween } from './harness/cpu.ts'
import type { Cluster } from './harness/database.ts'
import { build, SECRET, startGoldmaster } from './harness/servers.ts'
import { printTable, verdict } from './harness/table.ts'

const UPDATES = 10_000
const PULLS = 40
const JOBS = ['Cook', 'Tests', 'Win64', 'Server']
const SECONDS_MAX = 5
/** Between one report with one edit and the next. */
const PAUSE_MS = 50
const GIVEN_UP_MS = 120_000

/**
 * Builds of pull requests are reported while somebody edits these pull requests at GitHub, which sends webhooks about both and about everything
 * that is written to it: `npm run bench -- write-back 1000` makes fewer updates.
 */
export async function benchWriteBack(cluster: Cluster) {
  const updates = Number(process.argv[3] ?? UPDATES)
  if (!(updates >= 2)) throw new Error('Usage: npm run bench -- write-back [UPDATES]')
  build()
  const store = await cluster.create('write_back')
  const db = openDatabase(store.url, { max: 4 })
  const github = await openGitHub()
  const server = await startGoldmaster(store.url, { ALLOW_PRIVATE_HOSTS: '127.0.0.1', LOG_LEVEL: 'error' })
  try {
    const { project, tokens } = await furnish(db, `${github.url}/repos/owl/star`)
    const post = async (path: string, token: string, body: object, headers: Record<string, string> = {}) => {
      const answer = await fetch(`http://127.0.0.1:${server.port}/webhooks/${path}?token=${token}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      if (!answer.ok) throw new Error(`/webhooks/${path}: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as { records?: { id: number }[] }
    }
    const deliver = (event: string, body: object) =>
      post('github', tokens.github, body, { 'x-github-event': event, 'x-github-delivery': `${Math.random()}` })
    await deliver('push', push(github))

    let [echoes, reports] = [0, 0]
    const reportedAt = new Map<string, number>()
    const took: number[] = []
    let seen = 0
    const lookAtStatuses = () => {
      for (const { target_url } of github.statuses.slice(seen)) {
        const id = target_url.split('/').at(-1)!
        const began = reportedAt.get(id)
        if (began === undefined) continue
        // Written again once a failure is investigated.
        reportedAt.delete(id)
        took.push(performance.now() - began)
      }
      seen = github.statuses.length
    }
    /** GitHub tells us what we wrote. */
    const tellBack = async () => {
      for (const [event, body] of github.hooks.splice(0)) echoes += ((await deliver(event, body)).records ?? []).length
      lookAtStatuses()
    }
    const used = await cpuOfEach([server.pid])
    const began = performance.now()
    for (let at = 0; at < updates / 2; at++) {
      const pull = 1 + (at % PULLS)
      const job = JOBS[Math.floor(at / PULLS) % JOBS.length]!
      const failed = at % 10 === 3
      const { records } = await post('ci', tokens.jenkins, {
        job_name: job,
        build_number: String(at + 1),
        status: failed ? 'failed' : 'success',
        commit: shaOf(pull),
        branch: `feature${pull}`,
        pull_request: pull,
        target_branch: 'main',
        ...(failed && { log: `src/part${pull}.c:54:3: error: 'part${pull}' undeclared\n` }),
      })
      reportedAt.set(String(records![0]!.id), performance.now())
      reports++
      await deliver('pull_request', edited(pull, at))
      await tellBack()
      await sleep(PAUSE_MS)
    }
    for (const end = performance.now() + GIVEN_UP_MS; performance.now() < end && (await waiting(db)) > 0; await sleep(200))
      await tellBack()
    await tellBack()
    const minutes = (performance.now() - began) / 60_000
    const cpu = usedBetween(used, await cpuOfEach([server.pid]))
    // Everything once more: nothing may follow from it.
    const [writes, before] = [github.writes.length, await rowsOf(db, project)]
    for (const { id, ...status } of github.statuses.slice(-500))
      await deliver('status', { id, ...status, repository: REPOSITORY })
    await sleep(3_000)
    const late = github.writes.length - writes + ((await rowsOf(db, project)) - before)
    took.sort((one, other) => one - other)
    const p = (share: number) => (took[Math.floor(took.length * share)] ?? Number.NaN) / 1000
    printTable(
      `Writing back: ${reports} builds and ${reports} edits of ${PULLS} pull requests`,
      ['', 'measured', 'target', ''],
      [
        ['minutes', minutes, '', ''],
        ['statuses, comments and edits written', github.writes.length, '', ''],
        ['from a report to its status, p50 s', p(0.5), '', ''],
        ['the same, p99 s', p(0.99), `≤ ${SECONDS_MAX}`, verdict(p(0.99) <= SECONDS_MAX)],
        ['the same, longest, s', p(0.99999), '', ''],
        ['builds without a status of their own', reports - took.length, '', ''],
        ['records made by what was written', echoes, '0', verdict(echoes === 0)],
        ['writes and records after the last report', late, '0', verdict(late === 0)],
        ['comments', github.comments.length, String(PULLS), verdict(github.comments.length === PULLS)],
        ['processor time of the service, seconds', cpu / 1000, '', ''],
      ],
    )
  } finally {
    await server.stop()
    await github.close()
    await db.close()
    await store.drop()
  }
}

const REPOSITORY = { id: 9, full_name: 'owl/star', html_url: 'https://github.com/owl/star' }
const shaOf = (pull: number) => pull.toString(16).padStart(40, 'f')

/** One commit for each pull request. */
function push(github: Awaited<ReturnType<typeof openGitHub>>) {
  const pulls = Array.from({ length: PULLS }, (_, at) => at + 1)
  for (const pull of pulls) {
    github.commits.add(shaOf(pull))
    github.pulls.add(String(pull))
  }
  return {
    ref: 'refs/heads/feature',
    before: '0'.repeat(40),
    after: shaOf(PULLS),
    created: true,
    repository: REPOSITORY,
    commits: pulls.map((pull) => ({
      id: shaOf(pull),
      message: `Work ${pull}`,
      timestamp: new Date().toISOString(),
      author: { name: 'Kim', email: 'kim@bench.example' },
      added: [],
      modified: [`src/part${pull}.c`],
      removed: [],
    })),
  }
}

const edited = (pull: number, at: number) => ({
  action: 'edited',
  repository: REPOSITORY,
  sender: { login: 'kim', id: 5 },
  pull_request: {
    number: pull,
    title: `Feature ${at}`,
    state: 'open',
    html_url: `https://github.com/owl/star/pull/${pull}`,
    updated_at: new Date().toISOString(),
    head: { ref: `feature${pull}`, sha: shaOf(pull) },
    base: { ref: 'main' },
  },
})

async function furnish(db: Pool, server: string) {
  const told = {
    accounts: [{ key: 'studio', name: 'studio', plan: 'enterprise', credits: null }],
    users: [{ key: 'kim', email: 'kim@bench.example', name: 'Kim', accounts: { studio: 'owner' } }],
    projects: [{ key: 'star', account: 'studio', name: 'Starfall', engine: 'unreal' }],
    integrations: ['github', 'jenkins'].map((provider) => ({ key: provider, project: 'star', provider })),
  }
  const world = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(told))]), { vault: new Vault(SECRET) })
  await db.execute(sql`
    update integrations set config = ${JSON.stringify({ server, api_token: 'secret' })}::jsonb, write_back = true where provider = 'github'`)
  const token = (key: string) => world.integrations![key]!.webhook_token as string
  return { project: world.projects!.star!.id as number, tokens: { github: token('github'), jenkins: token('jenkins') } }
}

const waiting = async (db: Pool) =>
  (await db.one<{ count: number }>(sql`
    select count(*)::integer as count from jobs where kind in ('write_back', 'investigate_failure', 'investigate') and state in ('scheduled', 'waiting', 'running')`))!
    .count

const rowsOf = async (db: Pool, project: number) =>
  (await db.one<{ rows: number }>(sql`
    select ((select count(*) from build_runs where project_id = ${project}) + (select count(*) from changes where project_id = ${project})
      + (select count(*) from external_references where project_id = ${project}) + (select count(*) from outbox where project_id = ${project}))::integer as rows`))!
    .rows
