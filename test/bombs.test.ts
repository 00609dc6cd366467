import { delimiter } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../src/contract/sets.ts'
import { sql } from '../src/db/database.ts'
import { pngOf } from './support/files/pictures.ts'
import { openNode } from './support/killing.ts'
import { ANSWERS, blank, MIB, PRINTED } from './support/servers/bombs.ts'
import { type LocalServer, openLocalServer } from './support/servers/local-server.ts'
import { scratch, standIn } from './support/stand-in.ts'
import { openStudio, type Studio } from './support/studio.ts'
import { until } from './support/until.ts'
import { mainThreadMs } from './support/work.ts'

/** Every bomb at every door with BOMBS=all, which takes minutes; otherwise one of each kind at each door. */
const ALL = process.env.BOMBS === 'all'
/** Of the service; Node's own default is several times as much. */
const HEAP_MB = 512
/** Of the main thread's work, while somebody else waits for an answer. */
const SILENCE_MS = 500

const ANSWERED = ALL ? Object.keys(ANSWERS) : ['wide', 'endless']

const PRINTING = ALL ? Object.keys(PRINTED) : ['wide', 'lines']

const junit = (cases: string) => `<testsuite name="a">${cases}</testsuite>`
const cases = junit('<testcase name="a"/>'.repeat(190_000))

async function multipart(files: (string | Buffer)[]) {
  const form = new FormData()
  for (const [i, file] of files.entries()) form.append('file', new Blob([new Uint8Array(gzipSync(file))]), `${i}`)
  const request = new Request('http://localhost', { method: 'POST', body: form })
  return { body: Buffer.from(await request.arrayBuffer()), type: request.headers.get('content-type')! }
}

interface Bomb {
  name: string
  path: string
  body: Buffer | string
  type?: string
  encoding?: string
  /** Also without BOMBS=all. */
  isShort?: true
}

async function uploads(): Promise<Bomb[]> {
  const tests = '/webhooks/tests?job_name=Game&build_number=1'
  const test = async (name: string, files: (string | Buffer)[], isShort?: true): Promise<Bomb> => {
    const { body, type } = await multipart(files)
    return { name: `tests: ${name}`, path: tests, body, type, ...(isShort && { isShort }) }
  }
  const unreal = (inside: string) => `{"tests":[{"fullTestPath":"a","entries":${inside}}]}`
  return [
    await test('cases × 14', Array(14).fill(cases), true),
    await test('cases × 140', Array(140).fill(junit('<testcase name="a"/>'.repeat(19_000)))),
    await test('blank × 14', Array(14).fill(junit(' '.repeat(60 * MIB)))),
    await test('2,000 files', Array(2_000).fill(junit('<testcase name="a"/>'))),
    await test('wide JSON', Array(14).fill(unreal(`[${'{},'.repeat(MIB)}0]`))),
    await test('deep JSON', [unreal('['.repeat(MIB))]),
    await test('deep XML', [junit('<a>'.repeat(MIB))]),
    await test('attributes', [junit(`<testcase ${Array.from({ length: 500_000 }, (_, i) => `a${i}=""`).join(' ')}/>`)]),
    await test('entities', [`<!DOCTYPE a [<!ENTITY a "${'a'.repeat(MIB)}">]>${junit('&a;'.repeat(MIB))}`]),
    { name: 'delivery: wide', path: '/webhooks/github', body: `[${'{},'.repeat(8 * MIB)}0]`, isShort: true },
    { name: 'delivery: deep', path: '/webhooks/github', body: '['.repeat(25 * MIB) },
    { name: 'delivery: lines', path: '/webhooks/github', body: '{}\n'.repeat(8 * MIB), type: 'text/plain' },
    { name: 'delivery: form', path: '/webhooks/github', body: 'a&'.repeat(12 * MIB), type: 'application/x-www-form-urlencoded' },
    { name: 'people list: wide', path: '/webhooks/people', body: `{"list":[${'{},'.repeat(900_000)}0]}`, isShort: true },
    { name: 'people list: deep', path: '/webhooks/people', body: '['.repeat(2_900_000) },
    {
      name: 'log: blank',
      path: '/webhooks/ci/log?job_name=Game&build_number=1&offset=0',
      body: blank,
      type: 'text/plain',
      encoding: 'gzip',
      isShort: true,
    },
  ]
}

