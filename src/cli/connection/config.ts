import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, Failure, usage } from '../../terminal/failures.ts'
import { configFolder } from './folders.ts'

/** A stored sign-in; it is only ever sent to its host. */
interface Credential {
  token: string
  scopes: string[]
  expires_at: string | null
}

interface Stored {
  /** The default host: the last one signed in to. */
  default: string | null
  hosts: Record<string, Credential>
}

type Environment = NodeJS.ProcessEnv

const OWN_MACHINE = 'http://localhost:8080'
const PRIVATE = 0o600

const windows = process.platform === 'win32'

const fileOf = (env: Environment) => join(configFolder(env), 'hosts.json')

function read(env: Environment): Stored {
  const file = fileOf(env)
  try {
    const { default: chosen, hosts } = JSON.parse(readFileSync(file, 'utf8')) as Stored
    // A backup or an editor may have made it readable for others.
    if (!windows && statSync(file).mode & 0o077) chmodSync(file, PRIVATE)
    return { default: chosen ?? null, hosts: { ...hosts } }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { default: null, hosts: {} }
    throw new Failure(`Can't read ${file}: ${(error as Error).message}`)
  }
}

/** Written to a temporary file and renamed, so that nobody ever sees half of it. */
function write(env: Environment, stored: Stored) {
  const file = fileOf(env)
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, `${JSON.stringify(stored, null, 2)}\n`, { mode: PRIVATE })
  renameSync(fresh, file)
}

/** The URL of a service as people write it: `gold.example`, `localhost:8080`, `https://gold.example/`. */
export function readHost(text: string): string {
  const whole = text.includes('://') ? text : undefined
  const guess = whole ?? `${/^(?:localhost|127\.|\[::1\])/.test(text) ? 'http' : 'https'}://${text}`
  const url = URL.canParse(guess) ? new URL(guess) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw usage(`${text} is not a service URL. Write it like https://gold.example`)
  if (url.pathname !== '/' || url.search || url.hash || url.username || url.password)
    throw usage(`${text} is more than a service URL. Write it like ${url.protocol}//${url.host}`)
  return url.origin
}

/** The service to use: from the command line, the environment, the folder if we are signed in there, otherwise the last one. */
export function hostFor(env: Environment, named?: string, folderHost?: string): string {
  if (named) return readHost(named)
  if (env.GOLDMASTER_HOST) return readHost(env.GOLDMASTER_HOST)
  const stored = read(env)
  // A folder's file may come with somebody's repository: it can choose among our hosts, never send a token to a new one.
  if (folderHost && !env.GOLDMASTER_TOKEN && Object.hasOwn(stored.hosts, folderHost)) return folderHost
  return stored.default ?? OWN_MACHINE
}

/** The token for a host, and its source. */
export function tokenFor(env: Environment, site: string): { token: string; source: string } {
  const source = sourceOf(env, site)
  if (source === 'GOLDMASTER_TOKEN') return { token: env.GOLDMASTER_TOKEN!.trim(), source }
  if (source) return { token: read(env).hosts[site]!.token, source }
  throw new Failure(`You are not signed in at ${site}. Run: goldmaster login --host ${site}`, EXIT.notSignedIn)
}

/** The source of the token for a host, if any. */
export function sourceOf(env: Environment, site: string): string | undefined {
  if (env.GOLDMASTER_TOKEN?.trim()) return 'GOLDMASTER_TOKEN'
  return Object.hasOwn(read(env).hosts, site) ? fileOf(env) : undefined
}

/** Stores a sign-in and makes its host the default. */
export function storeCredential(env: Environment, site: string, credential: Credential): string {
  const { hosts } = read(env)
  write(env, { default: site, hosts: { ...hosts, [site]: credential } })
  return fileOf(env)
}

/** Deletes a sign-in; false if there was none. */
export function removeCredential(env: Environment, site: string): boolean {
  const { default: chosen, hosts } = read(env)
  if (!Object.hasOwn(hosts, site)) return false
  delete hosts[site]
  write(env, { default: chosen === site ? (Object.keys(hosts)[0] ?? null) : chosen, hosts })
  return true
}
