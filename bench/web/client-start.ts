import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { fill } from '../harness/data.ts'
import type { Cluster } from '../harness/database.ts'
import { median } from '../harness/rounds.ts'
import { build, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

/** What one start takes, in milliseconds. */
interface Taken {
  cpu: number
  clock: number
}

const PROGRAMS = [
  ['installed', 'main.cjs'],
  ['single file', 'goldmaster.mjs'],
  ['run alone', 'goldmaster-run.mjs'],
] as const
/** The limits of processor time, as multiples of Node alone; what needs the service may take the request on top. */
const LIMITS: [words: string[], ratio: number][] = [
  [['--version'], 1.3],
  [['--help'], 2],
  [['no-such-command'], 2],
  [['projects', 'list'], 2],
]

/** How long `goldmaster` takes to start, beside Node that does nothing, in turn. */
export async function benchClientStart(cluster: Cluster) {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { rounds: { type: 'string', default: '21' }, beside: { type: 'string' } },
  })
  build()
  const store = await cluster.create('client_start')
  const token = await fill(store.url, 10, ['tasks'])
  const server = await startGoldmaster(store.url)
  const folder = mkdtempSync(join(tmpdir(), 'goldmaster-bench-'))
  try {
    const site = `http://127.0.0.1:${server.port}`
    const env = { PATH: process.env.PATH!, HOME: folder, GOLDMASTER_HOST: site, GOLDMASTER_TOKEN: token }
    const request = `await (await fetch('${site}/api/v1/projects', { headers: { authorization: 'Bearer ${token}' } })).text()`
    const cases = casesIn(resolve('dist'), '')
    if (values.beside) cases.push(...casesIn(resolve(values.beside), ' before'))
    const starts = [['-e', '0'], ['--input-type=module', '-e', request], ...cases.map(({ args }) => args)]
    const taken: Taken[][] = starts.map(() => [])
    for (let round = 0; round < Number(values.rounds); round++)
      // Every round in another order, so that a disturbance of the machine affects all alike.
      for (let turn = 0; turn < starts.length; turn++) {
        const at = (round + turn) % starts.length
        taken[at]!.push(await start(starts[at]!, env))
      }
    const [bare, asking, ...others] = taken.map((each) => ({
      cpu: median(each.map(({ cpu }) => cpu)),
      clock: median(each.map(({ clock }) => clock)),
    }))
    const rows = cases.map(({ name, limit, asks }, index) => {
      const { cpu, clock } = others[index]!
      const more = asks ? asking!.cpu - bare!.cpu : 0
      const most = limit + more / bare!.cpu
      return [name, cpu, cpu / bare!.cpu, clock, clock / bare!.clock, most, verdict(cpu / bare!.cpu <= most)]
    })
    printTable(
      `Starts, medians of ${values.rounds} rounds. Node alone: ${bare!.cpu.toFixed(0)} ms of processor time, ${bare!.clock.toFixed(0)} ms; with one request: ${asking!.cpu.toFixed(0)} ms, ${asking!.clock.toFixed(0)} ms`,
      ['', 'cpu ms', 'ratio', 'clock ms', 'ratio', 'limit', ''],
      rows,
    )
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

const casesIn = (dist: string, note: string) =>
  PROGRAMS.flatMap(([name, file]) => {
    const program = join(dist, file)
    if (!existsSync(program)) return []
    return LIMITS.filter(([[word]]) => file !== 'goldmaster-run.mjs' || word !== 'projects').map(([words, limit]) => ({
      name: `${name}: ${words.join(' ')}${note}`,
      args: [program, ...words],
      limit,
      asks: words[0] === 'projects',
    }))
  })

/** User and system time, as the shell counts them: of the whole process, from its start to its end. */
async function start(args: string[], env: Record<string, string>): Promise<Taken> {
  // Into a file, as a script reads it: a device takes Node a little longer.
  const script = `TIMEFORMAT='%R %U %S'; time "$@" >"$HOME/printed" 2>&1`
  const shell = spawn('bash', ['-c', script, 'bench', process.execPath, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const [said] = await Promise.all([text(shell.stderr), once(shell, 'close')])
  const [real, user, system] = said.trim().split(' ').map(Number)
  return { cpu: (user! + system!) * 1000, clock: real! * 1000 }
}
