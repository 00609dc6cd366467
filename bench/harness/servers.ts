import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export interface Server {
  pid: number
  port: number
  stop(): Promise<void>
}

/** Known here too, so that a cursor to any page can be sealed without paging there. */
export const SECRET = 'a secret of the benchmark, and nobody else'
export const SITE = 'https://bench.example'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

export const build = () => execFileSync(process.execPath, [at('scripts/build.mjs')], { stdio: 'inherit' })

/** The service as in production, with its log written and discarded; only the limits are off. */
export const startGoldmaster = (url: string, more: Record<string, string> = {}): Promise<Server> =>
  start([at('dist/main.js'), 'serve'], '/readyz', {
    NODE_ENV: 'production',
    DATABASE_URL: url,
    DATA_DIR: tmpdir(),
    SECRET_KEY: SECRET,
    BASE_URL: SITE,
    DEMO: 'off',
    LOG_LEVEL: 'info',
    LIMIT_REQUESTS_PER_IP: 'off',
    LIMIT_TASK_WRITES: 'off',
    LIMIT_WEBHOOKS: 'off',
    LIMIT_STREAMS_PER_TOKEN: '10000',
    REDIS_URL: '',
    ...more,
  })

export const startFloor = (url: string, kind: 'rows' | 'json'): Promise<Server> =>
  start(['--import', 'tsx', at('bench/harness/floors/floor.ts')], '/api/v1/projects/1/tasks', {
    NODE_ENV: 'production',
    DATABASE_URL: url,
    FLOOR: kind,
    SITE,
  })

export const startFeedFloor = (url: string): Promise<Server> =>
  start(['--import', 'tsx', at('bench/harness/floors/feed.ts')], '/', { NODE_ENV: 'production', DATABASE_URL: url })

export const startIntakeFloor = (url: string, secret: string): Promise<Server> =>
  start(['--import', 'tsx', at('bench/harness/floors/intake.ts')], '/', {
    NODE_ENV: 'production',
    DATABASE_URL: url,
    SIGNING_SECRET: secret,
  })

async function start(command: string[], ready: string, environment: Record<string, string>): Promise<Server> {
  const port = Number(environment.PORT ?? (await freePort()))
  const env = { ...process.env, ...environment, HOST: '127.0.0.1', PORT: String(port) }
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  await answering(child, `http://127.0.0.1:${port}${ready}`)
  return {
    pid: child.pid!,
    port,
    stop: async () => {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

const PATIENCE_MS = 120_000

async function answering(child: ChildProcess, url: string) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`The server for ${url} ended with ${child.exitCode}.`)
    const answer = await fetch(url).catch(() => undefined)
    await answer?.text()
    if (answer?.ok) return
  }
  child.kill()
  throw new Error(`${url} does not answer.`)
}
