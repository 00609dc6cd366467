import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { SCOPES } from '../../src/contract/sets.ts'
import { openDatabase, type Pool, sql } from '../../src/db/database.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import { loadWorld } from '../../src/world/world.ts'
import { openGitHub } from '../../test/support/history/github.ts'
import { openTracker, TRACKERS } from '../../test/support/servers/history-trackers.ts'
import { scratch } from '../../test/support/stand-in.ts'
import { cpuOfEach, usedBetween } from '../harness/cpu.ts'
import type { Cluster } from '../harness/database.ts'
import { median } from '../harness/rounds.ts'
import { build, freePort, SECRET, type Server, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

const CHANGELISTS = 25_000
const BUILDS = 9_000
const ISSUES = 6_000
const COMMITS = 500
const DEPLOYMENTS = 200
const RELEASES = 60
const DAYS = 90
const MINUTES_MAX = 20
const EXTRA_MB = 200
const RATIO = 1.2
const KILLS = 10
const TASKS = 2_000
const QUIET_MS = 15_000
const EVERY_MS = 100
const GIVEN_UP_MS = 60 * 60_000
const DAY_MS = 86_400_000

/**
 * Imports the last 90 days of a studio from Perforce, GitHub (every part that it has) and Jira at once, while another account lists its tasks; then once more while the
 * service is killed ten times. `npm run bench -- import 0.1` imports a tenth, `import 1 once` leaves out the kills, `import 1 kills` does
 * nothing else, and `import 1 lists` compares only the lists, in four minutes: the import is stopped and continued every few seconds, so that a busy machine slows both alike.
 */
export async function benchImport(cluster: Cluster) {
  const share = Number(process.argv[3] ?? 1)
  if (!(share > 0 && share <= 1)) throw new Error('Usage: npm run bench -- import [SHARE] [once|kills|lists]')
  const amounts = {
    changes: Math.round(CHANGELISTS * share),
    builds: Math.round(BUILDS * share),
    issues: Math.round(ISSUES * share),
    commits: Math.round(COMMITS * share),
    deployments: Math.round(DEPLOYMENTS * share),
    releases: Math.round(RELEASES * share),
  }
  build()
  const tools = await openTools(amounts)
  try {
    const part = process.argv[4]
    if (part === 'lists') return await compareLists(cluster, tools)
    if (part !== 'kills') await importOnce(cluster, tools, amounts)
    if (part !== 'once') await importKilled(cluster, tools)
  } finally {
    tools.close()
  }
}

async function importOnce(cluster: Cluster, tools: Tools, amounts: Amounts) {
  const measured = await scene(cluster, tools, 0)
  const { minutes, extraMb, cpu, quiet, during } = measured
  const ratio = median(during) / median(quiet)
  printTable(
    `Import of ${amounts.changes.toLocaleString('en')} changelists, ${amounts.builds.toLocaleString('en')} builds, ${amounts.issues.toLocaleString('en')} issues`,
    ['', 'measured', 'target', ''],
    [
      ['minutes', minutes, `≤ ${MINUTES_MAX}`, verdict(minutes <= MINUTES_MAX)],
      ['processor time of the service, seconds', cpu / 1000, '', ''],
      ['extra memory of the service, MB', extraMb, `≤ ${EXTRA_MB}`, verdict(extraMb <= EXTRA_MB)],
      ['list of another account, quiet p50 ms', median(quiet), '', ''],
      ['the same during the import, beside it', ratio, `≤ ${RATIO}`, verdict(ratio <= RATIO)],
      ...rowsOf(measured),
    ],
  )
}

async function importKilled(cluster: Cluster, tools: Tools) {
  const killed = await scene(cluster, tools, KILLS)
  printTable(
    `The same, killed ${KILLS} times`,
    ['', 'measured', 'target', ''],
    [['minutes', killed.minutes, '', ''], ...rowsOf(killed)],
  )
}

const rowsOf = ({ kills, wrong, messages }: Pick<Awaited<ReturnType<typeof scene>>, 'kills' | 'wrong' | 'messages'>) => [
  ['kills', kills, '', ''],
  ['records lost, doubled or different', wrong, '0', verdict(wrong === 0)],
  ['messages, events, approvals, breakages', messages, '0', verdict(messages === 0)],
]

interface Amounts {
  changes: number
  builds: number
  issues: number
  commits: number
  deployments: number
  releases: number
}
type Tools = Awaited<ReturnType<typeof openTools>>

const shaOf = (at: number) => (at + 1).toString(16).padStart(40, '0')
const isoAgo = (ms: number) => new Date(Math.floor((Date.now() - ms) / 1000) * 1000).toISOString().replace('.000Z', 'Z')

/** Servers of this process: GitHub with 5,000 requests an hour, Jira with a limit of bursts, and Perforce behind a p4 that asks here. */
async function openTools(amounts: Amounts) {
  const age = (index: number, of: number) => ((of - index) / of) * (DAYS - 2) * DAY_MS
  const github = await openGitHub({
    commits: Array.from({ length: amounts.commits }, (_, at) => ({
      sha: shaOf(at),
      ...(at > 0 && { parent: shaOf(at - 1) }),
      message: `Commit ${at}`,
      date: isoAgo(age(at, amounts.commits)),
      files: [0, 1].map((file) => ({ path: `tools/part${(at + file) % 90}.py`, action: 'edit' as const })),
    })),
    deployments: Array.from({ length: amounts.deployments }, (_, at) => ({
      id: 1 + at,
      environment: at % 2 ? 'production' : 'steam/beta',
      sha: shaOf(at),
      isLive: at % 3 > 0,
      at: isoAgo(age(at, amounts.deployments)),
    })),
    releases: Array.from({ length: amounts.releases }, (_, at) => ({
      id: 1 + at,
      tag: `v1.${at}`,
      sha: shaOf(at),
      isDraft: at % 10 === 9,
      at: isoAgo(age(at, amounts.releases)),
    })),
    issues: [],
    builds: Array.from({ length: amounts.builds }, (_, at) => ({
      id: 1000 + at,
      job: ['Game', 'Cook', 'Tests', 'Server'][at % 4]!,
      number: at + 1,
      sha: shaOf(at),
      failed: at % 10 === 3,
      started: isoAgo(age(at, amounts.builds) + 1_200_000),
      finished: isoAgo(age(at, amounts.builds)),
    })),
  })
  const tracker = TRACKERS.find(({ name }) => name === 'Jira Cloud')!
  const issues = Array.from({ length: amounts.issues }, (_, at) => ({
    number: at + 1,
    title: `Issue ${at + 1}`,
    state: ['To do', 'Doing', 'Done'][at % 3]!,
    assignee: null,
    updated: isoAgo(age(at, amounts.issues)),
  }))
  const jira = await openTracker(tracker, issues)
  const seconds = new Map<number, number>()
  jira.state.instead = () => {
    const second = Math.floor(Date.now() / 1000)
    seconds.set(second, (seconds.get(second) ?? 0) + 1)
    return seconds.get(second)! > 10 ? { ...tracker.limited, headers: { 'retry-after': '1' } } : undefined
  }
  const perforce = await openPerforce(amounts.changes, (at) => Date.now() - age(at, amounts.changes))
  return {
    amounts,
    path: perforce.folder,
    config: { perforce: perforce.config, github: github.config, jira: tracker.config(jira.url) },
    reset: () => {
      github.state.remaining = 5000
    },
    close() {
      github.close()
      jira.close()
      perforce.close()
    },
  }
}

const START = 100_000

async function openPerforce(count: number, timeOf: (at: number) => number) {
  const { folder, remove } = scratch()
  const listed = (at: number) => ({
    change: String(START + at),
    user: `user${at % 60}`,
    client: 'pc',
    time: String(Math.floor(timeOf(at) / 1000)),
    desc: `Change ${at}: what a person writes about their work, in a sentence or two.\n`,
    status: 'submitted',
    changeType: 'public',
  })
  const described = (at: number) => ({
    ...listed(at),
    ...Object.fromEntries(
      Array.from({ length: filesOf(at) }, (_, file) => [
        [`depotFile${file}`, pathOf(at, file)],
        [`action${file}`, 'edit'],
        [`type${file}`, 'binary+l'],
        [`rev${file}`, '2'],
        [`fileSize${file}`, '123456'],
        [`digest${file}`, 'D41D8CD98F00B204E9800998ECF8427E'],
      ]).flat(),
    ),
  })
  const answer = ([form, tagged, command, ...rest]: string[]): object[] => {
    if (form !== '-Mj' || tagged !== '-ztag') throw new Error('p4 is called in another way.')
    if (command === 'streams') return [{ Stream: '//game/main', Type: 'mainline', Parent: 'none' }]
    if (command === 'describe') return rest.slice(1).map((number) => described(Number(number) - START))
    if (command !== 'changes') return []
    const most = Number(rest[rest.indexOf('-m') + 1])
    const until = /,@(now|\d+)$/.exec(rest.at(-1)!)![1]!
    const newest = until === 'now' ? count - 1 : Math.min(count - 1, Number(until) - START)
    return Array.from({ length: Math.max(0, Math.min(most, newest + 1)) }, (_, at) => listed(newest - at))
  }
  const server = createServer(async (request, reply) => {
    const words = (await text(request)).split('\n').slice(0, -1)
    reply.end(
      answer(words)
        .map((record) => `${JSON.stringify(record)}\n`)
        .join(''),
    )
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" | exec curl --silent --data-binary @- http://127.0.0.1:${port}/\n`
  writeFileSync(join(folder, 'p4'), script, { mode: 0o755 })
  return {
    folder,
    config: { server: '127.0.0.1:1666', user: 'gold', depot_paths: '//game/main/...' },
    close() {
      server.close()
      remove()
    },
  }
}

/** Mostly a few, now and then many. */
const filesOf = (at: number) => (at % 100 === 0 ? 200 : 1 + (at % 6))
const pathOf = (at: number, file: number) =>
  file % 2 ? `//game/main/Source/Part${(at + file) % 300}.cpp` : `//game/main/Content/Art/T_${(at + file) % 2000}.uasset`

/** A service with a studio that imports, and another account. */
async function openScene(cluster: Cluster, tools: Tools, name: string) {
  tools.reset()
  const store = await cluster.create(name)
  const db = openDatabase(store.url, { max: 4, statementTimeout: 300_000 })
  const port = await freePort()
  const serve = () =>
    startGoldmaster(store.url, {
      PORT: String(port),
      BASE_URL: `http://127.0.0.1:${port}`,
      ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      PATH: `${tools.path}${delimiter}${process.env.PATH}`,
      LOG_LEVEL: 'error',
    })
  const server: Server = await serve()
  const studio = await furnish(db, tools)
  const list = () => timed(`http://127.0.0.1:${port}/api/v1/projects/${studio.other.project}/tasks?limit=50`, studio.other.token)
  for (let times = 0; times < 30; times++) await list()
  const begin = async () => {
    for (const id of studio.integrations) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/projects/${studio.project}/integrations/${id}/imports`, {
        method: 'POST',
        headers: { authorization: `Bearer ${studio.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ days: DAYS }),
      })
      if (!answer.ok) throw new Error(`Starting an import: ${answer.status} ${await answer.text()}`)
    }
  }
  return { store, db, serve, server, studio, list, begin }
}

