import { execFile, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { open, readFile, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Account } from './account.ts'
import { PORT } from './address.ts'
import { findBinaries } from './binaries.ts'
import { ENVIRONMENT, nameOf, prepareCluster } from './cluster.ts'
import { windowsServes, windowsStart, windowsStop } from './windows.ts'

/** A start in progress; `failure` is set once the process has ended. */
export interface Launch {
  failure?: string
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants
const LARGEST_LOG = 10_000_000

/**
 * Starts PostgreSQL in the cluster, which is created if it is missing, without waiting until it responds. Undefined: it is already running.
 */
export async function launch(cluster: string): Promise<Launch | undefined> {
  const stale = await recordedPid(cluster)
  if (stale !== undefined && (await serves(stale, cluster))) return undefined
  const { binaries, account } = await prepareCluster(cluster)
  const logFile = `${cluster}.log`
  const log = await openLog(logFile, account)
  const result: Launch = {}
  if (process.platform === 'win32') {
    await log.close()
    await windowsStart(binaries, cluster, logFile)
    return result
  }

  const from = (await log.stat()).size
  const settings = {
    listen_addresses: '',
    unix_socket_directories: '.',
    port: PORT,
    cluster_name: 'goldmaster',
    'goldmaster.folder': await identityOf(cluster),
  }
  const child = spawn(
    binaries.postgres,
    ['-D', nameOf(cluster, account), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      ...account,
      cwd: cluster,
      // The pid of a dead server may meanwhile belong to another process, and PostgreSQL would refuse to start. It ignores the pid given
      // here; its check for processes that still use the folder's shared memory stays in force.
      env: { ...ENVIRONMENT, PG_GRANDPARENT_PID: String(stale ?? 0) },
      // A separate process group: Ctrl-C is for us, and we finish our work first.
      detached: true,
      // A file, not a pipe: the server may outlive us.
      stdio: ['ignore', log.fd, log.fd],
    },
  )
  child.unref()
  child.on('error', (error) => {
    result.failure = error.message
  })
  child.on('exit', async (code, signal) => {
    const reason = await lastComplaint(logFile, from, child.pid!).catch(() => undefined)
    result.failure = reason ?? `ended with ${signal ?? `code ${code}`}, see ${logFile}`
  })
  await log.close()
  return result
}

/** Longer than a last checkpoint takes; a hanging one ends when it wakes up. */
const SHUT_DOWN_MS = 60_000

/** Stops the server with all open transactions, and waits until it is gone. */
export async function shutDown(cluster: string): Promise<void> {
  const pid = await recordedPid(cluster)
  if (pid === undefined || !(await serves(pid, cluster))) return
  if (process.platform === 'win32') await windowsStop(await findBinaries(dirname(cluster), undefined), cluster)
  else process.kill(pid, 'SIGINT')
  for (const end = performance.now() + SHUT_DOWN_MS; performance.now() < end && (await serves(pid, cluster)); ) await sleep(5)
}

async function recordedPid(cluster: string): Promise<number | undefined> {
  const text = await readFile(`${cluster}/postmaster.pid`, 'utf8').catch(() => '')
  return Number.parseInt(text, 10) || undefined
}

/** Whether a process is the server of this cluster and not another one with the same pid. */
async function serves(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === 'win32') return exists(pid) && windowsServes(await findBinaries(dirname(cluster), undefined), cluster)
  const mark = `goldmaster.folder=${await identityOf(cluster)}`
  if (process.platform === 'linux')
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').includes(mark)
  const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout.trim().split(' ').includes(mark)
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Identifies the folder itself, by whatever path. */
async function identityOf(cluster: string): Promise<string> {
  const { dev, ino } = await stat(cluster, { bigint: true })
  return `${dev}:${ino}`
}

async function openLog(path: string, account: Account | undefined) {
  const { size } = await stat(path).catch(() => ({ size: 0 }))
  if (size > LARGEST_LOG) await rename(path, `${path}.old`)
  // If the folder belongs to another user, root must not follow a link to another file.
  const log = await open(path, O_APPEND | O_CREAT | O_WRONLY | (O_NOFOLLOW ?? 0), 0o600)
  if (account) await log.chown(account.uid, account.gid)
  return log
}

async function lastComplaint(path: string, from: number, pid: number): Promise<string | undefined> {
  const written = (await readFile(path)).subarray(from).toString()
  const line = written.split('\n').findLast((line) => line.includes(`[${pid}]`) && /FATAL|PANIC/.test(line))
  return line?.replace(/^.*?(?:FATAL|PANIC): +/, '')
}
