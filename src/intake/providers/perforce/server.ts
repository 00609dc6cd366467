import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ListedPerson } from '../../../domain/accounts/people-list.ts'
import type { Stream } from '../../../domain/branches/streams.ts'
import type { AllowedHosts } from '../../../net/addresses.ts'
import { currentBudget } from '../../../net/budget.ts'
import { countValues } from '../../../net/json-complexity.ts'
import { NoAnswer, resolveHost, Unreachable } from '../../../net/safe-fetch.ts'
import { type Json, text } from '../../reading.ts'
import { changeIn } from './describe.ts'
import { parseImports, parseStreams, records } from './streams.ts'
import { parseUsers } from './users.ts'

const run = promisify(execFile)

const TIMEOUT_MS = 20_000
const OUTPUT_MAX = 32 * 1024 * 1024
/** Of one command: a changelist of 60,000 files, or 40,000 listed changelists. Parsed, they take some 40 MB. */
const VALUES = { values: 400_000, depth: 100 }
const TOO_LONG = 'The Perforce server says more than can be read.'
/** A host and a port. Perforce also supports addresses that run a command (`rsh:`): never here. */
const ADDRESS = /^(?:(tcp|ssl)(?:4|6|46|64)?:)?(\[[0-9a-f:.]+\]|[a-z0-9.-]+):(\d{1,5})$/i

interface Limits {
  /** In milliseconds. */
  timeout?: number
  /** In bytes. */
  limit?: number
}

/** The server prints more than the limit. */
export class TooLong extends Unreachable {}

export interface Perforce {
  allowed: AllowedHosts
  /** The p4 command. */
  p4?: string | undefined
  signal?: AbortSignal | undefined
}

/** The output of `p4 describe` for a changelist, or of `p4 changes` if its files are more than can be read. */
export const describe = (
  config: Readonly<Json>,
  changelist: string,
  perforce: Perforce,
): Promise<{ output: string; isWithoutFiles?: true }> =>
  session(config, perforce, async (ask) => {
    try {
      return { output: await ask(['describe', '-s', changelist]) }
    } catch (error) {
      if (!(error instanceof TooLong)) throw error
      return { output: await ask(['changes', '-l', '-m', '1', `@${changelist},@${changelist}`]), isWithoutFiles: true }
    }
  })

/** The server's review site. */
export const reviewSite = (config: Readonly<Json>, perforce: Perforce): Promise<string> =>
  session(config, perforce, (ask) => ask(['property', '-l', '-n', 'P4.Swarm.URL']))

/** The paths of a shelf, or of a submitted changelist. */
export const pathsOfShelf = (config: Readonly<Json>, changelist: string, perforce: Perforce): Promise<string[]> =>
  /^\d+$/.test(changelist)
    ? session(config, perforce, async (ask) =>
        records(await ask(['describe', '-S', '-s', changelist]))
          .flatMap((record) => (record.change ? (changeIn(record).files ?? []) : []))
          .map(({ path }) => path),
      )
    : Promise.resolve([])

/** The users of the server. */
export const users = (config: Readonly<Json>, perforce: Perforce): Promise<ListedPerson[]> =>
  session(config, perforce, async (ask) => parseUsers(await ask(['users'])))

/** The maximum number of streams whose imports are read; with more, imports are unknown. */
const IMPORTING_MAX = 100

/** The streams of the server, with what each imports. */
export const streams = (config: Readonly<Json>, perforce: Perforce): Promise<Stream[]> =>
  session(config, perforce, async (ask) => {
    const streams = parseStreams(await ask(['streams']))
    for (const stream of streams.slice(0, IMPORTING_MAX)) {
      const imports = parseImports(await ask(['stream', '-o', stream.path]))
      if (imports.length > 0) stream.imports = imports
    }
    return streams
  })

/** What one command prints. */
export const print = (config: Readonly<Json>, args: readonly string[], perforce: Perforce & Limits): Promise<string> =>
  session(config, perforce, (ask) => ask([...args]))

type Ask = (args: string[]) => Promise<string>
/** The command and its environment, for output that is not text. */
interface Program {
  p4: string
  env: NodeJS.ProcessEnv
}

