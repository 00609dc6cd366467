import { execFile } from 'node:child_process'
import { chown, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Account, accountFor } from './account.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { windowsSettings } from './windows.ts'

/** The environment of PostgreSQL's programs: nothing of ours that could redirect them. */
export const ENVIRONMENT = process.platform === 'win32' ? process.env : { LC_ALL: 'C', TZ: 'UTC' }

/**
 * The cluster's path for a program with the cluster as its working folder. For another account the real path may go through inaccessible
 * folders (`/root`); Linux allows access through the working folder, which we enter before we drop our rights.
 */
export const nameOf = (cluster: string, account: Account | undefined): string =>
  account && process.platform === 'linux' ? '/proc/self/cwd' : cluster

/** The programs and the account for the cluster, which is created if it is missing. */
export async function prepareCluster(cluster: string): Promise<{ binaries: Binaries; account: Account | undefined }> {
  const account = await accountFor(cluster)
  const binaries = await findBinaries(dirname(cluster), account)
  const version = (await versionOf(cluster)) ?? (await createCluster(cluster, binaries, account))
  if (version !== binaries.major)
    throw new Error(
      `The database in ${cluster} was made by PostgreSQL ${version} and this release brings ${binaries.major}: move it over with pg_dump, or set DATABASE_URL.`,
    )
  return { binaries, account }
}

async function versionOf(cluster: string): Promise<string | undefined> {
  try {
    return (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const entries = await readdir(cluster).catch(() => [])
    if (entries.length > 0) throw new Error(`The folder ${cluster} is not empty and holds no database: move it away.`)
    return undefined
  }
}

/**
 * Creates the cluster in a temporary folder and renames it at the end: an incomplete one never has the final name, and if several processes
 * start at once the first to finish wins and the others use its result.
 */
async function createCluster(cluster: string, binaries: Binaries, account: Account | undefined): Promise<string> {
  const home = dirname(cluster)
  const draft = await mkdtemp(`${cluster}.new-`)
  try {
    if (account) await chown(draft, account.uid, account.gid)
    await runInitdb(draft, binaries, account)
    await rename(draft, cluster)
    await syncFolder(home)
  } catch (error) {
    if ((await versionOf(cluster)) === undefined) {
      await rm(draft, { recursive: true, force: true })
      throw error
    }
  }
  // Temporary folders of late or killed processes.
  for (const entry of await readdir(home))
    if (entry.startsWith(`${basename(cluster)}.new-`))
      await rm(join(home, entry), { recursive: true, force: true, maxRetries: 5 })
  return (await versionOf(cluster))!
}

async function runInitdb(draft: string, binaries: Binaries, account: Account | undefined): Promise<void> {
  const windows = process.platform === 'win32' ? await windowsSettings(draft) : undefined
  const settings = {
    // The service logs errors of its own statements; the file has events of the server itself.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    // A query whose client was killed ends soon; until then nothing else can start on the folder of a killed server. Windows refuses any
    // value but 0.
    ...(windows ? windows.settings : { client_connection_check_interval: '1s' }),
  }
  const output = await new Promise<string | undefined>((resolve) => {
    execFile(
      binaries.initdb,
      [
        `--pgdata=${nameOf(draft, account)}`,
        '--username=goldmaster',
        ...(windows
          ? ['--auth=scram-sha-256', `--pwfile=${windows.passwordFile}`]
          : ['--auth-local=trust', '--auth-host=reject']),
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--no-instructions',
        ...Object.entries(settings).map(([name, value]) => `--set=${name}=${value}`),
      ],
      { ...account, cwd: draft, env: ENVIRONMENT },
      (error, _, stderr) => resolve(error ? stderr.trim() || error.message : undefined),
    )
  })
  if (windows) {
    await rm(windows.passwordFile)
    if (output === undefined) await writeFile(join(draft, windows.loginFile), windows.login, { mode: 0o600 })
  }
  if (output === undefined) return
  if (/no space left|disk quota exceeded/i.test(output))
    throw new Error(`The disk is full: there is no room for the database in ${dirname(draft)}.`)
  throw new Error(`The database in ${dirname(draft)} could not be made: ${complaint(output)}`)
}

/** The line of initdb's output with the cause; later lines are only about cleaning up. */
function complaint(output: string): string {
  const lines = output.split('\n')
  return lines.findLast((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1)!
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  await handle.sync()
  await handle.close()
}