const PAIRS = 26
const WINDOW_MS = 4_000
/** A page that is being stored ends first. */
const SETTLE_MS = 700

/** The lists of another account in pairs of seconds with and without the import. */
async function compareLists(cluster: Cluster, tools: Tools) {
  const { store, db, server, list, begin } = await openScene(cluster, tools, 'import_lists')
  try {
    await begin()
    const pairs: { stopped: number[]; running: number[] }[] = []
    const cpu = { stopped: 0, running: 0 }
    const window = async (kind: keyof typeof cpu) => {
      await sleep(SETTLE_MS)
      const used = await cpuOfEach([server.pid])
      const took = await during(WINDOW_MS, list)
      cpu[kind] += usedBetween(used, await cpuOfEach([server.pid]))
      return took
    }
    while (pairs.length < PAIRS) {
      const { running: isRunning, failed } = await progress(db)
      if (failed) throw new Error(`An import failed: ${failed}`)
      if (!isRunning) break
      // Every page is stored under this lock.
      const stopped = await db.transaction(async (held) => {
        await held.rows(sql`select id from imports for update`)
        return window('stopped')
      })
      const read = (await progress(db)).read
      const running = await window('running')
      if ((await progress(db)).read > read) pairs.push({ stopped, running })
    }
    const { read } = await progress(db)
    const ratio = median(pairs.map(({ stopped, running }) => median(running) / median(stopped)))
    const all = (kind: 'stopped' | 'running') => pairs.flatMap((pair) => pair[kind])
    const share = (kind: 'stopped' | 'running') => (100 * cpu[kind]) / (pairs.length * WINDOW_MS)
    printTable(
      `Lists of another account beside an import, ${pairs.length} pairs of ${WINDOW_MS / 1000} s`,
      ['', 'measured', 'target', ''],
      [
        ['median while the import is stopped, ms', median(all('stopped')), '', ''],
        ['median while it runs, ms', median(all('running')), '', ''],
        ['median of the ratios of the pairs', ratio, `≤ ${RATIO}`, verdict(ratio <= RATIO)],
        ['processor time of the service while stopped, % of a core', share('stopped'), '', ''],
        ['the same while it runs', share('running'), '', ''],
        ['records read', read, '', ''],
      ],
    )
  } finally {
    await server.stop()
    await db.close()
    await store.drop()
  }
}

