import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { CLIENT } from '../built.ts'
import { scratch } from '../stand-in.ts'
import { openTools, type Tools } from '../tools.ts'

/** The end of a build: its output, byte for byte. */
interface BuildEnded {
  code: number | null
  signal: NodeJS.Signals | null
  out: Buffer
  err: Buffer
}

interface BuildRunning {
  child: ChildProcess
  printed(): string
  ended: Promise<BuildEnded>
}

/** A build machine: the single-file client, and a service that it reports to. */
export interface BuildRoom {
  tools: Tools
  folder: string
  /** `goldmaster` with these words; `env` is its whole environment. */
  start(words: readonly string[], env?: Record<string, string>, input?: string): BuildRunning
  /** `goldmaster run` around a Node script. */
  build(script: string, flags?: readonly string[], env?: Record<string, string>): BuildRunning
  /** The service's data about a build. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every shape
  known(number: string): Promise<any>
  log(number: string): Promise<string>
  close(): Promise<void>
}

export async function openBuildRoom(): Promise<BuildRoom> {
  const tools = await openTools()
  const { folder, remove } = scratch()
  const surroundings = {
    PATH: process.env.PATH!,
    HOME: folder,
    GOLDMASTER_HOST: tools.studio.site,
    GOLDMASTER_WEBHOOK_TOKEN: tools.tokenOf('jenkins'),
  }
  const start: BuildRoom['start'] = (words, env = {}, input) => {
    const child = spawn(process.execPath, [CLIENT, ...words], { cwd: folder, env: { ...surroundings, ...env } })
    const [out, err]: Buffer[][] = [[], []]
    child.stdout.on('data', (bytes) => out!.push(bytes))
    child.stderr.on('data', (bytes) => err!.push(bytes))
    child.stdin.end(input)
    const ended = once(child, 'close').then(([code, signal]) => ({
      code,
      signal,
      out: Buffer.concat(out!),
      err: Buffer.concat(err!),
    }))
    return { child, ended, printed: () => Buffer.concat(out!).toString() }
  }
  const known: BuildRoom['known'] = async (number) => {
    const { build_runs } = await tools.api(`search/build_runs?job=Game&limit=50`)
    const found = build_runs.filter((build: { build_number: string }) => build.build_number === number)
    return found.length === 1 ? tools.api(`build_runs/${found[0].id}`) : found
  }
  return {
    tools,
    folder,
    start,
    known,
    build: (script, flags = [], env = {}) => start(['run', '--job', 'Game', ...flags, '--', process.execPath, '-e', script], env),
    async log(number) {
      const { id } = await known(number)
      const token = tools.studio.world.tokens.all!.token
      return (await tools.studio.ask(`/api/v1/projects/${tools.project}/build_runs/${id}/log`, { token })).text
    },
    async close() {
      await tools.close()
      remove()
    },
  }
}
