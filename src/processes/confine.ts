import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What a process may use. */
export interface Limits {
  memoryMb: number
  /** Of processor time, in all of its life. */
  seconds: number
}

/** More than Node, its decoders and their threads need. */
const TASKS_MAX = 64

/** Node's own permissions: named differently until Node 23, and missing in older versions. */
const PERMISSION = ['--permission', '--experimental-permission'].find((flag) => process.allowedNodeEnvironmentFlags.has(flag))

/** In front of Node, so far as this system has them; each replaces itself by the next one, so the process keeps its id. */
const LAUNCHERS = {
  /** No program gets more rights than this one has. */
  privileges: ['setpriv', '--no-new-privs'],
  /** A network without any interface: as an ordinary user, and as root of a container that may not create users. */
  network: ['unshare', '--user', '--net'],
  networkOfRoot: ['unshare', '--net'],
  limits: ['prlimit', '--core=0'],
} as const

const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/usr/local/bin']

/** Its command with an absolute path, because the process has no PATH; none if the system lacks or forbids it. */
function usable([name, ...args]: readonly string[]): string[] {
  const path = process.platform === 'linux' ? FOLDERS.map((folder) => join(folder, name!)).find(existsSync) : undefined
  const command = path === undefined ? [] : [path, ...args]
  return path !== undefined && spawnSync(path, [...args, 'true'], { stdio: 'ignore' }).status === 0 ? command : []
}

/** What this system can do, asked once. */
export interface Confinement {
  privileges: string[]
  network: string[]
  limits: string[]
  permission: string | undefined
}
let confinement: Confinement | undefined
export function confinementHere(): Confinement {
  if (confinement) return confinement
  const network = usable(LAUNCHERS.network)
  confinement = {
    privileges: usable(LAUNCHERS.privileges),
    network: network.length > 0 ? network : usable(LAUNCHERS.networkOfRoot),
    limits: usable(LAUNCHERS.limits),
    permission: PERMISSION,
  }
  return confinement
}

/**
 * The command in front of Node, for a process that reads hostile files. Limits come after the network: the number of tasks is then counted
 * for this process, not for all of its user. Files can't be written, except by the loader of a checkout, which has helpers too.
 */
export function launcherOf({ memoryMb, seconds }: Limits, isSource: boolean): string[] {
  const { privileges, network, limits } = confinementHere()
  const sizes = [`--data=${memoryMb * 1024 * 1024}`, `--cpu=${seconds}`]
  const isAlone = network.includes('--user') && !isSource
  const own =
    limits.length === 0
      ? []
      : [...limits, ...sizes, ...(isSource ? [] : ['--fsize=0']), ...(isAlone ? [`--nproc=${TASKS_MAX}`] : [])]
  return [...privileges, ...network, ...own]
}

/** Node's permissions: it reads its code and packages, writes nothing, starts nothing. Pictures are decoded by an addon. */
export function permissionsOf(entry: string): string[] {
  const { permission } = confinementHere()
  if (permission === undefined) return []
  const folders = [dirname(entry), ...packagesOf(dirname(entry))]
  const addons = process.allowedNodeEnvironmentFlags.has('--allow-addons') ? ['--allow-addons'] : []
  return [permission, ...addons, '--no-warnings', ...folders.map((folder) => `--allow-fs-read=${join(folder, '*')}`)]
}

const packagesOf = (folder: string): string[] => {
  const above = dirname(folder)
  const own = join(folder, 'node_modules')
  return [...(existsSync(own) ? [own] : []), ...(above === folder ? [] : packagesOf(above))]
}
