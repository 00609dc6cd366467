import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Pool, sql } from '../../src/db/database.ts'

export const KINDS = ['list', 'investigation', 'push', 'outbound'] as const
export type Kind = (typeof KINDS)[number]
/** Milliseconds, one for each request. */
export type Latencies = Record<Kind, number[]>

export interface Neighbour {
  site: string
  db: Pool
  project: number
  token: string
  githubToken: string
  /** Failed builds without an investigation yet. */
  builds: number[]
}

const EVERY_MS = 50
/** Requests that are running when a window ends still count, up to here. */
const PATIENCE_MS = 20_000

/** Receives the messages of the quiet account and informs the waiting callers. */
export async function openMailbox(port: number) {
  const waiting = new Map<string, (at: number) => void>()
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    response.writeHead(204).end()
    for (const [title, arrived] of waiting) if (text.includes(title)) arrived(performance.now())
  }).listen(port, '127.0.0.1')
  return {
    close: () => server.close(),
    expect: (title: string) =>
      new Promise<number>((resolve) => {
        waiting.set(title, (at) => {
          waiting.delete(title)
          resolve(at)
        })
      }),
  }
}
type Mailbox = Awaited<ReturnType<typeof openMailbox>>

/** A quiet account at work: twenty requests a second, whatever the state of the earlier ones. */
export async function askSteadily(neighbour: Neighbour, mailbox: Mailbox, seconds: number): Promise<Latencies> {
  const latencies: Latencies = { list: [], investigation: [], push: [], outbound: [] }
  const acts = actsOf(neighbour, mailbox)
  const under: Promise<unknown>[] = []
  const start = performance.now()
  for (let turn = 0; turn < (seconds * 1_000) / EVERY_MS; turn++) {
    await sleep(Math.max(0, start + turn * EVERY_MS - performance.now()))
    const kind = KINDS[turn % KINDS.length]!
    const began = performance.now()
    const late = sleep(PATIENCE_MS, PATIENCE_MS, { ref: false })
    const done = acts[kind]().then(
      (at) => at - began,
      // A refusal counts like no response.
      () => PATIENCE_MS,
    )
    under.push(Promise.race([done, late]).then((took) => latencies[kind].push(took)))
  }
  await Promise.all(under)
  return latencies
}

/** Each resolves with the time at which it was done. */
function actsOf(
  { site, db, project, token, githubToken, builds }: Neighbour,
  mailbox: Mailbox,
): Record<Kind, () => Promise<number>> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const finished = watchInvestigations(db)
  const inside = `${site}/api/v1/projects/${project}`
  const ask = async (url: string, init: RequestInit): Promise<string> => {
    const answer = await fetch(url, init)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${answer.status} to ${url.split('?')[0]}: ${text}`)
    return text
  }
  return {
    list: async () => {
      await ask(`${inside}/tasks?limit=50`, { headers })
      return performance.now()
    },
    investigation: async () => {
      const text = await ask(`${inside}/build_runs/${builds.pop()}/investigate`, { method: 'POST', headers })
      return finished(Number(JSON.parse(text).investigation_id))
    },
    push: async () => {
      const id = Math.random().toString(16).slice(2).padEnd(40, 'a').slice(0, 40)
      const commits = [{ id, message: 'Keep the crate', added: ['T_Crate.png'], modified: [], removed: [] }]
      const body = JSON.stringify({ ref: 'refs/heads/main', after: id, repository: { full_name: 'a/b' }, commits })
      const told = { 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': id }
      await ask(`${site}/webhooks/github?token=${githubToken}`, { method: 'POST', headers: told, body })
      return performance.now()
    },
    outbound: async () => {
      const title = `told ${Math.random().toString(16).slice(2)}`
      const arrived = mailbox.expect(title)
      await ask(`${inside}/tasks`, { method: 'POST', headers, body: JSON.stringify({ task: { title } }) })
      return arrived
    },
  }
}

/** One query for all awaited ones: a query for each would be another flood. */
function watchInvestigations(db: Pool) {
  const awaited = new Map<number, (at: number) => void>()
  let looking = false
  const look = async () => {
    looking = true
    while (awaited.size > 0) {
      const rows = await db.rows<{ id: number }>(sql`
        select id from investigations where id = any (${[...awaited.keys()]}::integer[]) and status = 'completed'`)
      for (const { id } of rows) {
        awaited.get(id)?.(performance.now())
        awaited.delete(id)
      }
      await sleep(20)
    }
    looking = false
  }
  return (id: number) =>
    new Promise<number>((resolve) => {
      awaited.set(id, resolve)
      if (!looking) void look()
    })
}
