import { tmpdir } from 'node:os'
import pg from 'pg'
import { pino } from 'pino'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import { buildServer } from '../../src/http/server.ts'
import { readEnvironment } from '../../src/service/environment.ts'
import { openPools } from '../../src/service/pools.ts'
import { makeService } from '../../src/service/service.ts'
import { literal } from './explain.ts'
import { SECRET, SITE } from './servers.ts'

interface Ran {
  /** Prepared under this name, unless it is planned anew each time. */
  name?: string
  text: string
  values?: unknown[]
}

export interface Measured {
  status: number
  /** Pages that the statements of the request touched. */
  buffers: number
  /** Each statement with its own, to find the reason. */
  statements: { buffers: number; text: string; plan: unknown }[]
}

/** The service in this process over one database, which measures what the statements of a request read. */
export async function openMeasured(url: string, planner = '') {
  const settings = readEnvironment({
    DATABASE_URL: url,
    DATA_DIR: tmpdir(),
    SECRET_KEY: SECRET,
    BASE_URL: SITE,
    LIMIT_REQUESTS_PER_IP: 'off',
    LIMIT_SIGN_INS: 'off',
  })
  const log = pino({ level: 'silent' })
  const pools = openPools(url, { statementTimeout: 120_000, onError: () => {}, withoutJobs: true })
  const service = makeService(settings, { secrets: [SECRET], vault: new Vault(SECRET) }, pools, log)
  const ran: Ran[] = []
  for (const pool of Object.values(pools.connections)) pool.on('connect', (client) => listen(client, ran))
  const app = await buildServer(service)
  const explaining = new pg.Client({
    connectionString: url,
    options: `-c timezone=UTC -c plan_cache_mode=force_generic_plan -c jit=off ${planner}`,
  })
  await explaining.connect()
  return {
    app,
    async ask(path: string, headers: Record<string, string>): Promise<Measured> {
      ran.length = 0
      const { statusCode } = await app.inject({ method: 'GET', url: path, headers })
      const statements = statusCode < 500 ? await explain(explaining, ran.splice(0)) : []
      return { status: statusCode, buffers: statements.reduce((sum, { buffers }) => sum + buffers, 0), statements }
    },
    async close() {
      await app.close()
      await explaining.end()
      service.limits.close()
      await pools.close()
    },
  }
}

const listen = (client: pg.PoolClient, ran: Ran[]) => {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  client.query = ((...given: unknown[]) => {
    if (typeof given[0] === 'object' && given[0] !== null && 'text' in given[0]) ran.push(given[0] as Ran)
    return query(...given)
  }) as typeof client.query
}

const prepared = new WeakMap<pg.Client, Map<string, string>>()

/** In order and in one transaction, so that settings apply to the next; everything is rolled back. */
async function explain(client: pg.Client, ran: Ran[]): Promise<Measured['statements']> {
  const names = prepared.get(client) ?? new Map<string, string>()
  prepared.set(client, names)
  const statements: Measured['statements'] = []
  await client.query('begin')
  for (const { name, text, values = [] } of ran) {
    if (!/^\s*(?:with|select|\()/i.test(text)) continue
    const analyze = 'explain (analyze, buffers, timing off, format json)'
    const { rows } =
      name === undefined
        ? await client.query(`${analyze} ${text}`, values)
        : await client.query(`${analyze} execute ${await prepare(client, names, text)} ${argumentsOf(values)}`)
    const [{ Plan: plan }] = rows[0]['QUERY PLAN']
    statements.push({ buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], text, plan })
  }
  await client.query('rollback')
  return statements
}

async function prepare(client: pg.Client, names: Map<string, string>, text: string): Promise<string> {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = `m${names.size}`
  await client.query(`prepare ${name} as ${text}`)
  names.set(text, name)
  return name
}

const argumentsOf = (values: unknown[]) =>
  values.length === 0 ? '' : `(${values.map((value) => literal(value ?? null)).join(', ')})`
