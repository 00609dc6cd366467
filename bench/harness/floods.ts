import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a noisy account does, in a process of its own and for as long as that lives. All of it goes to this machine alone. */
export interface Noise {
  /** Where the service listens. */
  site: string
  /** Where the servers of the noisy account listen that never answer. */
  hungPort: number
  project: number
  token: string
  cookie: string
  jenkinsToken: string
  githubToken: string
}

export const FLOODS = ['reports', 'jenkins', 'webhooks', 'bodies', 'search'] as const
export type Flood = (typeof FLOODS)[number]

const JSON_TYPE = { 'content-type': 'application/json' }
/** Answers do not count, only that the next request follows the one before. */
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

/** Takes connections and never says a word. */
const hang = (port: number) => createServer(() => {}).listen(port, '127.0.0.1')

const RUN: Record<Flood, (noise: Noise) => Promise<unknown>> = {
  /** Reports of 256 kB of one project, 16 at a time. */
  reports: (noise) => forEver(16, () => report(noise, LOG)),
  /** Forty builds on a Jenkins that never answers. */
  jenkins: async (noise) => {
    hang(noise.hungPort)
    for (let i = 0; i < 40; i++) await report(noise)
  },
  /** Five events a second for 300 receivers that never answer. */
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
  /** The palette, asked for words that are everywhere, 16 at a time. */
  search: ({ site, cookie }) =>
    forEver(16, (turn) =>
      fetch(`${site}/app/api/v1/search?q=${['light', 'crate', 'night', 'the'][turn % 4]}`, { headers: { cookie } }).then(
        (answer) => answer.arrayBuffer(),
        () => sleep(50),
      ),
    ),
}

if (process.env.FLOOD) {
  await RUN[process.env.FLOOD as Flood](JSON.parse(process.env.NOISE!))
  await new Promise(() => {
    setInterval(() => {}, 60_000)
  })
}
