import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { randomOf } from '../../src/demo/random.ts'
import type { GivenFile, Made } from '../../src/previews/made.ts'
import { ProcessEnded, ProcessPool } from '../../src/processes/pool.ts'
import { cpuOfEach, usedBetween } from '../harness/cpu.ts'
import { type HostileFile, hostileFile } from '../harness/fuzz/mutated-files.ts'
import { build } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

const COUNT = 50_000
const SLICE = 1_000
/** Of processor time, one file. */
const LONGEST_MS = 2_000
const MOST_MB = 700

interface Reading {
  milliseconds: number
  mb: number
  outcome: 'preview' | 'no preview' | 'crashed' | 'late'
}

/** Mutated files through the sealed process that makes previews: none may take long or much memory. Linux only. */
export async function benchPreviewFiles() {
  const [count, seed] = [Number(process.argv[3] ?? COUNT), Number(process.argv[4] ?? 1)]
  // A folder for the files that broke a limit.
  const folder = process.argv[5]
  if (folder) await mkdir(folder, { recursive: true })
  build()
  const beside = pathToFileURL(join(import.meta.dirname, '../../dist/server/x.js')).href
  const pool = new ProcessPool<GivenFile, Made>({
    beside,
    entry: 'preview-process',
    heapMb: 512,
    deadlineMs: 60_000,
    isSealed: true,
  })
  const random = randomOf(seed)
  const outcomes = new Map<string, number>()
  let [longest, most, broken] = [0, 0, 0]
  for (let sent = 0; sent < count; sent++) {
    const file = hostileFile(random)
    const { milliseconds, mb, outcome } = await readingOf(pool, file)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    longest = Math.max(longest, milliseconds)
    most = Math.max(most, mb)
    if (milliseconds > LONGEST_MS || mb > MOST_MB || outcome === 'crashed' || outcome === 'late') {
      broken++
      console.log(`file ${sent} (${file.path}): ${milliseconds} ms, ${mb.toFixed(0)} MB, ${outcome}`)
      if (folder) await writeFile(join(folder, `${sent}-${file.path}`), file.bytes)
    }
    if ((sent + 1) % SLICE === 0) process.stderr.write(`${sent + 1} read, longest ${longest} ms, most ${most.toFixed(0)} MB\n`)
  }
  pool.stop()
  printTable(
    `Mutated files (targets: ≤ ${LONGEST_MS} ms of processor time, ≤ ${MOST_MB} MB)`,
    ['files', 'longest ms', 'most MB', 'outcomes', 'above', ''],
    [
      [
        count,
        longest,
        most,
        [...outcomes].map(([what, number]) => `${number} ${what}`).join(', '),
        broken,
        verdict(broken === 0),
      ],
    ],
  )
  if (broken > 0) process.exitCode = 1
}

async function readingOf(pool: ProcessPool<GivenFile, Made>, { path, bytes, isCut }: HostileFile): Promise<Reading> {
  const before = await watched()
  let outcome: Reading['outcome']
  try {
    const made = await pool.run({ path, isCut }, bytes)
    outcome = 'reason' in made ? 'no preview' : 'preview'
  } catch (error) {
    if (!(error instanceof ProcessEnded) || error.why === 'stopped') throw error
    outcome = error.why
  }
  const after = await cpuOfEach(await children())
  // A process that was started for this file pays for its start, and one that has ended after it is no longer there.
  const isNew = [...after.keys()].some((pid) => !before.has(pid))
  return { milliseconds: isNew || after.size === 0 ? 0 : usedBetween(before, after), mb: await peakMb(), outcome }
}

/** Their processor time so far; the peak of their memory begins anew. */
async function watched() {
  const pids = await children()
  await Promise.all(pids.map((pid) => writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {})))
  return cpuOfEach(pids)
}

const children = async (): Promise<number[]> =>
  (await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number)

async function peakMb(): Promise<number> {
  const pids = await children()
  const peaks = await Promise.all(
    pids.map(async (pid) =>
      Number(/^VmHWM:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))?.[1] ?? 0),
    ),
  )
  return Math.max(0, ...peaks) / 1024
}
