import { readFile } from 'node:fs/promises'

// Linux tells processor time in hundredths of a second.
const TICK_MS = 10

/** Milliseconds of processor time a process has used so far; undefined where the system does not tell. */
async function cpuOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // The name in parentheses may hold anything: fields count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Milliseconds that each of these processes has used; those that are gone are left out. */
export async function cpuOfEach(pids: number[]): Promise<Map<number, number>> {
  const times = await Promise.all(pids.map(async (pid) => [pid, await cpuOf(pid)] as const))
  return new Map(times.filter((entry): entry is [number, number] => entry[1] !== undefined))
}

/** What was used between two looks, together. */
export const usedBetween = (before: Map<number, number>, after: Map<number, number>): number =>
  after.size === 0 ? Number.NaN : [...after].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0)
