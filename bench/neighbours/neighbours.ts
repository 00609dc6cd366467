import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { SCOPES } from '../../src/contract/sets.ts'
import { openDatabase, type Pool, sql } from '../../src/db/database.ts'
import { setPassword } from '../../src/domain/accounts/users.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import * as webhooks from '../../src/domain/webhooks/webhooks.ts'
import { loadWorld } from '../../src/world/world.ts'
import type { Cluster } from '../harness/database.ts'
import { FLOODS, type Noise, READ_FLOODS } from '../harness/floods.ts'
import { askSteadily, KINDS, type Latencies, openMailbox } from '../harness/neighbour.ts'
import { median } from '../harness/rounds.ts'
import { build, freePort, SECRET, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'
import { benchReadFloods } from './reading-neighbours.ts'

type Flood = (typeof FLOODS)[number]

const WINDOW_SECONDS = 10
/** Windows per kind: two hundred requests each. */
const WINDOWS = 4
const RATIO = 6
const LONGEST_MS = 2_000
const TARPITS = 300
const PASSWORD = 'a password of the benchmark'

/** One account floods, another works: the effect on the second one. `npm run bench -- neighbours jenkins webhooks` runs some of them. */
export async function benchNeighbours(cluster: Cluster) {
  const chosen = process.argv.slice(3)
  const isChosen = (flood: string) => chosen.length === 0 || chosen.some((name) => flood === name || flood.startsWith(`${name}-`))
  const [floods, reads] = [FLOODS.filter(isChosen), READ_FLOODS.filter(isChosen)]
  build()
  if (reads.length > 0) await benchReadFloods(cluster, reads)
  const head = [
    'flood',
    'the other account',
    'quiet p50 ms',
    'flooded p50 ms',
    'ratio',
    'quiet longest',
    'longest ms',
    'requests',
    '',
  ]
  for (const flood of floods)
    printTable(`Noisy neighbour (targets: ratio ≤ ${RATIO}, nothing above ${LONGEST_MS} ms)`, head, await scene(cluster, flood))
}

async function scene(cluster: Cluster, flood: Flood) {
  console.log(`\n${flood} …`)
  const store = await cluster.create(`neighbours_${flood}`)
  const db = openDatabase(store.url, { max: 8, statementTimeout: 300_000 })
  const [port, hungPort, mailPort] = [await freePort(), await freePort(), await freePort()]
  const site = `http://127.0.0.1:${port}`
  const mailbox = await openMailbox(mailPort)
  const server = await startGoldmaster(store.url, {
    PORT: String(port),
    BASE_URL: site,
    ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    LIMIT_SIGN_INS: 'off',
    LOG_LEVEL: 'error',
  })
  try {
    const { noise, neighbour } = await furnish(db, { site, hungPort, mailPort, flood })
    await askSteadily(neighbour, mailbox, 5)
    const [quiet, flooded] = [empty(), empty()]
    for (let window = 0; window < WINDOWS; window++) {
      add(quiet, await askSteadily(neighbour, mailbox, WINDOW_SECONDS))
      const child = start(flood, noise)
      await setTarpits(db, 'active')
      add(flooded, await askSteadily(neighbour, mailbox, WINDOW_SECONDS))
      await setTarpits(db, 'paused')
      await kill(child)
      // Leftovers of the noisy account must not affect the quiet window.
      await db.execute(sql`delete from jobs where account_id = ${noise.account} and state <> 'running'`)
    }
    return KINDS.map((kind) => {
      const [before, during] = [median(quiet[kind]), median(flooded[kind])]
      const longest = Math.max(...flooded[kind])
      const held = during / before <= RATIO && longest <= LONGEST_MS
      return [
        flood,
        kind,
        before,
        during,
        during / before,
        Math.max(...quiet[kind]),
        longest,
        flooded[kind].length,
        verdict(held),
      ]
    })
  } finally {
    mailbox.close()
    await server.stop()
    await db.close()
    await store.drop()
  }
}

const empty = (): Latencies => ({ list: [], investigation: [], push: [], outbound: [] })
const add = (sum: Latencies, more: Latencies) => {
  for (const kind of KINDS) sum[kind].push(...more[kind])
}

const world = (hungPort: number) => ({
  accounts: ['noisy', 'quiet'].map((key) => ({
    key,
    name: key,
    plan: 'team',
    payment_method: true,
    credits: 100_000,
    daily_limit: 100_000,
  })),
  users: ['noisy', 'quiet'].map((key) => ({ key, email: `${key}@bench.example`, name: key, accounts: { [key]: 'owner' } })),
  projects: ['noisy', 'quiet'].map((key) => ({ key, account: key, name: key, engine: 'unreal', members: { [key]: 'owner' } })),
  tokens: ['noisy', 'quiet'].map((key) => ({ key, user: key, name: key, scopes: SCOPES })),
  integrations: [
    { key: 'ci', project: 'noisy', provider: 'jenkins', config: { server: `http://127.0.0.1:${hungPort}` } },
    { key: 'noisy_gh', project: 'noisy', provider: 'github' },
    { key: 'quiet_gh', project: 'quiet', provider: 'github' },
  ],
})

interface Place {
  site: string
  hungPort: number
  mailPort: number
  flood: Flood
}

async function furnish(db: Pool, { site, hungPort, mailPort, flood }: Place) {
  const vault = new Vault(SECRET)
  const made = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(world(hungPort)))]), { vault })
  const id = (kind: string, key: string) => Number(made[kind as 'projects']![key]!.id)
  const secret = (kind: 'tokens' | 'integrations', key: string) =>
    String(kind === 'tokens' ? made.tokens![key]!.token : made.integrations![key]!.webhook_token)
  if (flood === 'search')
    await db.execute(sql`
      insert into tasks (account_id, project_id, title)
      select ${id('accounts', 'noisy')}, ${id('projects', 'noisy')}, 'The light of the night crate ' || i from generate_series(1, 20000) i`)
  const failed = await db.rows<{ id: number }>(sql`
    insert into build_runs (account_id, project_id, status, ci_job_name, build_type, target_type, output_log, finished_at)
    select ${id('accounts', 'quiet')}, ${id('projects', 'quiet')}, 'failed', 'night', 'custom', 'development',
      repeat('Compiling Crate.cpp' || chr(10), 500) || 'Crate.cpp(' || i || '): error C2065: undeclared', now()
    from generate_series(1, 500) i returning id`)
  await webhooks.create(db, vault, { account_id: id('accounts', 'quiet'), url: `http://127.0.0.1:${mailPort}/` })
  if (flood === 'webhooks') {
    const url = `http://127.0.0.1:${hungPort}/`
    const { id: first } = await webhooks.create(db, vault, { account_id: id('accounts', 'noisy'), url })
    await db.execute(sql`
      insert into destinations (account_id, kind, url, secret_sealed, position, status)
      select account_id, kind, url, secret_sealed, position, status from destinations, generate_series(2, ${TARPITS}) where id = ${first}`)
  }
  await setPassword(db, id('users', 'noisy'), PASSWORD)
  const noise: Noise & { account: number } = {
    site,
    hungPort,
    account: id('accounts', 'noisy'),
    project: id('projects', 'noisy'),
    token: secret('tokens', 'noisy'),
    cookie: flood === 'search' ? await signIn(site) : '',
    jenkinsToken: secret('integrations', 'ci'),
    githubToken: secret('integrations', 'noisy_gh'),
    build: 0,
    oldest: 0,
  }
  const neighbour = {
    site,
    db,
    project: id('projects', 'quiet'),
    token: secret('tokens', 'quiet'),
    githubToken: secret('integrations', 'quiet_gh'),
    builds: failed.map((row) => row.id),
  }
  return { noise, neighbour }
}

async function signIn(site: string): Promise<string> {
  const body = JSON.stringify({ email: 'noisy@bench.example', password: PASSWORD })
  const headers = { 'content-type': 'application/json', origin: site }
  const answer = await fetch(`${site}/app/auth/sign-in/email`, { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(`Signing in: ${answer.status} ${await answer.text()}`)
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}

const setTarpits = (db: Pool, status: 'active' | 'paused') =>
  db.execute(sql`
    update destinations d set status = ${status}, failing_since = null from accounts a where a.id = d.account_id and a.name = 'noisy'`)

const start = (flood: Flood, noise: Noise) =>
  spawn(process.execPath, ['--import', 'tsx', fileURLToPath(new URL('../harness/floods.ts', import.meta.url))], {
    env: { ...process.env, FLOOD: flood, NOISE: JSON.stringify(noise) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })

async function kill(child: ChildProcess) {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
