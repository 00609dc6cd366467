import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { diagnose } from '../../src/diagnosis/diagnose.ts'
import { LOG_CAP } from '../../src/diagnosis/log.ts'
import { readLog } from './labeled-logs.ts'

const LINES = [
  '[12/340] Compile Module.Game.cpp',
  'Source/Game/Hero.cpp(12): warning C4996: this function is old',
  'LogCook: Display: Cooked packages 120 Packages Remain 4500 Total 4620',
  '2024-05-01T10:00:00.1234567Z   ✓ hits twice (12 ms)',
  '    at Context.<anonymous> (test/hero.js:12:5)',
  '[info] Error count: 0, failed: 0, skipped: 3',
]

const synthetic = (seed: number, length: number) => {
  const parts: string[] = []
  for (let i = seed, size = 0; size < length - 200; i++) {
    parts.push(`${LINES[(i * 7 + (i >> 3)) % LINES.length]} ${i}`)
    size += parts.at(-1)!.length + 1
  }
  return `${parts.join('\n')}\nSource/Game/Hero.cpp(40): error C2065: 'Hits': undeclared identifier\n`.slice(-length)
}

/** Logs of full length: real ones if there are any, padded by repetition, otherwise generated ones. */
function fullLogs(root: string | undefined): string[] {
  if (root === undefined) return Array.from({ length: 50 }, (_, seed) => synthetic(seed, LOG_CAP))
  const found: string[] = []
  for (const set of readdirSync(root)) {
    const folder = join(root, set, 'files')
    if (!existsSync(folder)) continue
    for (const name of readdirSync(folder)) {
      const raw = readLog(join(folder, name))
      if (raw.length > LOG_CAP / 4) found.push(raw.repeat(Math.ceil(LOG_CAP / raw.length)).slice(-LOG_CAP))
    }
  }
  return found
}

const workOf = (log: string) => {
  const began = process.cpuUsage()
  diagnose(log)
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1000
}

const LARGE = 5_000_000

/** CPU time, not wall time: a busy machine must not make the engine look slow. */
export function speed(root: string | undefined): void {
  const logs = fullLogs(root)
  if (logs.length === 0) {
    console.log(`No log in ${root} is long enough to measure the time.`)
    return
  }
  diagnose(logs[0]!)
  const times = logs.map(workOf).sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(1)
  console.log(`${logs.length} logs of 256,000 characters: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, slowest ${at(1)} ms of one core`)
  const large = synthetic(1, LARGE)
  const best = (log: string) => Math.min(...[1, 2, 3, 4, 5].map(() => workOf(log))).toFixed(0)
  console.log(`a log of 5 MB: ${best(large)} ms of one core`)
  console.log(`128,000 lines of one letter: ${best('a\n'.repeat(LOG_CAP / 2))} ms of one core`)
  console.log(`39,000 lines, a step and an error in turn: ${best('$ x\nError: y\n'.repeat(LOG_CAP / 13))} ms of one core`)
}
