import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../src/contract/sets.ts'
import { raw, sql } from '../src/db/database.ts'
import { fileKey } from '../src/db/file-key.ts'
import { folderFiles } from '../src/domain/files/file-store.ts'
import { openNode } from './support/killing.ts'
import { openStudio, type Studio } from './support/studio.ts'
import { until } from './support/until.ts'

let studio: Studio
// One for all nodes: a database whose nodes have different folders would lose files.
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'goldmaster-files-'))
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
    integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
    tasks: [{ key: 'task', project: 'star', title: 'Cook' }],
    build_runs: [
      {
        key: 'build',
        project: 'star',
        integration: 'ci',
        status: 'building',
        ci_job_name: 'Pack',
        build_number: '1',
      },
    ],
  })
})
afterAll(async () => {
  await studio.close()
  await rm(folder, { recursive: true, force: true })
})

const CASES = 5_000
const FAILING = 10

const file = (suite: string) => {
  const cases = Array.from(
    { length: CASES },
    (_, at) =>
      `<testcase classname="${suite}" name="keeps rule ${at}">${at < FAILING ? '<failure message="broken"/>' : ''}</testcase>`,
  )
  return new Blob([`<testsuite name="${suite}">${cases.join('')}</testsuite>`])
}

const stored = () =>
  studio.db.one<Record<string, number>>(sql`
    select (select count(*) from test_builds) as builds, (select coalesce(sum(cardinality(digests)), 0) from test_builds)::integer as files,
      (select count(*) from test_reports) as reports, (select count(*) from test_cases) as cases, (select count(*) from test_runs) as runs,
      (select coalesce(sum(passed + failed), 0) from test_runs)::integer as outcomes, (select count(*) from test_failures) as failures,
      (select count(*) from jobs where kind = 'judge_tests') as jobs`)

/** How many statements of the node wait for the lock on a table that is held here. */
const waitingFor = async (table: string) =>
  (await studio.db.one<{ waiting: number }>(sql`
    select count(*) as waiting from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()
      and l.relation = ${table}::regclass`))!.waiting
/** How many sessions wait for any lock: one that holds the account's counter of files makes the next one wait for that. */
const blocked = async () =>
  (await studio.db.one<{ sessions: number }>(sql`
    select count(distinct l.pid)::integer as sessions from pg_locks l join pg_stat_activity a using (pid)
    where not l.granted and a.datname = current_database()`))!.sessions
const isWaiting = async () => (await waitingFor('test_failures')) > 0

test('kill -9 in the middle of an upload: nothing of it is stored, and sending it again stores it once', async () => {
  const node = await openNode(studio, { FILES_DIR: folder })
  const upload = async () => {
    const body = new FormData()
    for (const suite of ['Ai', 'Net']) body.append('file', file(suite), `${suite}.xml`)
    const answer = await fetch(`${node.site}/webhooks/tests?job_name=Tests&build_number=7`, {
      method: 'POST',
      headers: { 'x-webhook-token': studio.world.integrations.ci!.webhook_token },
      body,
    })
    return (await answer.json()) as { status: string }
  }
  // The upload waits before it writes its failures: builds, cases and outcomes are written by then.
  await studio.db.transaction(async (db) => {
    await db.execute(sql`lock table test_failures in share mode`)
    const cut = upload().catch(() => 'cut')
    await until(isWaiting)
    expect(await node.kill()).toBe('SIGKILL')
    expect(await cut).toBe('cut')
  })
  await until(async () => !(await isWaiting()))
  await node.start()
  const nothing = { builds: 0, files: 0, reports: 0, cases: 0, runs: 0, outcomes: 0, failures: 0, jobs: 0 }
  expect(await stored()).toEqual(nothing)

  expect(await upload()).toMatchObject({ status: 'recorded' })
  const { jobs: _, ...once } = (await stored())!
  expect(once).toEqual({ builds: 1, files: 2, reports: 1, cases: 2 * CASES, runs: 1, outcomes: 2 * CASES, failures: 2 * FAILING })
  expect(await upload()).toMatchObject({ status: 'duplicate' })
  expect(await stored()).toMatchObject(once)
  expect(await node.kill('SIGTERM')).toBe(0)
})

test('kill -9 while an attachment and an artifact are stored: no reference without a file, and both can be sent again', async () => {
  const node = await openNode(studio, { FILES_DIR: folder })
  const project = studio.world.projects.star!.id
  const api = async (path: string, init: RequestInit = {}) =>
    fetch(`${node.site}/api/v1/projects/${project}/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${studio.world.tokens.kim!.token}`, 'content-type': 'application/json', ...init.headers },
    })
  const said = await api(`tasks/${studio.world.tasks.task!.id}/comments`, {
    method: 'POST',
    body: JSON.stringify({ body: 'See' }),
  })
  const { id: comment } = (await said.json()) as { id: number }
  const bytes = randomBytes(300_000)
  const attach = () =>
    api(`comments/${comment}/attachments?name=dump.bin`, {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
    })
  const upload = randomUUID()
  const keep = () =>
    fetch(
      `${node.site}/webhooks/artifacts?${new URLSearchParams({ job_name: 'Pack', build_number: '1', name: 'Game.zip', upload, size: String(bytes.length), offset: '0' })}`,
      { method: 'POST', body: bytes, headers: { 'x-webhook-token': studio.world.integrations.ci!.webhook_token } },
    )
  const references = () =>
    studio.db.rows<{ account_id: number; sha256: Buffer; bytes: number }>(sql`
      select account_id, sha256, bytes from files union all select account_id, sha256, bytes from artifact_pieces`)
  const store = folderFiles(folder)
  // Before the bytes are in the store, and after: their references are written last.
  for (const tables of [['file_contents'], ['files', 'artifact_pieces']]) {
    await studio.db.transaction(async (db) => {
      for (const table of tables) await db.execute(sql`lock table ${raw(table)} in share mode`)
      const cut = [attach(), keep()].map((sent) => sent.then(() => 'answered').catch(() => 'cut'))
      await until(async () => (await Promise.all(tables.map(waitingFor))).some((one) => one > 0) && (await blocked()) >= 2)
      expect(await node.kill()).toBe('SIGKILL')
      expect(await Promise.all(cut)).toEqual(['cut', 'cut'])
    })
    await until(async () => (await Promise.all(tables.map(waitingFor))).every((waiting) => waiting === 0))
    await node.start()
    expect(await references()).toEqual([])
    expect(await (await api(`build_runs/${studio.world.build_runs.build!.id}/artifacts`)).json()).toMatchObject({ artifacts: [] })
  }
  expect((await attach()).status).toBe(201)
  expect(await (await keep()).json()).toMatchObject({ status: 'complete' })
  const known = await references()
  expect(known).toHaveLength(2)
  for (const { account_id, sha256, bytes: length } of known)
    expect(await store.read(fileKey(account_id, sha256), 0, length)).toEqual(bytes)
  expect(await node.kill('SIGTERM')).toBe(0)
})