/** Trusts the server as configured and queries it; the program is started directly, never through a shell. */
export async function session<T>(
  config: Readonly<Json>,
  { allowed, p4 = 'p4', signal, ...limits }: Perforce & Limits,
  work: (ask: Ask, program: Program) => Promise<T>,
): Promise<T> {
  const port = await portOf(text(config.server) ?? '', allowed, signal)
  const fingerprint = text(config.fingerprint)
  const folder = await mkdtemp(join(tmpdir(), 'goldmaster-p4-'))
  const env = environment(config, port, folder)
  const ask = (args: string[]) => call(p4, args, env, { signal, ...limits })
  try {
    if (fingerprint !== undefined) await ask(['trust', '-i', fingerprint])
    return await work((args) => ask(['-Mj', '-ztag', ...args]), { p4, env })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Connects to the same address that was checked. */
async function portOf(server: string, allowed: AllowedHosts, signal: AbortSignal | undefined): Promise<string> {
  const [, scheme = 'tcp', host, port] = ADDRESS.exec(server) ?? []
  if (host === undefined) throw new Unreachable('The configured Perforce server must look like ssl:host:1666.')
  const mayAsk: AllowedHosts = (host, address, port) => allowed(host, address, port, 'perforce')
  const [found] = await resolveHost(host.replace(/^\[|\]$/g, ''), mayAsk, { port: Number(port), signal })
  return found!.family === 6 ? `${scheme}6:[${found!.address}]:${port}` : `${scheme}:${found!.address}:${port}`
}

/**
 * Without our own environment, which contains secrets, and with an empty home: settings without a password must not get the tickets of
 * whoever runs the service.
 */
function environment(config: Readonly<Json>, port: string, home: string): NodeJS.ProcessEnv {
  const given = { P4USER: text(config.user), P4PASSWD: text(config.password), P4CHARSET: text(config.charset) }
  const known = Object.entries(given).filter(([, value]) => value !== undefined)
  const { PATH, SystemRoot } = process.env
  return {
    ...Object.fromEntries(known),
    PATH,
    HOME: home,
    USERPROFILE: home,
    P4TICKETS: join(home, 'tickets'),
    P4TRUST: join(home, 'trust'),
    P4ENVIRO: join(home, 'enviro'),
    ...(SystemRoot && { SystemRoot }),
    P4PORT: port,
    P4CONFIG: '.no-such-file',
  }
}

async function call(
  p4: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  { signal, timeout = TIMEOUT_MS, limit = OUTPUT_MAX }: Limits & Pick<Perforce, 'signal'>,
): Promise<string> {
  const budget = currentBudget()
  budget?.spend('pages', 1)
  const output = await outputOf(p4, args, env, { signal, timeout, limit })
  const values = countValues(output, VALUES)
  if (values === undefined) throw new TooLong(TOO_LONG)
  budget?.spend('bytes', output.length)
  budget?.spend('values', values)
  return output.toString()
}

async function outputOf(
  p4: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  { signal, timeout, limit }: Limits & Pick<Perforce, 'signal'>,
): Promise<Buffer> {
  try {
    const { stdout } = await run(p4, args, {
      encoding: 'buffer',
      env,
      signal,
      timeout,
      maxBuffer: limit,
      killSignal: 'SIGKILL',
      windowsHide: true,
    })
    return stdout
  } catch (error) {
    const { code, killed, stdout = '', stderr = '' } = error as Failure
    if (code === 'ENOENT') throw new Unreachable('The Perforce command line client (p4) is not installed here.')
    if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') throw new TooLong(TOO_LONG)
    if (killed || signal?.aborted) throw new NoAnswer('The Perforce server took too long.')
    const said = `${stderr}${stdout}`.trim().slice(0, 500)
    if (/connect to server failed/i.test(said)) throw new NoAnswer(said)
    throw new Unreachable(said === '' ? `p4 ended with ${code}.` : said)
  }
}

interface Failure {
  code?: string | number
  killed?: boolean
  stdout?: Buffer
  stderr?: Buffer
}
