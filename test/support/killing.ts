import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../src/db/database.ts'
import { goldmaster, type Running } from './callers/command.ts'
import { freePort } from './servers/free-port.ts'
import type { Studio } from './studio.ts'
import { until } from './until.ts'

const SECRET = 'a secret that only tests know, 32 or more'

/** A service in a separate process over the studio's database, which can be killed and restarted. */
export async function openNode(studio: Studio, more: Record<string, string> = {}) {
  const port = await freePort()
  const site = `http://127.0.0.1:${port}`
  const env = {
    DATABASE_URL: studio.url,
    SECRET_KEY: SECRET,
    PORT: String(port),
    DEMO: 'off',
    LIMIT_REQUESTS_PER_IP: 'off',
    LIMIT_WEBHOOKS: 'off',
    LIMIT_STREAMS_PER_TOKEN: '1000',
    LOG_LEVEL: 'warn',
    ...more,
  }
  let running: Running
  const ready = () =>
    fetch(`${site}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    )
  const start = async () => {
    running = goldmaster(['serve'], env)
    const ended = running.ended.then((code) => {
      throw new Error(`The service ended with ${code}: ${running.said()}`)
    })
    await Promise.race([until(ready), ended])
  }
  await start()
  return {
    site,
    start,
    /** Of the process that runs now. */
    pid: () => running.child.pid!,
    async kill(signal: NodeJS.Signals = 'SIGKILL') {
      running.child.kill(signal)
      return running.ended
    },
  }
}

/** Posts until it succeeds, like tools with retries. */
async function insist(url: string, init: RequestInit): Promise<{ status: string; delivery_id: string; tries: number }> {
  for (let tries = 1; ; tries++) {
    const answer = await fetch(url, init).catch(() => undefined)
    const told = answer?.ok ? await answer.json().catch(() => undefined) : undefined
    if (told) return { ...(told as { status: string; delivery_id: string }), tries }
    await sleep(50)
  }
}

/** Many deliveries over 16 connections, each with its own commit or changelist and asset, while `disturb` runs. */
export async function sendWhile(studio: Studio, site: string, count: number, disturb: (sent: () => number) => Promise<void>) {
  const address = (key: string) => `${site}/webhooks/${key}?token=${studio.world.integrations![key]!.webhook_token}`
  let next = 0
  let done = 0
  const send = async (i: number) => {
    const file = `Content/T_${i}.png`
    const commit = {
      id: i.toString(16).padStart(40, '0'),
      message: `Paint ${i}`,
      author: { name: 'Kim' },
      added: [file],
      modified: [],
      removed: [],
    }
    const push = { ref: 'refs/heads/main', repository: { full_name: 'owl/star' }, commits: [commit] }
    const changelist = { changelist: i + 1, user: 'kim', description: 'Paint', files: [`//depot/${file}`] }
    const github = { 'x-github-event': 'push', 'x-github-delivery': `delivery-${i}` }
    const headers = { 'content-type': 'application/json', ...(i % 2 ? github : {}) }
    const body = JSON.stringify(i % 2 ? push : changelist)
    const told = await insist(address(i % 2 ? 'github' : 'perforce'), { method: 'POST', headers, body })
    done++
    return told
  }
  const answers: Awaited<ReturnType<typeof send>>[] = []
  const connection = async () => {
    while (next < count) answers.push(await send(next++))
  }
  await Promise.all([disturb(() => done), ...Array.from({ length: 16 }, connection)])
  return answers
}

/** Reports of several jobs at once, those of each job one after the other, while `disturb` runs. */
export async function reportWhile(
  studio: Studio,
  site: string,
  { jobs, builds }: { jobs: number; builds: number },
  disturb: (sent: () => number) => Promise<void>,
) {
  const url = `${site}/webhooks/ci?token=${studio.world.integrations!.jenkins!.webhook_token}`
  const headers = { 'content-type': 'application/json' }
  const answers: Awaited<ReturnType<typeof insist>>[] = []
  const reportJob = async (job: number) => {
    for (let number = 1; number <= builds; number++) {
      const body = JSON.stringify({
        job_name: `job ${job}`,
        build_number: job * builds + number,
        status: 'FAILURE',
        log: 'a line',
      })
      answers.push(await insist(url, { method: 'POST', headers, body }))
    }
  }
  await Promise.all([disturb(() => answers.length), ...Array.from({ length: jobs }, (_, job) => reportJob(job))])
  return answers
}

/** How often each delivery took effect: it should be once. */
export const effects = (studio: Studio) =>
  studio.db.one(sql`
    select (select count(*) from changes) as changes, (select count(*) from assets) as assets, (select max(version) from assets) as version,
      (select count(*) from approvals) as approvals, (select count(*) from deliveries where counts) as taken,
      (select count(*) from deliveries where outcome = 'accepted') as waiting`)
