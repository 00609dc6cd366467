import { readFileSync } from 'node:fs'

/** Milliseconds of CPU time, not wall time: others use this machine too. */
export function workOf(act: () => unknown): number {
  const before = process.cpuUsage()
  act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/**
 * Milliseconds of CPU time of a process's main thread so far, which is the time in which it answers nobody else; undefined where the system
 * doesn't tell (Linux does).
 */
export function mainThreadMs(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return undefined
  }
}
