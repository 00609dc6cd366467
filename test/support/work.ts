/** Milliseconds of CPU time, not wall time: others use this machine too. */
export function workOf(act: () => unknown): number {
  const before = process.cpuUsage()
  act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