let studio: Studio
let server: LocalServer
const p4 = scratch()
beforeAll(async () => {
  let asked = 0
  server = await openLocalServer((request, reply) => {
    const kind = /^\/(\w+)/.exec(request.url!)?.[1] ?? ''
    void ANSWERS[kind]?.(reply, `${server.url}${request.url!.split('?')[0]}`, ++asked)
  })
  standIn(
    p4.folder,
    'p4',
    `const write = (text) => process.stdout.write(text)
    const print = { ${Object.entries(PRINTED)
      .map(([kind, script]) => `${kind}() { ${script} }`)
      .join(', ')} }
    print[process.env.P4USER]?.()`,
  )
  const at = (kind: string) => ({ server: `${server.url}/${kind}/repos/owl/star`, api_token: 'secret' })
  studio = await openStudio({
    accounts: ['owl', 'fox'].map((key) => ({ key, name: key, plan: 'enterprise', credits: null })),
    users: [
      { key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } },
      { key: 'lee', email: 'lee@example.com', name: 'Lee', accounts: { fox: 'owner' } },
    ],
    projects: [
      { key: 'star', account: 'owl', name: 'Starfall' },
      { key: 'den', account: 'fox', name: 'Den' },
      ...ANSWERED.map((kind) => ({ key: kind, account: 'owl', name: kind })),
      ...PRINTING.map((kind) => ({ key: `p4_${kind}`, account: 'owl', name: `p4 ${kind}` })),
    ],
    assets: [{ key: 'art', project: 'star', name: 'Art', path: 'Content/T_Art.png' }],
    tokens: [
      { key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES },
      { key: 'lee', user: 'lee', name: 'lee', scopes: SCOPES },
    ],
    tasks: [{ key: 'task', project: 'den', title: 'Dig' }],
    integrations: [
      { key: 'github', project: 'star', provider: 'github' },
      { key: 'jenkins', project: 'star', provider: 'jenkins' },
      ...['perforce'].map((provider) => ({ key: provider, project: 'star', provider })),
      ...ANSWERED.map((kind) => ({ key: kind, project: kind, provider: 'github', config: at(kind) })),
      ...PRINTING.map((kind) => ({
        key: `p4_${kind}`,
        project: `p4_${kind}`,
        provider: 'perforce',
        config: { server: '127.0.0.1:1666', user: kind, depot_paths: '//game/main' },
      })),
    ],
    build_runs: ANSWERED.map((kind) => ({
      key: kind,
      project: kind,
      integration: kind,
      status: 'failed',
      ci_job_name: 'Game',
      build_number: '12',
      branch: 'main',
      commit_hash: 'abc123',
    })),
  })
})
afterAll(async () => {
  await server.close()
  await studio.close()
  p4.remove()
})

