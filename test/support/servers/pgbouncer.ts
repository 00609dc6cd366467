import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { pathTo } from '../programs.ts'
import { until } from '../until.ts'
import { freePort } from './free-port.ts'

type PoolMode = 'transaction' | 'session'

/** The modes that can be tested; before 1.21 PgBouncer cannot prepare statements in transaction mode. */
export const POOL_MODES: PoolMode[] = (() => {
  if (!pathTo('pgbouncer')) return ['transaction', 'session']
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' }))!
  return Number(major) > 1 || Number(minor) >= 21 ? ['transaction', 'session'] : ['session']
})()

/** With fewer connections than clients, or a connection for each of them; an old version does not know every setting. */
const SETTINGS: Record<PoolMode, string> = {
  transaction: `pool_mode = transaction
default_pool_size = 4
max_prepared_statements = 200`,
  session: `pool_mode = session
default_pool_size = 40
ignore_startup_parameters = options`,
}

const isRoot = process.getuid?.() === 0

export async function openPgBouncer(url: string, mode: PoolMode): Promise<{ url: string; close(): Promise<void> }> {
  const { host, port, user, database, password } = new pg.Client(url)
  const folder = await mkdtemp(join(tmpdir(), 'goldmaster-pgbouncer-'))
  const listening = await freePort()
  // Started by root, it becomes `nobody`, who owns the socket of a built-in server but needs access to its folder.
  if (isRoot && host.startsWith('/')) await chmod(dirname(host), 0o755)
  const settings = join(folder, 'pgbouncer.ini')
  await writeFile(
    settings,
    `[databases]
${database} = host=${host} port=${port} dbname=${database} user=${user}${password ? ` password=${password}` : ''}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listening}
unix_socket_dir =
auth_type = any
${SETTINGS[mode]}
${isRoot ? 'user = nobody' : ''}
`,
    { mode: 0o644 },
  )
  const child = spawn('pgbouncer', ['-q', settings], { stdio: 'ignore' })
  const pooled = `postgres://${user}@127.0.0.1:${listening}/${database}`
  await until(async () => {
    const client = new pg.Client(pooled)
    client.on('error', () => {})
    const answers = await client.connect().then(
      () => true,
      () => false,
    )
    if (answers) await client.end()
    return answers
  })
  return {
    url: pooled,
    async close() {
      child.kill('SIGKILL')
      await once(child, 'close')
      await rm(folder, { recursive: true })
    },
  }
}