async function scene(cluster: Cluster, tools: Tools, kills: number) {
  const opened = await openScene(cluster, tools, `import_${kills}`)
  const { store, db, serve, studio, list, begin } = opened
  let { server } = opened
  try {
    const quiet = await during(QUIET_MS, list)
    const before = memoryOf(server.pid)
    const used = await cpuOfEach([server.pid])
    const started = performance.now()
    await begin()
    const took: number[] = []
    let [most, killed] = [0, 0]
    const all = Object.values(tools.amounts).reduce((sum, one) => sum + one, 0)
    for (;;) {
      const { running, read, failed } = await progress(db)
      if (failed) throw new Error(`An import failed: ${failed}`)
      if (!running) break
      if (performance.now() - started > GIVEN_UP_MS) throw new Error('The imports did not end within an hour.')
      if (killed < kills && read > ((killed + 1) * all) / (kills + 1)) {
        process.kill(server.pid, 'SIGKILL')
        await server.stop()
        killed++
        server = await serve()
      }
      if (kills === 0) {
        took.push(...(await during(2_000, list)))
        most = Math.max(most, memoryOf(server.pid))
      } else await sleep(100)
    }
    const minutes = (performance.now() - started) / 60_000
    const cpu = kills === 0 ? usedBetween(used, await cpuOfEach([server.pid])) : Number.NaN
    return {
      minutes,
      cpu,
      extraMb: Math.max(0, most - before),
      quiet,
      during: took,
      kills: killed,
      ...(await judged(db, studio.project, tools)),
    }
  } finally {
    await server.stop()
    await db.close()
    await store.drop()
  }
}

