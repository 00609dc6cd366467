import { DETAILS_MAX, MESSAGE_MAX, NAME_MAX, TEXT_HEAD, TEXT_TAIL } from './limits.ts'
import type { TestCase } from './test-case.ts'

/** The start and the end of a long text. Texts that grow piece by piece are cut rarely: every cut copies what stays. */
export const clip = (text: string) =>
  text.length <= 4 * (TEXT_HEAD + TEXT_TAIL) ? text : `${text.slice(0, TEXT_HEAD)}\n…\n${text.slice(-TEXT_TAIL)}`

/** Terminal colors. */
const ESCAPES = /\u001b\[[0-9;?]*[A-Za-z]/g
/** PostgreSQL stores no NUL. */
const NUL = /\u0000/g

export function plain(text: string): string {
  const uncolored = text.includes('\u001b') ? text.replace(ESCAPES, '') : text
  return (uncolored.includes('\0') ? uncolored.replace(NUL, '\uFFFD') : uncolored).trim()
}

const firstLine = (text: string) => plain(text).split('\n', 1)[0]!.trim()

/** `1.5`, `1,234.5` and `1234,5` are numbers of seconds; everything else is unknown, and a negative one is 0. */
export function secondsOf(text: string | undefined): number | null {
  if (text === undefined || !/\d/.test(text)) return null
  const commas = text.includes('.') ? text.replaceAll(',', '') : text.replace(',', '.')
  const seconds = Number(commas)
  return Number.isFinite(seconds) ? Math.round(Math.max(0, seconds) * 1000) : null
}

/** `d.hh:mm:ss.fffffff` */
export function clockOf(text: string | undefined): number | null {
  const parts = /^(?:(\d+)\.)?(\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(text ?? '')
  if (!parts) return null
  const [, days, hours, minutes, seconds] = parts
  return Math.round((((Number(days ?? 0) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000)
}

export const lineOf = (text: string | number | undefined): number | null => {
  const line = Number(text)
  return Number.isInteger(line) && line > 0 && line < 2 ** 31 ? line : null
}

const FRAMES = [
  /\bin ((?:[A-Za-z]:)?[^\s:()"<>|][^:()"<>|\n]*\.\w{1,8}):(?:line )?(\d+)/,
  /((?:[A-Za-z]:)?[\w./\\+-]+\.(?:cpp|cc|cxx|c|h|hpp|inl|cs|py|rs|go|ts|tsx|js|jsx|java|kt|lua|swift|mm))[:(](\d+)/,
]

/** The first source line that a failure names. */
export function placeIn(text: string): Pick<TestCase, 'file' | 'line'> {
  for (const frame of FRAMES) {
    const found = frame.exec(text.slice(0, DETAILS_MAX))
    if (found) return { file: found[1]!.slice(0, NAME_MAX), line: lineOf(found[2]) }
  }
  return { file: '', line: null }
}

interface Parts {
  suite?: string | undefined
  class?: string | undefined
  name?: string | undefined
  outcome: TestCase['outcome']
  duration_ms: number | null
  message?: string | undefined
  details?: string | undefined
  output?: string | undefined
  file?: string | undefined
  line?: number | null | undefined
  crashed?: boolean
}

const named = (text: string | undefined) => (text === undefined || text === '' ? '' : plain(text).slice(0, NAME_MAX))

/** A case with its texts cut to size. What a passed test printed is not kept. */
export function caseOf(given: Parts): TestCase {
  const file = named(given.file)
  const made: TestCase = {
    suite: named(given.suite),
    class: named(given.class),
    name: named(given.name) || '(?)',
    outcome: given.outcome,
    duration_ms: given.duration_ms,
    message: '',
    details: '',
    output: '',
    file,
    line: file === '' ? null : (given.line ?? null),
  }
  if (given.crashed) made.crashed = true
  if (made.outcome === 'passed') return made
  made.details = plain(given.details ?? '').slice(0, DETAILS_MAX)
  made.message = (plain(given.message ?? '') || firstLine(made.details)).slice(0, MESSAGE_MAX)
  made.output = plain(given.output ?? '').slice(-TEXT_TAIL)
  const place = made.line === null && made.outcome !== 'skipped' ? placeIn(`${made.details}\n${made.message}`) : undefined
  return place && place.file !== '' ? { ...made, ...place } : made
}

/** `Ns.Class.Method` with the name `Method` belongs to the class `Ns.Class`. A name may contain dots, and end otherwise. */
export const splitName = (fullName: string, name: string): Pick<TestCase, 'class' | 'name'> =>
  name !== '' && fullName.endsWith(`.${name}`)
    ? { class: fullName.slice(0, -name.length - 1), name }
    : { class: '', name: fullName || name }
