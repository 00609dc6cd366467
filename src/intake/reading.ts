import type { ChangedFile } from './facts.ts'

/** A body that cannot be understood: 422, or 200 for a tool that stops after errors; nothing is recorded but the delivery. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** Tolerant access to foreign bodies: missing or unexpected values are undefined, never an exception. */

export type Json = Record<string, unknown>

export const object = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined

export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const objects = (value: unknown): Json[] =>
  list(value)
    .map(object)
    .filter((item) => item !== undefined)

/** A non-empty string. */
export const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** A URL that is safe to show as a link. */
export const link = (value: unknown): string | undefined =>
  typeof value === 'string' && /^https?:\/\/\S+$/i.test(value) ? value : undefined

/** A number or a string, as tools write ids and build numbers. */
export const word = (value: unknown): string | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? String(value) : text(value)

export const number = (value: unknown): number | undefined => {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof read === 'number' && Number.isFinite(read) ? read : undefined
}

/** Own keys only, step by step: `at(body, 'issue', 'fields', 'summary')`. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let here: unknown = value
  for (const key of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined
    here = (here as Record<string | number, unknown>)[key]
  }
  return here
}

const COMPACT = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(?=[+-]\d{4}$|Z$)/
const OLD_STYLE = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?: UTC| Z)?$/

/** ISO text, seconds, milliseconds, `2018-07-01 20:14:38 UTC`, `+0000` without colon, `20250812T003411-0300`: as an ISO string, or undefined. */
export function time(value: unknown): string | undefined {
  const numeric = typeof value === 'number' || (typeof value === 'string' && /^\d{9,16}(\.\d+)?$/.test(value))
  const ms = numeric ? Number(value) * (Number(value) < 1e11 ? 1000 : 1) : Date.parse(normalized(value))
  if (!Number.isFinite(ms) || ms < 0 || ms > 4102444800000) return undefined
  return new Date(ms).toISOString()
}

function normalized(value: unknown): string {
  if (typeof value !== 'string') return ''
  const trimmed = value
    .trim()
    .replace(OLD_STYLE, '$1T$2Z')
    .replace(COMPACT, '$1-$2-$3T$4:$5:$6')
    .replace(/([+-]\d\d)(\d\d)$/, '$1:$2')
  // A time without offset is UTC here; Date.parse would use the machine's time zone.
  return /T[\d:.]+$/.test(trimmed) ? `${trimmed}Z` : trimmed
}

/** `Name <mail>`, or whichever of the two exists. */
export const byline = (name: unknown, mail: unknown): string => {
  const [who, where] = [text(name), text(mail)]
  return who && where && who !== where ? `${who} <${where}>` : (who ?? where ?? '')
}

/** The address in `Name <mail>`. */
export const mailIn = (value: unknown): string | undefined => /<([^<>@\s]+@[^<>@\s]+)>/.exec(text(value) ?? '')?.[1]

/** The external ids of an author, without gaps and duplicates. */
export const uids = (...values: unknown[]): string[] => [...new Set(values.flatMap((value) => word(value) ?? []))]

/** A valid file size. */
export const bytes = (value: unknown): number | undefined => {
  const read = number(value)
  return Number.isSafeInteger(read) && read! >= 0 ? read : undefined
}

/** More files than a submit of a whole depot has. */
const FILES_MAX = 1_000_000

/**
 * Changed files as a list of `{path, action}` or of paths, or one path per line, possibly `action<tab>path`; null if nothing was reported.
 */
export function files(value: unknown): ChangedFile[] | null {
  // An empty form field means that the script had no files.
  if (typeof value === 'string') return value.trim() === '' ? null : fileLines(value).flatMap(fileOf)
  return Array.isArray(value) ? value.flatMap(fileOf) : null
}

function fileOf(item: unknown): ChangedFile[] {
  const path = typeof item === 'string' ? text(item.trim()) : text(at(item, 'path'))
  if (path === undefined) return []
  const size = bytes(at(item, 'size') ?? at(item, 'size_bytes'))
  return [{ path, action: text(at(item, 'action')) ?? 'edit', ...(size !== undefined && { size_bytes: size }) }]
}

const fileLines = (text: string): unknown[] => linesOf(text).map(fileLine)

/** The lines of a list of files that are not empty. One after the other: a text of nothing but line ends would become a list of millions. */
export function linesOf(text: string): string[] {
  const lines: string[] = []
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    if (lines.length === FILES_MAX) throw new Unreadable(`The delivery tells more than ${FILES_MAX} files.`)
    lines.push(line)
  }
  return lines
}

function fileLine(line: string): unknown {
  const tab = line.indexOf('\t')
  return tab > 0 ? { action: line.slice(0, tab).trim(), path: line.slice(tab + 1).trim() } : line
}
