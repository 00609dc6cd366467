import { cpuOfEach, usedBetween } from './cpu.ts'
import type { Load } from './load.ts'

/** One side of a comparison: a server and its requests. */
export interface Side {
  name: string
  server: { pid: number; port: number }
  requests: string[]
  /** Each is sent once: a repeat would be a different case. */
  once?: true
}

export interface Figures {
  name: string
  perSecond: number[]
  /** Milliseconds of CPU time per request: the server's and PostgreSQL's. */
  serverCpu: number[]
  databaseCpu: number[]
}

export interface Pace {
  rounds: number
  seconds: number
  connections: number
}

export const PACE: Pace = { rounds: 7, seconds: 2, connections: 16 }
const MOST = 100_000
const ONCE_PER_SECOND = 3_000
/** Seconds until the JIT compiler has warmed up. */
const WARM_UP = 4

/** Every round runs every side, each time in another order, so that any disturbance of the machine affects all alike. */
export async function interleave(
  load: Load,
  sides: Side[],
  backends: () => Promise<number[]>,
  { rounds, seconds, connections }: Pace = PACE,
): Promise<Figures[]> {
  const figures = sides.map(({ name }): Figures => ({ name, perSecond: [], serverCpu: [], databaseCpu: [] }))
  const ask = async ({ server, requests, once }: Side, time: number) => {
    const some = once ? requests.slice(0, Math.ceil(time * ONCE_PER_SECOND)) : requests
    const outcome = await load.run({
      port: server.port,
      connections,
      requests: some,
      seconds: time,
      most: once ? some.length : MOST,
    })
    if (once) requests.splice(0, outcome.answered)
    if (outcome.answered === 0) throw new Error('Nothing was answered.')
    return outcome
  }
  for (const side of sides) await ask(side, WARM_UP)
  for (let round = 0; round < rounds; round++)
    for (let turn = 0; turn < sides.length; turn++) {
      const at = (round + turn) % sides.length
      const side = sides[at]!
      const look = async () => [await cpuOfEach([side.server.pid]), await cpuOfEach(await backends())] as const
      const before = await look()
      const { answered, seconds: took } = await ask(side, seconds)
      const after = await look()
      figures[at]!.perSecond.push(answered / took)
      figures[at]!.serverCpu.push(usedBetween(before[0], after[0]) / answered)
      figures[at]!.databaseCpu.push(usedBetween(before[1], after[1]) / answered)
    }
  return figures
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The ratio of throughput, as the median over rounds measured next to each other. */
export const ratio = (one: Figures, other: Figures): number =>
  median(one.perSecond.map((perSecond, round) => perSecond / other.perSecond[round]!))
