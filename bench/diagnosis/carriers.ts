/** A log as a carrier passes it on: its text, and for each original line its new line number. */
export interface Carried {
  raw: string
  at: number[]
}

type Wrap = (index: number, line: string) => string

const at = (index: number) => new Date(Date.UTC(2026, 2, 7, 9, 0, 0) + 137 * index)
const iso = (index: number) => at(index).toISOString()
const clock = (index: number) => iso(index).slice(11, 19)

const wrapped =
  (wrap: Wrap) =>
  (lines: readonly string[]): Carried => ({
    raw: lines.map((line, index) => wrap(index, line)).join('\n'),
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

const escapedForTeamCity = (line: string) =>
  line.replace(/[|'[\]]/g, '|$&').replace(/[^\x20-\x7e|]/g, (char) => `|0x${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Two processes on one console, without a word about which one speaks. */
function interleaved(lines: readonly string[]): Carried {
  const out: string[] = []
  const places: number[] = []
  lines.forEach((line, index) => {
    out.push(line)
    places.push(out.length)
    if (index % 3 === 2) out.push(`${OTHER[index % OTHER.length]} ${index}`)
  })
  return { raw: out.join('\n'), at: places }
}

/** UTF-16 that somebody read byte by byte; the service stores no zeros. */
const byteByByte = (lines: readonly string[]): Carried => ({
  raw: Buffer.from(lines.join('\n'), 'utf16le').toString('utf8').replaceAll('\0', '\ufffd'),
  at: lines.map((_, index) => index + 1),
})

/** The ways in which the same log reaches us. */
export const CARRIERS: Readonly<Record<string, (lines: readonly string[]) => Carried>> = {
  'time, two blanks': wrapped((i, line) => `${clock(i)}  ${line}`),
  'time in brackets': wrapped((i, line) => `[${iso(i)}] ${line}`),
  'ISO time': wrapped((i, line) => `${iso(i).replace('Z', '4567Z')} ${line}`),
  'escape with time': wrapped((i, line) => `\x1b_bk;t=${at(i).getTime()}\x07${line}`),
  'time and stream': wrapped((i, line) => `${iso(i).replace('Z', '123Z')} 0${i % 2}${i % 5 ? 'O' : 'E'} ${line}`),
  'JSON lines': (lines) => ({
    raw: lines.map((line, i) => JSON.stringify({ time: iso(i), level: 'info', stream: 'stdout', msg: line })).join('\n'),
    at: lines.map((_, index) => index + 1),
  }),
  'time, level, step': wrapped((i, line) => `[${clock(i)}]${[' ', 'W', 'i', 'E'][i % 4]}:\t [Step 2/5] ${line}`),
  'host and process': wrapped((i, line) => `Mar  7 ${clock(i)} build-agent-07 runner[4711]: ${line}`),
  'job and step': wrapped((i, line) => `build (linux)\tRun make\t${iso(i).replace('Z', '4567Z')} ${line}`),
  'parallel branches': parallel,
  'service messages': wrapped(
    (i, line) => `##teamcity[message text='${escapedForTeamCity(line)}' status='NORMAL' flowId='${i % 3}']`,
  ),
  'numbered lines': wrapped((i, line) => `${String(i + 1).padStart(5)}: ${line}`),
  'date and frame': wrapped(
    (i, line) =>
      `[${iso(i).slice(0, 10).replaceAll('-', '.')}-${clock(i).replaceAll(':', '.')}:${String(i % 1000).padStart(3, '0')}][${String(i % 1000).padStart(3)}]${line}`,
  ),
  'build node': wrapped((_, line) => `12>${line}`),
  'container runtime': wrapped((i, line) => `${iso(i).replace('Z', '123456Z')} std${i % 5 ? 'out' : 'err'} F ${line}`),
  'leading tab': wrapped((_, line) => `\t${line}`),
  'trailing blank': wrapped((_, line) => `${line} `),
  'UTF-16 by bytes': byteByByte,
  interleaved: interleaved,
}
