/** A log as a carrier passes it on: its text, and for each original line its new line number. */
export interface Carried {
  raw: string
  at: number[]
}

type Prefix = (index: number) => string

const at = (index: number) => new Date(Date.UTC(2026, 2, 7, 9, 0, 0) + 137 * index)
const iso = (index: number) => at(index).toISOString()
const clock = (index: number) => iso(index).slice(11, 19)

const prefixed =
  (prefix: Prefix) =>
  (lines: readonly string[]): Carried => ({
    raw: lines.map((line, index) => prefix(index) + line).join('\n'),
    at: lines.map((_, index) => index + 1),
  })

const OTHER = [
  'Resolving packages',
  'Packing textures',
  'Uploading symbols',
  'Still working',
  'Checking sizes',
  'Writing manifest',
]

/** Two parallel branches, the other one quiet: bursts of either, with a length that repeats only after a while. */
function parallel(lines: readonly string[]): Carried {
  const out: string[] = []
  const places: number[] = []
  lines.forEach((line, index) => {
    out.push(`[linux] ${line}`)
    places.push(out.length)
    for (let i = 0; i < (index * 7) % 3; i++) out.push(`[windows] ${OTHER[(index + i) % OTHER.length]} ${index}`)
  })
  return { raw: out.join('\n'), at: places }
}

/** Ten ways in which the same log may arrive. */
export const CARRIERS: Readonly<Record<string, (lines: readonly string[]) => Carried>> = {
  'time, two blanks': prefixed((i) => `${clock(i)}  `),
  'time in brackets': prefixed((i) => `[${iso(i)}] `),
  'ISO time': prefixed((i) => `${iso(i).replace('Z', '4567Z')} `),
  'escape with time': prefixed((i) => `\x1b_bk;t=${at(i).getTime()}\x07`),
  'time and stream': prefixed((i) => `${iso(i).replace('Z', '123Z')} 0${i % 2}${i % 5 ? 'O' : 'E'} `),
  'JSON lines': (lines) => ({
    raw: lines.map((line, i) => JSON.stringify({ time: iso(i), level: 'info', stream: 'stdout', msg: line })).join('\n'),
    at: lines.map((_, index) => index + 1),
  }),
  'time, level, step': prefixed((i) => `[${clock(i)}]${[' ', 'W', 'i', 'E'][i % 4]}:\t [Step 2/5] `),
  'host and process': prefixed((i) => `Mar  7 ${clock(i)} build-agent-07 runner[4711]: `),
  'job and step': prefixed((i) => `build (linux)\tRun make\t${iso(i).replace('Z', '4567Z')} `),
  'parallel branches': parallel,
}
