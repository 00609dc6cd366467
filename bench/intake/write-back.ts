import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { SCOPES } from '../../src/contract/sets.ts'
import { openDatabase, type Pool, sql } from '../../src/db/database.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import { loadWorld } from '../../src/world/world.ts'
import { cpuOfEach, usedBetween } from '../harness/cpu.ts'
import type { Cluster } from '../harness/database.ts'
import { build, SECRET, type Server, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'
import { type Answer, github, gitlab, perforce, SUBJECTS, type Ways, type WrittenTo } from '../harness/written-to.ts'
import { jira, linear } from '../harness/written-trackers.ts'

const UPDATES = 2_000
const SECONDS_MAX = 5
/** Between one report with one edit and the next. */
const PAUSE_MS = 50
const GIVEN_UP_MS = 120_000

const TOOLS = { github, gitlab, perforce, jira, linear }
type Name = keyof typeof TOOLS
const NAMES = Object.keys(TOOLS) as Name[]

/**
 * Results are written to a tool while somebody edits there what they are written to, and the tool sends webhooks about both and about everything
 * that is written to it: `npm run bench -- write-back 10000 github` makes more updates of one tool only.
 */
export async function benchWriteBack(cluster: Cluster) {
  const [given = UPDATES, ...names] = process.argv.slice(3)
  const updates = Number(given)
  const wrong = names.filter((name) => !(name in TOOLS))
  if (!(updates >= 2) || wrong.length > 0) throw new Error(`Usage: npm run bench -- write-back [UPDATES] [${NAMES.join('|')}]…`)
  build()
  const store = await cluster.create('write_back')
  const db = openDatabase(store.url, { max: 4 })
  const server = await startGoldmaster(store.url, { ALLOW_PRIVATE_HOSTS: '127.0.0.1', LOG_LEVEL: 'error' })
  try {
    for (const name of names.length > 0 ? (names as Name[]) : NAMES) await measure(db, server, await TOOLS[name](), updates)
  } finally {
    await server.stop()
    await db.close()
    await store.drop()
  }
}

async function measure(db: Pool, server: Server, tool: WrittenTo, updates: number) {
  const { project, ways } = await furnish(db, server, tool)
  await tool.begin(ways)
  let [echoes, reports] = [0, 0]
  const reportedAt = new Map<string, number>()
  const took: number[] = []
  const known = new Set<string>()
  const told: ReturnType<WrittenTo['hooks']> = []
  const look = () => {
    for (const mark of tool.marks()) {
      const began = reportedAt.get(mark)
      if (began === undefined) continue
      // Written again once a failure is investigated.
      reportedAt.delete(mark)
      took.push(performance.now() - began)
    }
  }
  /** The tool tells us what we wrote. */
  const tellBack = async () => {
    look()
    for (const hook of tool.hooks()) {
      told.push(hook)
      echoes += recordsIn(await hook(ways)).filter((record) => !known.has(record)).length
      look()
    }
  }
  const used = await cpuOfEach([server.pid])
  const began = performance.now()
  for (let at = 0; at < updates / 2; at++) {
    const mark = await tool.report(ways, at)
    reportedAt.set(mark, performance.now())
    reports++
    for (const record of recordsIn(await tool.edit(ways, at))) known.add(record)
    await tellBack()
    await sleep(PAUSE_MS)
  }
  for (const end = performance.now() + GIVEN_UP_MS; performance.now() < end && (await waiting(db)) > 0; await sleep(200))
    await tellBack()
  await tellBack()
  const minutes = (performance.now() - began) / 60_000
  const cpu = usedBetween(used, await cpuOfEach([server.pid]))
  // Once more: nothing may follow from it.
  const [writes, before] = [tool.writes.length, await rowsOf(db, project)]
  for (const hook of told.slice(-500)) await hook(ways)
  await sleep(3_000)
  const late = tool.writes.length - writes + ((await rowsOf(db, project)) - before)
  took.sort((one, other) => one - other)
  const p = (share: number) => (took[Math.floor(took.length * share)] ?? Number.NaN) / 1000
  printTable(
    `Writing back to ${tool.provider}: ${reports} ${tool.reports} and ${reports} edits of ${SUBJECTS} ${tool.subjects}`,
    ['', 'measured', 'target', ''],
    [
      ['minutes', minutes, '', ''],
      ['writes', tool.writes.length, '', ''],
      ['webhooks about them', told.length, '', ''],
      ['from a report to what is written, p50 s', p(0.5), '', ''],
      ['the same, p99 s', p(0.99), `≤ ${SECONDS_MAX}`, verdict(p(0.99) <= SECONDS_MAX)],
      ['the same, longest, s', p(0.99999), '', ''],
      ['reports that a later one overtook', reports - took.length, '', ''],
      ['records made by what was written', echoes, '0', verdict(echoes === 0)],
      ['writes and records after the last report', late, '0', verdict(late === 0)],
      ['comments', tool.comments.length, String(SUBJECTS), verdict(tool.comments.length === SUBJECTS)],
      ['processor time of the service, seconds', cpu / 1000, '', ''],
    ],
  )
  await tool.close()
}

const recordsIn = ({ records = [] }: Answer) => records.map(({ type, id }) => `${type} ${id}`)

async function furnish(db: Pool, server: Server, { provider, config }: WrittenTo): Promise<{ project: number; ways: Ways }> {
  const told = {
    accounts: [{ key: 'studio', name: provider, plan: 'enterprise', credits: null }],
    users: [{ key: 'kim', email: `kim@${provider}.example`, name: 'Kim', accounts: { studio: 'owner' } }],
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
    projects: [{ key: 'star', account: 'studio', name: 'Starfall', engine: 'unreal' }],
    integrations: [provider, 'jenkins'].map((name) => ({ key: name, project: 'star', provider: name })),
  }
  const { integrations, projects, tokens } = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(told))]), {
    vault: new Vault(SECRET),
  })
  const project = projects!.star!.id as number
  await db.execute(sql`
    update integrations set config = ${JSON.stringify(config)}::jsonb, write_back = true where project_id = ${project} and provider = ${provider}`)
  const ask = async (method: string, path: string, headers: Record<string, string>, body?: object): Promise<never> => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as never
  }
  const hook =
    (path: string, name: string) =>
    (body: object, headers: Record<string, string> = {}) =>
      ask('POST', `/webhooks/${path}?token=${integrations![name]!.webhook_token}`, headers, body)
  const authorization = `Bearer ${tokens!.kim!.token}`
  const api: Ways['api'] = (method, path, body) => ask(method, `/api/v1/projects/${project}${path}`, { authorization }, body)
  return { project, ways: { tell: hook(provider, provider), ci: hook('ci', 'jenkins'), api } }
}

const waiting = async (db: Pool) =>
  (await db.one<{ count: number }>(sql`
    select count(*)::integer as count from jobs
    where kind in ('write_back', 'write_back_issue', 'ingest', 'investigate_failure', 'investigate') and state in ('scheduled', 'waiting', 'running')`))!
    .count

const rowsOf = async (db: Pool, project: number) =>
  (await db.one<{ rows: number }>(sql`
    select ((select count(*) from build_runs where project_id = ${project}) + (select count(*) from changes where project_id = ${project})
      + (select count(*) from external_references where project_id = ${project}) + (select count(*) from outbox where project_id = ${project}))::integer as rows`))!
    .rows
