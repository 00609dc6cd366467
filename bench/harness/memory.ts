import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Answers by how many there are of each. */
export function tally(answers: string[]): string {
  const counts = new Map<string, number>()
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  return [...counts].map(([answer, count]) => `${count} × ${answer}`).join(', ')
}

/** The memory of a process and its children, measured continuously (Linux only). */
export function watchMemory(pid: number) {
  let [most, stopped] = [0, false]
  void (async () => {
    for (; !stopped; await sleep(100)) most = Math.max(most, await residentMb(pid))
  })()
  return {
    most: () => most || Number.NaN,
    reset: () => {
      most = 0
    },
    stop: () => {
      stopped = true
    },
  }
}

async function residentMb(pid: number): Promise<number> {
  const sizes = await Promise.all((await readdir('/proc').catch(() => [])).map((entry) => residentIn(entry, pid)))
  return sizes.reduce((sum, size) => sum + size, 0) / 1024
}

async function residentIn(entry: string, pid: number): Promise<number> {
  const status = /^\d+$/.test(entry) ? await readFile(`/proc/${entry}/status`, 'utf8').catch(() => '') : ''
  const isOurs = entry === String(pid) || Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) === pid
  return isOurs ? Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) : 0
}
