import { LOG_MAX } from '../../contract/limits.ts'
import type { Fact } from '../facts.ts'

/** A shorter log is not worth a body that differs from what was sent. */
const LOG_MIN = 4 * 1024
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * A JSON body without the logs that builds store, otherwise byte for byte the same; undefined if there is nothing to leave out. A log that
 * is too long to be stored in full, or is a list or in a form, stays.
 */
export function leanBody(raw: Buffer, facts: readonly Fact[]): Buffer | undefined {
  const logs = facts.flatMap((fact) => (fact.kind === 'build' && fact.log !== undefined ? [fact.log] : []))
  if (raw.length < LOG_MIN || logs.length === 0) return undefined
  if (logs.some((log) => log.length < LOG_MIN || log.length > LOG_MAX)) return undefined
  const parts: Buffer[] = []
  const left = new Set(logs)
  let kept = 0
  for (const { start, end } of longTexts(raw)) {
    const log = logs.find((one) => one.includes(textOf(raw.subarray(start, end))))
    if (log === undefined) continue
    parts.push(raw.subarray(kept, start), Buffer.from('null'))
    kept = end
    left.delete(log)
  }
  return left.size > 0 ? undefined : Buffer.concat([...parts, raw.subarray(kept)])
}

/** The facts of a delivery whose log is left out, because its build has it already. */
export const withoutLogs = (facts: Fact[]): Fact[] =>
  facts.map((fact) => {
    if (fact.kind !== 'build') return fact
    const { log: _, ...rest } = fact
    return rest
  })

/** Long strings that are the value of a field, as encoded in the body, quotes included. */
function* longTexts(raw: Buffer): Generator<{ start: number; end: number }> {
  for (let start = raw.indexOf(QUOTE); start !== -1; ) {
    const end = endOfText(raw, start)
    if (end === undefined) return
    if (end - start >= LOG_MIN && before(raw, start) === COLON) yield { start, end }
    start = raw.indexOf(QUOTE, end)
  }
}

function endOfText(raw: Buffer, start: number): number | undefined {
  for (let quote = raw.indexOf(QUOTE, start + 1); quote !== -1; quote = raw.indexOf(QUOTE, quote + 1)) {
    let escapes = 0
    while (raw[quote - 1 - escapes] === BACKSLASH) escapes++
    if (escapes % 2 === 0) return quote + 1
  }
  return undefined
}

function before(raw: Buffer, start: number): number | undefined {
  let at = start - 1
  while (SPACES.has(raw[at]!)) at--
  return raw[at]
}

function textOf(literal: Buffer): string {
  try {
    return JSON.parse(literal.toString('utf8')) as string
  } catch {
    // A form may contain quotes too; no log contains a NUL.
    return '\0'
  }
}
