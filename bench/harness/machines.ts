import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

/** The programs of a cluster as on Debian; PG_BIN is the folder of PostgreSQL's. */
const PG_BIN = process.env.PG_BIN ?? '/usr/lib/postgresql/15/bin'
const run = promisify(execFile)
/** PostgreSQL and PgBouncer refuse root. */
const asUser = (program: string, args: string[]): [string, string[]] =>
  process.getuid?.() === 0 ? ['runuser', ['-u', 'postgres', '--', program, ...args]] : [program, args]

export async function until(holds: () => Promise<boolean> | boolean, what: string) {
  for (const end = Date.now() + 120_000; !(await holds()); await sleep(50))
    if (Date.now() > end) throw new Error(`It did not come to pass: ${what}.`)
}

export async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  return client.connect().then(
    () => client.query('select 1').then(() => client.end().then(() => true)),
    () => false,
  )
}

export interface Postgres {
  port: number
  url: string
  start(): Promise<void>
  /** Like a power cut. */
  kill(): Promise<void>
  promote(): Promise<void>
}

export function postgresAt(folder: string, port: number): Postgres {
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const control = (...words: string[]) => run(...asUser(`${PG_BIN}/pg_ctl`, ['-D', folder, '-w', ...words]))
  return {
    port,
    url,
    start: async () => void (await control('-l', `${folder}.log`, '-o', `-p ${port} -k /tmp`, 'start')),
    async kill() {
      process.kill(Number.parseInt(await readFile(join(folder, 'postmaster.pid'), 'utf8'), 10), 'SIGKILL')
      await until(async () => !(await answers(url)), 'the killed database is gone')
    },
    promote: async () => void (await control('promote')),
  }
}

/** A primary with synchronous commits, and its standby. */
export async function openSynchronousPair(folder: string, ports: [number, number]): Promise<[Postgres, Postgres]> {
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o777)
  await run(...asUser(`${PG_BIN}/initdb`, ['-D', first, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N']))
  const primary = postgresAt(first, ports[0])
  await primary.start()
  const conninfo = `host=127.0.0.1 port=${ports[0]} user=postgres application_name=standby`
  await run(...asUser(`${PG_BIN}/pg_basebackup`, ['-D', second, '-R', '-c', 'fast', '-d', conninfo]))
  const standby = postgresAt(second, ports[1])
  await standby.start()
  await statement(primary.url, "alter system set synchronous_standby_names = 'standby'")
  await statement(primary.url, 'select pg_reload_conf()')
  await until(
    async () => (await statement(primary.url, "select from pg_stat_replication where sync_state = 'sync'")) > 0,
    'the standby is synchronous',
  )
  return [primary, standby]
}

export async function statement(url: string, text: string): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  return client.query(text).then(({ rowCount }) => client.end().then(() => rowCount ?? 0))
}

/** A program that can be killed and restarted. */
export function program(name: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  let child: ChildProcess
  return {
    start() {
      child = spawn(name, args, { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env }, stdio: 'ignore' })
    },
    signal: (signal: NodeJS.Signals) => child.kill(signal),
  }
}

/** Session mode: Debian's PgBouncer prepares no statements in transaction mode. */
export const writePoolerSettings = async (file: string, port: number, database: number) => {
  await writeFile(
    file,
    `[databases]\npostgres = host=127.0.0.1 port=${database} dbname=postgres user=postgres
[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\nadmin_users = postgres
pool_mode = session\ndefault_pool_size = 90\nmax_client_conn = 400\nignore_startup_parameters = options\nserver_check_delay = 0
server_login_retry = 1\n${process.getuid?.() === 0 ? 'user = nobody\n' : ''}`,
  )
  await chmod(file, 0o644)
}

export const writeProxySettings = (file: string, port: number, nodes: number[]) =>
  writeFile(
    file,
    `defaults\n  mode http\n  timeout connect 4s\n  timeout client 65s\n  timeout server 65s\n  option redispatch\n  retries 3\n  retry-on conn-failure
frontend gold\n  bind 127.0.0.1:${port}\n  default_backend nodes
backend nodes\n  balance roundrobin\n  option httpchk GET /readyz\n  default-server check inter 1s fall 2 rise 1
${nodes.map((node, i) => `  server n${i} 127.0.0.1:${node}`).join('\n')}\n`,
  )
