import { usage } from './failures.ts'

type Step = { name: string } | { index: number } | 'each'

const PATH = /\.?([A-Za-z_][\w-]*)|\[(-?\d{1,9})\]|\[\]/y

/** Parses `[].links.changes[0].id`: names, `[n]` (from the end if negative), and `[]` for every entry. */
export function readPath(path: string): Step[] {
  const steps: Step[] = []
  let at = path === '.' ? 1 : 0
  while (at < path.length) {
    PATH.lastIndex = at
    const found = PATH.exec(path)
    if (!found) throw usage(`--pick: ${path} is not a path. Write it like [].id or links.changes[0].identifier`)
    steps.push(found[1] !== undefined ? { name: found[1] } : found[2] !== undefined ? { index: Number(found[2]) } : 'each')
    at = PATH.lastIndex
  }
  return steps
}

/** The values at a path in a document: one value, or one for every entry of `[]`. A misspelled name is an error. */
export function pick(document: unknown, path: string): unknown[] {
  let values = [document]
  for (const step of readPath(path)) {
    if (step === 'each') values = values.flatMap((value) => entries(value, path))
    else if ('index' in step) values = values.map((value) => entries(value, path).at(step.index) ?? null)
    else values = values.map((value) => member(value, step.name, path))
  }
  return values
}

const entries = (value: unknown, path: string): unknown[] => {
  if (value === null) return []
  if (!Array.isArray(value)) throw usage(`--pick: ${path} uses [] on a value that is not a list`)
  return value
}

const member = (value: unknown, name: string, path: string): unknown => {
  if (value === null) return null
  const names = typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : []
  if (names.includes(name)) return (value as Record<string, unknown>)[name]
  const advice = Array.isArray(value) ? `it is a list: add []` : `available: ${names.join(', ') || 'no fields'}`
  throw usage(`--pick: no ${name} in ${path}; ${advice}`)
}