test('no bomb at any door ends the service or keeps others waiting', { timeout: ALL ? 3_600_000 : 240_000 }, async () => {
  const { world } = studio
  await studio.db.execute(sql`update build_runs set external_id = 'run:12', url = 'https://github.com/owl/star/actions/runs/12'`)
  const node = await openNode(studio, {
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
    ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    PATH: `${p4.folder}${delimiter}${process.env.PATH}`,
  })
  const idOf = (kind: 'projects' | 'integrations' | 'build_runs', key: string) => world[kind]![key]!.id
  const as = (key: string) => ({ authorization: `Bearer ${world.tokens[key]!.token as string}` })
  const tokenFor = ({ path }: Bomb) =>
    world.integrations![path.includes('github') ? 'github' : path.includes('people') ? 'perforce' : 'jenkins']!
      .webhook_token as string

  const upload = (bomb: Bomb) =>
    fetch(`${node.site}${bomb.path}${bomb.path.includes('?') ? '&' : '?'}token=${tokenFor(bomb)}`, {
      method: 'POST',
      headers: {
        'content-type': bomb.type ?? 'application/json',
        'x-github-event': 'push',
        'x-webhook-token': tokenFor(bomb),
        'x-service-token': tokenFor(bomb),
        ...(bomb.encoding && { 'content-encoding': bomb.encoding }),
      },
      body: typeof bomb.body === 'string' ? bomb.body : new Uint8Array(bomb.body),
    })
  const post = (path: string, body: Buffer | string, type = 'application/json', method = 'POST') =>
    fetch(`${node.site}${path}`, {
      method,
      headers: { ...as('kim'), 'content-type': type, accept: 'application/json, text/event-stream' },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    })
  const call = (path: string, body?: object) =>
    fetch(`${node.site}/api/v1/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { ...as('kim'), 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  const doors = (kind: string) => {
    const project = `projects/${idOf('projects', kind)}`
    const integration = `${project}/integrations/${idOf('integrations', kind)}`
    const common = [
      { name: `import preview: ${kind}`, send: () => call(`${integration}/import_preview?days_back=90`) },
      { name: `import: ${kind}`, send: () => call(`${integration}/imports`, { days: 90 }) },
    ]
    if (kind.startsWith('p4_')) return common
    return [
      ...common,
      { name: `act: ${kind}`, send: () => call(`${project}/build_runs/${idOf('build_runs', kind)}/ci`, { action: 'start' }) },
      { name: `write-back: ${kind}`, send: () => call(`${integration}/write_back`, { write_back: true }) },
      { name: `file: ${kind}`, send: () => push(kind) },
    ]
  }
  /** Its file is asked for, for a preview. */
  const push = (kind: string) => {
    const token = world.integrations![kind]!.webhook_token as string
    const commit = { id: kind.padEnd(40, '0'), message: kind, added: [`Content/T_${kind}.png`], modified: [], removed: [] }
    return fetch(`${node.site}/webhooks/github?token=${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': kind },
      body: JSON.stringify({
        ref: 'refs/heads/main',
        after: commit.id,
        repository: { full_name: 'owl/star' },
        commits: [commit],
      }),
    })
  }
  const people = (provider: string) => ({
    name: `people: ${provider}`,
    send: () => call(`accounts/${world.accounts!.owl!.id}/connected_accounts/match`, { provider }),
  })
  const star = `/api/v1/projects/${idOf('projects', 'star')}`
  const art = `${star}/assets/${world.assets!.art!.id}/versions/1/preview`
  const requests = [
    { name: 'task: wide', send: () => post(`${star}/tasks`, `{"task":{"title":"a","labels":[${'{},'.repeat(300_000)}0]}}`) },
    { name: 'task: deep', send: () => post(`${star}/tasks`, '['.repeat(1_000_000)) },
    { name: 'assistant: wide', send: () => post('/mcp', `[${'{},'.repeat(300_000)}0]`) },
    { name: 'assistant: deep', send: () => post('/mcp', '['.repeat(1_000_000)) },
    { name: 'preview: large', send: () => post(art, hugePicture(), 'application/octet-stream', 'PUT') },
  ]
  const all = [
    ...(await uploads()).filter(({ isShort }) => ALL || isShort).map((bomb) => ({ name: bomb.name, send: () => upload(bomb) })),
    ...requests,
    people('github'),
    people('perforce'),
    ...[...ANSWERED, ...PRINTING.map((kind) => `p4_${kind}`)].flatMap(doors),
  ]

  // The work of its main thread while a request waits: on a busy machine the clock says little.
  const now = () => mainThreadMs(node.pid()) ?? performance.now()
  let going = true
  const silences: number[] = []
  const lists: number[] = []
  const timed = async (into: number[], path: string, headers: Record<string, string>) => {
    while (going) {
      const began = now()
      const answer = await fetch(`${node.site}${path}`, { headers })
      await answer.arrayBuffer()
      expect([path, answer.status]).toEqual([path, 200])
      into.push(now() - began)
      await sleep(50)
    }
  }
  const others = Promise.all([
    timed(silences, '/healthz', {}),
    timed(lists, `/api/v1/projects/${idOf('projects', 'den')}/tasks`, as('lee')),
  ])
  others.catch(() => {})
  await until(() => silences.length >= 40 && lists.length >= 40)
  const quiet = { health: median(silences), list: median(lists) }
  silences.length = 0
  lists.length = 0

  const told: Record<string, string> = {}
  let next = 0
  const attacker = async () => {
    while (next < all.length) {
      const { name, send } = all[next++]!
      // The service closes a connection that waits in a queue for a minute; what was sent is read nevertheless.
      const answer = await send().catch(() => undefined)
      told[name] = answer ? `${answer.status} ${(await answer.text()).slice(0, 200)}` : 'closed'
    }
  }
  await Promise.all(Array.from({ length: ALL ? 8 : 4 }, attacker))
  // What was accepted goes on in jobs.
  await until(
    async () =>
      (await studio.db.rows(sql`select from imports where state = 'running' and waits_until is null and pages < 5`)).length === 0,
  )
  going = false
  // They would have failed if the service had ended, and it is not started again.
  await others
  const figures = {
    bombs: all.length,
    'healthz ms': [quiet.health, median(silences), Math.max(...silences)].map(Math.round),
    'list ms': [quiet.list, median(lists), Math.max(...lists)].map(Math.round),
  }
  if (ALL) console.log(figures, told)
  // 503 is an account that has too much waiting; nothing is unexpected.
  expect(Object.values(told).filter((answer) => answer.startsWith('500'))).toEqual([])
  expect(told['tests: cases × 14']).toMatch(/^422 .*200000 values or test cases/)
  expect(told['people list: wide']).toMatch(/^422 .*at most 100/)
  expect(told['import preview: wide']).toMatch(/more than 250000 values/)
  // With BOMBS=all, slow servers have all places of their account.
  expect(told['import preview: p4_lines']).toMatch(ALL ? /more than 500000 values|^503/ : /^200 .*more than 500000 values/)
  for (const name of ['task: wide', 'task: deep', 'assistant: wide', 'assistant: deep']) expect(told[name]).toMatch(/^413/)
  expect(told['act: wide']).toMatch(/^422 .*more than/)
  expect(told['preview: large']).toMatch(/^422 /)
  expect(Math.max(...silences)).toBeLessThanOrEqual(SILENCE_MS)
  await node.kill()
})

/** Its header says 30,000 × 30,000 pixels, which are 3.6 GB. */
function hugePicture(): Buffer {
  const picture = pngOf(8, 8, () => [1, 2, 3, 255])
  picture.writeUInt32BE(30_000, 16)
  picture.writeUInt32BE(30_000, 20)
  return picture
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
