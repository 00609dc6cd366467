import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { diagnose } from '../src/diagnosis/diagnose.ts'
import { LOG_CAP } from '../src/diagnosis/log.ts'

/** A labelled log: which lines say why, which file, what kind. */
interface Label {
  file: string
  error_lines?: number[]
  file_path?: string | null
  category?: string | null
}

interface Tally {
  logs: number
  first: number
  near: number
  overlap: number
  whole: number
  files: number
  file: number
  kinds: number
  kind: number
  clean: number
  alarms: number
}

const NEAR = 5
const zero = (): Tally => ({
  logs: 0,
  first: 0,
  near: 0,
  overlap: 0,
  whole: 0,
  files: 0,
  file: 0,
  kinds: 0,
  kind: 0,
  clean: 0,
  alarms: 0,
})
const base = (path: string) => path.split(/[\\/]/).at(-1)!.toLowerCase()
const percent = (part: number, all: number) => (all ? `${((100 * part) / all).toFixed(1)} %` : '–').padStart(8)

const readLog = (path: string) => {
  const bytes = readFileSync(path)
  return (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('utf8')
}

function score(tally: Tally, label: Label, raw: string): void {
  const found = diagnose(raw)
  if (label.category === 'none') {
    tally.clean++
    if (found.confidence !== 'low') tally.alarms++
    return
  }
  if (label.category && label.category !== 'unknown') {
    tally.kinds++
    if (found.category === label.category) tally.kind++
  }
  const want = new Set(label.error_lines ?? [])
  if (want.size === 0) return
  const got = new Set(found.evidence.map((each) => each.line))
  const lead = found.evidence[0]?.line ?? Number.NEGATIVE_INFINITY
  const both = [...got].filter((line) => want.has(line)).length
  tally.logs++
  if (want.has(lead)) tally.first++
  if ([...want].some((line) => Math.abs(line - lead) <= NEAR)) tally.near++
  tally.overlap += (2 * both) / (got.size + want.size)
  if (both === want.size) tally.whole++
  if (label.file_path) {
    tally.files++
    if (found.file_path && base(found.file_path) === base(label.file_path)) tally.file++
  }
}

/** How well the labelled logs below a folder are read: one line for each set. */
function accuracy(root: string): void {
  console.log(`${'set'.padEnd(16)} logs    first     near  overlap    whole     file     kind  alarms`)
  for (const set of readdirSync(root)) {
    const labels = join(root, set, 'labels.jsonl')
    if (set === 'attribution' || !existsSync(labels)) continue
    const tally = zero()
    for (const line of readFileSync(labels, 'utf8').split('\n').filter(Boolean)) {
      const label = JSON.parse(line) as Label
      const path = join(root, set, label.file)
      if (existsSync(path)) score(tally, label, readLog(path))
    }
    const { logs } = tally
    const parts = [tally.first, tally.near, tally.overlap, tally.whole].map((part) => percent(part, logs))
    const rest = [percent(tally.file, tally.files), percent(tally.kind, tally.kinds)]
    console.log(set.padEnd(16), String(logs).padStart(4), ...parts, ...rest, tally.clean ? ` ${tally.alarms}/${tally.clean}` : '')
  }
}

const LINES = [
  '[12/340] Compile Module.Game.cpp',
  'Source/Game/Hero.cpp(12): warning C4996: this function is old',
  'LogCook: Display: Cooked packages 120 Packages Remain 4500 Total 4620',
  '2024-05-01T10:00:00.1234567Z   ✓ hits twice (12 ms)',
  '    at Context.<anonymous> (test/hero.js:12:5)',
  '[info] Error count: 0, failed: 0, skipped: 3',
]

const synthetic = (seed: number) => {
  let log = ''
  for (let i = seed; log.length < LOG_CAP - 200; i++) log += `${LINES[(i * 7 + (i >> 3)) % LINES.length]} ${i}\n`
  return `${log}Source/Game/Hero.cpp(40): error C2065: 'Hits': undeclared identifier\n`.slice(-LOG_CAP)
}

/** Logs of full length: the real ones if there are any, padded by repeating them, else made-up ones. */
function fullLogs(root: string | undefined): string[] {
  if (root === undefined) return Array.from({ length: 50 }, (_, seed) => synthetic(seed))
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

/** Processor time, not the clock on the wall: a busy machine must not make the engine look slow. */
function speed(root: string | undefined): void {
  const logs = fullLogs(root)
  if (logs.length === 0) {
    console.log(`No log in ${root} is long enough to measure the time.`)
    return
  }
  diagnose(logs[0]!)
  const times = logs
    .map((log) => {
      const began = process.cpuUsage()
      diagnose(log)
      const { user, system } = process.cpuUsage(began)
      return (user + system) / 1000
    })
    .sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!.toFixed(1)
  console.log(`${logs.length} logs of 256,000 characters: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, slowest ${at(1)} ms of one core`)
}

/** How well labelled logs are read, where there are some, and how long a log takes. */
export async function benchDiagnosis() {
  const root = process.argv[3]
  if (root === undefined) console.log('No folder of labelled logs is given: only the time is measured, on made-up ones.')
  else accuracy(root)
  speed(root)
}