async function furnish(db: Pool, { config }: Tools) {
  const told = {
    accounts: ['studio', 'other'].map((key) => ({ key, name: key, plan: 'enterprise', credits: null })),
    users: ['studio', 'other'].map((key) => ({ key, email: `${key}@bench.example`, name: key, accounts: { [key]: 'owner' } })),
    projects: ['studio', 'other'].map((key) => ({ key, account: key, name: key, engine: 'unreal', members: { [key]: 'owner' } })),
    tokens: ['studio', 'other'].map((key) => ({ key, user: key, name: key, scopes: SCOPES })),
    integrations: Object.keys(config).map((provider) => ({ key: provider, project: 'studio', provider })),
    tasks: Array.from({ length: TASKS }, (_, at) => ({ project: 'other', title: `Task ${at}` })),
  }
  const world = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(told))]), { vault: new Vault(SECRET) })
  const integrations = Object.keys(config).map((key) => world.integrations![key]!.id as number)
  for (const [at, settings] of Object.values(config).entries())
    await db.execute(sql`update integrations set config = ${JSON.stringify(settings)}::jsonb where id = ${integrations[at]!}`)
  await db.execute(sql`delete from outbox`)
  const of = (key: string) => ({ project: world.projects![key]!.id as number, token: world.tokens![key]!.token as string })
  return { ...of('studio'), other: of('other'), integrations }
}

