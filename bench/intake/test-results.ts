import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { SCOPES } from '../../src/contract/sets.ts'
import { openDatabase, type Pool, sql } from '../../src/db/database.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import { loadWorld } from '../../src/world/world.ts'
import { cpuOfEach, usedBetween } from '../harness/cpu.ts'
import type { Cluster } from '../harness/database.ts'
import { build, SECRET, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

/** The parts of answers that are read here. */
interface Answer {
  failing: { id: string }[]
  breakages: { cause: string }[]
}

const CASES = 50_000
const FAILING = 100
const BUILDS = 200
const ASKED = 30

/**
 * A job of 50,000 tests and 200 builds: uploads, bytes per build, the history of a test, the lists of a project, deleting half of the runs,
 * and how soon a breakage names a test. `npm run bench -- test-results 20` uploads 20 builds and copies the others in the database.
 */
export async function benchTestResults(cluster: Cluster) {
  const uploads = Math.min(BUILDS, Number(process.argv[3] ?? BUILDS))
  build()
  const store = await cluster.create('tests')
  const db = openDatabase(store.url, { max: 2 })
  const world = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(WORLD))]), { vault: new Vault(SECRET) })
  const server = await startGoldmaster(store.url)
  const site = `http://127.0.0.1:${server.port}`
  const token = world.integrations.ci!.webhook_token
  const project = `${site}/api/v1/projects/${world.projects.star!.id}`
  const get = async (path: string) => {
    const answer = await fetch(`${project}/${path}`, { headers: { authorization: `Bearer ${world.tokens.ann!.token}` } })
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}.`)
    return answer.json() as Promise<Answer>
  }
  const post = async (path: string, body: Uint8Array<ArrayBuffer> | string, type: string) => {
    const answer = await fetch(`${site}/webhooks/${path}`, {
      method: 'POST',
      headers: { 'content-type': type, 'x-webhook-token': token },
      body,
    })
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`)
  }
  const report = (number: number, status: string) =>
    post('ci', JSON.stringify({ job_name: 'Tests', build_number: String(number), status, branch: 'main' }), 'application/json')
  const upload = (number: number, body: Uint8Array<ArrayBuffer>) =>
    post(`tests?job_name=Tests&build_number=${number}`, body, 'application/xml')
  const measured = () => measuring(db, server.pid)
  try {
    const sizes: number[] = []
    const times: Measured[] = []
    for (let number = 1; number <= uploads; number++) {
      await report(number, 'SUCCESS')
      const body = reportOf(number)
      const before = await bytesOf(db)
      const end = await measured()
      await upload(number, body)
      times.push(await end())
      sizes.push((await bytesOf(db)) - before)
    }
    await copyBuilds(db, uploads)
    await db.execute(sql`analyze`)
    const id = (await get('tests?job=Tests')).failing[0]!.id
    const asked = async (path: string) => {
      await get(path)
      const found: Measured[] = []
      for (let i = 0; i < ASKED; i++) {
        const end = await measured()
        await get(path)
        found.push(await end())
      }
      return found
    }
    const [history, lists, ofBuild] = [
      await asked(`tests/${id}`),
      await asked('tests'),
      await asked(`build_runs/${await newest(db)}/tests`),
    ]
    const named = await breakageSeconds(report, upload, get)
    const ended = await measured()
    await db.execute(
      sql`delete from test_runs where received_at < (select percentile_disc(0.5) within group (order by received_at) from test_runs)`,
    )
    const deleting = await ended()
    const later = sizes.slice(1)
    const kB = later.reduce((sum, size) => sum + size, 0) / later.length / 1_000
    const row = (what: string, all: Measured[], target: number) => {
      const ms = median(all.map(({ wall }) => wall))
      return [
        what,
        Math.round(ms),
        Math.round(median(all.map(({ processor }) => processor))),
        `≤ ${target}`,
        verdict(ms <= target),
      ]
    }
    printTable(
      `${CASES.toLocaleString('en')} tests, ${FAILING} of them failing, × ${BUILDS} builds, ${uploads} of them uploaded`,
      ['median ms', 'measured', 'processor', 'target', ''],
      [
        row('upload of a further build', times.slice(1), 3_000),
        row('history of a test', history, 50),
        row('tests of the project', lists, 50),
        row('tests of a build', ofBuild, 50),
        ['breakage names the test after', Math.round(1_000 * named), '', '≤ 10000', verdict(named <= 10)],
        ['deleting half of the runs', Math.round(deleting.wall), Math.round(deleting.processor), '', ''],
      ],
    )
    console.log(
      `First build ${(sizes[0]! / 1e6).toFixed(1)} MB in ${(times[0]!.wall / 1_000).toFixed(1)} s, each further one ${kB.toFixed(0)} kB (target 300).`,
    )
  } finally {
    await server.stop()
    await db.close()
    await store.drop()
  }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)]!

interface Measured {
  wall: number
  processor: number
}

