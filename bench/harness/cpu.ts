import { readFile } from 'node:fs/promises'

// Linux reports CPU time in hundredths of a second.
const TICK_MS = 10

/** Milliseconds of CPU time of a process so far; undefined if the system does not report it. */
async function cpuOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // The name in parentheses may contain anything: fields count from after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Milliseconds of CPU time of each of these processes; ended ones are left out. */
export async function cpuOfEach(pids: number[]): Promise<Map<number, number>> {
  const times = await Promise.all(pids.map(async (pid) => [pid, await cpuOf(pid)] as const))
  return new Map(times.filter((entry): entry is [number, number] => entry[1] !== undefined))
}

/** The total between two measurements. */
export const usedBetween = (before: Map<number, number>, after: Map<number, number>): number =>
  after.size === 0 ? Number.NaN : [...after].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0)