const progress = async (db: Pool) =>
  (await db.one<{ running: boolean; read: number; failed: string | null }>(sql`
    select bool_or(state = 'running') as running, max(message) filter (where state = 'failed') as failed,
      coalesce(sum((select sum((part.value ->> 'read')::integer) from jsonb_each(counts) part)), 0)::integer as read from imports`))!

/** What is there beside what must be there. */
async function judged(db: Pool, project: number, { amounts }: Tools) {
  const found = (await db.one<Record<string, number>>(sql`
    select (select count(*) from changes where project_id = ${project})::integer as changes,
      (select count(*) from change_branches where project_id = ${project})::integer as placed,
      (select sum(jsonb_array_length(files)) from changes where project_id = ${project})::integer as files,
      (select sum(version) from assets where project_id = ${project})::integer as versions,
      (select count(distinct external_id) from build_runs where project_id = ${project})::integer as builds,
      (select count(*) from build_runs where project_id = ${project})::integer as build_rows,
      (select count(distinct key) from external_references where project_id = ${project})::integer as issues,
      (select count(*) from external_references where project_id = ${project})::integer as issue_rows,
      (select count(distinct external_key) from deployments where project_id = ${project})::integer as deployments,
      (select count(*) from deployments where project_id = ${project})::integer as deployment_rows`))!
  const numbers = Array.from({ length: amounts.changes }, (_, at) => at)
  const files = numbers.reduce((sum, at) => sum + filesOf(at), 0) + 2 * amounts.commits
  const changes = amounts.changes + amounts.commits
  const deployments = amounts.deployments + amounts.releases
  const expected: Record<string, number> = {
    changes,
    placed: changes,
    files,
    // Every file is an asset, and no change has one twice.
    versions: files,
    builds: amounts.builds,
    build_rows: amounts.builds,
    issues: amounts.issues,
    issue_rows: amounts.issues,
    deployments,
    deployment_rows: deployments,
  }
  let wrong = 0
  for (const [name, count] of Object.entries(expected)) {
    if (found[name] !== count) console.error(`${name}: ${found[name]} instead of ${count}`)
    wrong += Math.abs((found[name] ?? 0) - count)
  }
  const { messages } = (await db.one<{ messages: number }>(sql`
    select ((select count(*) from outbox where project_id = ${project}) + (select count(*) from notifications where project_id = ${project})
      + (select count(*) from approvals where project_id = ${project}) + (select count(*) from breakages where project_id = ${project}))::integer
      as messages`))!
  return { wrong, messages }
}

async function timed(url: string, token: string): Promise<number> {
  const began = performance.now()
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`The list answers ${answer.status}.`)
  return performance.now() - began
}

async function during(ms: number, ask: () => Promise<number>): Promise<number[]> {
  const took: number[] = []
  for (const end = performance.now() + ms; performance.now() < end; await sleep(EVERY_MS)) took.push(await ask())
  return took
}

/** Of a process and those that it started, in MB. */
function memoryOf(pid: number): number {
  const status = (one: number) => {
    try {
      return readFileSync(`/proc/${one}/status`, 'utf8')
    } catch {
      return ''
    }
  }
  const number = (text: string, name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), text: status(Number(name)) }))
  const below = (parent: number): number =>
    all
      .filter(({ text }) => number(text, 'PPid') === parent)
      .reduce((sum, one) => sum + number(one.text, 'VmRSS') + below(one.pid), 0)
  return (number(status(pid), 'VmRSS') + below(pid)) / 1024
}
