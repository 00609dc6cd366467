import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** The load of a noisy account, in a separate process as long as it lives. All of it stays on this machine. */
export interface Noise {
  /** The URL of the service. */
  site: string
  /** The port of the noisy account's servers that never respond. */
  hungPort: number
  project: number
  token: string
  cookie: string
  jenkinsToken: string
  githubToken: string
  /** The newest build of the noisy account, and its oldest. */
  build: number
  oldest: number
}

/** What an account reads repeatedly, by kind; paths below the project unless they start with a slash. */
export const READS = {
  'two-filters': [
    'tasks?label=gameplay&state=blocked',
    'tasks?task_type=bug&priority=high',
    'search/build_runs?branch=main&status=cancelled',
  ],
  'build-changes': ['build_runs/:build/changes', 'build_runs/:build/changes?since_id=:oldest'],
  words: ['search/tasks?q=crate&state=blocked', 'search/changes?q=crate&author=zeppelin'],
  branches: ['branches', 'branches/health?branch=main'],
  news: ['/app/api/v1/projects/:project/deployments/news'],
  feed: ['/api/v1/workspace/events', '/api/v1/workspace/events?days_back=90&event_type=approval.*'],
} as const
export type Reading = keyof typeof READS
/** Each with this many connections. */
export const CONNECTIONS = [16, 64]

export const FLOODS = ['reports', 'jenkins', 'webhooks', 'bodies', 'search'] as const
export type ReadFlood = `${Reading}-${number}`
export type Flood = (typeof FLOODS)[number] | ReadFlood
export const READ_FLOODS = (Object.keys(READS) as Reading[]).flatMap((kind) =>
  CONNECTIONS.map((connections): ReadFlood => `${kind}-${connections}`),
)
export const isReadFlood = (flood: Flood): flood is ReadFlood => READ_FLOODS.includes(flood as ReadFlood)

const JSON_TYPE = { 'content-type': 'application/json' }
/** Responses do not matter, only that the next request follows the previous one. */
const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body }).then(
    (answer) => answer.arrayBuffer(),
    () => sleep(50),
  )

const forEver = async (side: number, act: (turn: number) => Promise<unknown>) => {
  await Promise.all(
    Array.from({ length: side }, async (_, lane) => {
      for (let turn = 0; ; turn++) await act(turn * side + lane)
    }),
  )
}

const unique = () => `${process.pid}${Math.random().toString().slice(2, 10)}`

const LOG = `${'Compiling Source/Physics/Crate.cpp\n'.repeat(7_400)}Crate.cpp(540): error C2065: undeclared\n`
const report = ({ site, jenkinsToken, hungPort }: Noise, log?: string) => {
  const build_number = Number(unique().slice(0, 9))
  const told = log
    ? { status: 'FAILURE', log }
    : { status: 'STARTED', build_url: `http://127.0.0.1:${hungPort}/job/night/${build_number}/` }
  const body = { job_name: 'night', build_number, ...told }
  return post(`${site}/webhooks/ci?token=${jenkinsToken}`, JSON.stringify(body))
}

/** Accepts connections and never responds. */
const hang = (port: number) => createServer(() => {}).listen(port, '127.0.0.1')

/** The paths of a kind in turn, this many at a time. */
function read(flood: ReadFlood, noise: Noise) {
  const split = flood.lastIndexOf('-')
  const paths = READS[flood.slice(0, split) as Reading].map((path) =>
    (path.startsWith('/') ? path : `/api/v1/projects/:project/${path}`)
      .replace(':project', String(noise.project))
      .replace(':build', String(noise.build))
      .replace(':oldest', String(noise.oldest)),
  )
  const headers = { authorization: `Bearer ${noise.token}`, cookie: noise.cookie }
  return forEver(Number(flood.slice(split + 1)), (turn) =>
    fetch(`${noise.site}${paths[turn % paths.length]}`, { headers }).then(
      async (answer) => {
        await answer.arrayBuffer()
        // Counted by the parent process.
        if (answer.ok) process.stdout.write('.')
        else await sleep(50)
      },
      () => sleep(50),
    ),
  )
}

const RUN: Record<(typeof FLOODS)[number], (noise: Noise) => Promise<unknown>> = {
  /** Reports of 256 kB of one project, 16 at a time. */
  reports: (noise) => forEver(16, () => report(noise, LOG)),
  /** Forty builds on a Jenkins that never responds. */
  jenkins: async (noise) => {
    hang(noise.hungPort)
    for (let i = 0; i < 40; i++) await report(noise)
  },
  /** Five events a second for 300 receivers that never respond. */
  webhooks: async ({ site, project, token, hungPort }) => {
    hang(hungPort)
    await forEver(1, async () => {
      await post(`${site}/api/v1/projects/${project}/tasks`, '{"task":{"title":"Noise"}}', { authorization: `Bearer ${token}` })
      await sleep(200)
    })
  },
  /** Pushes of 20 MB, 24 at a time. */
  bodies: ({ site, githubToken }) =>
    forEver(24, () => {
      const commit = {
        id: unique().padEnd(40, '0').slice(0, 40),
        message: 'x'.repeat(1_000),
        added: ['a.png'],
        modified: [],
        removed: [],
      }
      const commits = Array.from({ length: 15_000 }, (_, i) => ({
        ...commit,
        id: commit.id.slice(8) + String(i).padStart(8, '0'),
      }))
      const body = JSON.stringify({ ref: 'refs/heads/main', after: commit.id, repository: { full_name: 'a/b' }, commits })
      return post(`${site}/webhooks/github?token=${githubToken}`, body, {
        'x-github-event': 'push',
        'x-github-delivery': unique(),
      })
    }),
  /** Searches for common words in the palette, 16 at a time. */
  search: ({ site, cookie }) =>
    forEver(16, (turn) =>
      fetch(`${site}/app/api/v1/search?q=${['light', 'crate', 'night', 'the'][turn % 4]}`, { headers: { cookie } }).then(
        (answer) => answer.arrayBuffer(),
        () => sleep(50),
      ),
    ),
}

if (process.env.FLOOD) {
  const flood = process.env.FLOOD as Flood
  const noise = JSON.parse(process.env.NOISE!) as Noise
  await (isReadFlood(flood) ? read(flood, noise) : RUN[flood](noise))
  await new Promise(() => {
    setInterval(() => {}, 60_000)
  })
}