/** Time and processor time of the service with its child processes and of PostgreSQL, from now until the answer is called. */
async function measuring(db: Pool, pid: number): Promise<() => Promise<Measured>> {
  const pids = [pid, ...(await childrenOf(pid))]
  const { backends } = (await db.one<{ backends: number[] }>(sql`
    select array_agg(pid) as backends from pg_stat_activity where datname = current_database()`))!
  const before = await cpuOfEach([...pids, ...backends])
  const began = performance.now()
  return async () => {
    const wall = performance.now() - began
    return { wall, processor: usedBetween(before, await cpuOfEach([...pids, ...(await childrenOf(pid)), ...backends])) }
  }
}

const childrenOf = async (pid: number): Promise<number[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')).split(' ').filter(Boolean).map(Number)

async function bytesOf(db: Pool): Promise<number> {
  const { bytes } = (await db.one<{ bytes: number }>(sql`
    select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
    where relname in ('test_builds', 'test_reports', 'test_cases', 'test_runs', 'test_failures', 'flaky_tests') and relkind = 'r'`))!
  return bytes
}

const newest = async (db: Pool) => (await db.one<{ id: string }>(sql`select max(id)::text as id from build_runs`))!.id

/** A hundred failures of three causes, other tests in each build. */
function reportOf(number: number, failing = (at: number) => at % (CASES / FAILING) === number % 7): Uint8Array<ArrayBuffer> {
  const cases = Array.from({ length: CASES }, (_, at) => {
    const name = `classname="Game.Suite${Math.floor(at / 100)}" name="keeps rule ${at} of the simulation" time="${((at * 37 + number) % 900) / 1_000}"`
    return failing(at)
      ? `<testcase ${name}><failure message="Expected ${at % 3 === 0 ? 'speed' : at % 3 === 1 ? 'height' : 'armor'} to be 12">at Source/Game/Rule${at}.cpp:${at % 90}\n${'  at Source/Game/Simulation.cpp:12\n'.repeat(5)}</failure></testcase>`
      : `<testcase ${name}/>`
  })
  return new Uint8Array(gzipSync(`<testsuite name="Game">${cases.join('\n')}</testsuite>`))
}

/** The same rows as an upload writes, for the builds that are not uploaded. */
async function copyBuilds(db: Pool, uploads: number) {
  if (uploads >= BUILDS) return
  await db.execute(sql`
    with last as (select * from test_builds order by id desc limit 1),
    built as (
      insert into build_runs (account_id, project_id, integration_id, ci_job_name, build_number, status, branch, build_type, target_type)
      select b.account_id, b.project_id, b.integration_id, b.ci_job_name, n::text, b.status, b.branch, b.build_type, b.target_type
      from generate_series(${uploads + 1}::integer, ${BUILDS}::integer) n, last l join build_runs b on b.account_id = l.account_id and b.id = l.build_run_id
      returning account_id, project_id, integration_id, ci_job_name, build_number, id)
    insert into test_builds (account_id, project_id, integration_id, ci_job_name, build_number, build_run_id)
    select account_id, project_id, integration_id, ci_job_name, build_number, id from built`)
  await db.execute(sql`
    insert into test_runs select r.account_id, t.id, r.test_report_id, r.passed, r.failed, r.errors, r.skipped, r.flaky, r.duration_ms, r.outcomes,
      r.durations, now() + t.build_number::integer * interval '1 second'
    from test_builds t cross join lateral (select * from test_runs order by received_at desc limit 1) r
    where not exists (select from test_runs o where o.account_id = t.account_id and o.test_build_id = t.id)`)
  await db.execute(sql`
    insert into test_failures select f.account_id, f.project_id, t.id, f.test_case_id, f.outcome, f.cause, f.message, f.details, f.output, f.file, f.line, now()
    from test_builds t join test_failures f on f.test_build_id = (select max(test_build_id) from test_failures)
    where not exists (select from test_failures o where o.account_id = t.account_id and o.test_build_id = t.id)`)
}

/** Seconds from the answer of an upload with one new failure until a breakage names the test. */
async function breakageSeconds(
  report: (number: number, status: string) => Promise<void>,
  upload: (number: number, body: Uint8Array<ArrayBuffer>) => Promise<void>,
  get: (path: string) => Promise<Answer>,
): Promise<number> {
  await report(BUILDS + 1, 'SUCCESS')
  await upload(
    BUILDS + 1,
    reportOf(BUILDS + 1, () => false),
  )
  await report(BUILDS + 2, 'FAILURE')
  const body = reportOf(BUILDS + 2, (at) => at === 4_321)
  await upload(BUILDS + 2, body)
  const began = performance.now()
  for (;;) {
    const { breakages } = await get('breakages')
    if (breakages.some(({ cause }) => cause.includes('keeps rule 4321'))) return (performance.now() - began) / 1_000
    if (performance.now() - began > 60_000) throw new Error('No breakage names the test after a minute.')
    await sleep(100)
  }
}

const WORLD = {
  accounts: [{ key: 'owl', name: 'Bench Studio', plan: 'enterprise', credits: null }],
  users: [{ key: 'ann', email: 'ann@bench.example', name: 'Ann', accounts: { owl: 'owner' } }],
  projects: [{ key: 'star', account: 'owl', name: 'Harbour' }],
  tokens: [{ key: 'ann', user: 'ann', name: 'bench', scopes: SCOPES }],
  integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
}
