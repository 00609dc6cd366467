import type { FailureCategory } from '../../contract/sets.ts'
import type { Clues, FileMention, Finding } from '../finding.ts'
import type { Log } from '../log.ts'
import type { Verdict } from './classify.ts'
import { shortHash, signatureOf, withoutRoot } from './masks.ts'
import type { Ranked } from './rank.ts'
import { undecorated } from './symbol.ts'

type Cause = Pick<Finding, 'fingerprint' | 'cause_keys' | 'joins_keys'>

/** Categories whose failures have a location. */
const PLACED: ReadonlySet<FailureCategory> = new Set(['compile_error', 'shader_error'])

/** Every module has these folders, so the one above them is needed to tell files apart. */
const COMMON_FOLDERS = /^(?:private|public|internal|classes|src|source|include|inc)$/

/** Folder and name: drive, workspace and slashes differ from machine to machine. */
function fileKey(path: string) {
  const parts = path
    .toLowerCase()
    .split(/[\\/]+/)
    .filter((part) => part !== '' && part !== '.' && part !== '..')
  return parts.slice(COMMON_FOLDERS.test(parts.at(-2) ?? '') ? -3 : -2).join('/')
}

/** Linkers print symbols near the beginning of a line. */
const READ = 600
const MISSING =
  /\bLNK20(?:01|19) ?: [^"]{0,120}?(?:"(?<quoted>[^"]+)"|(?<plain>[?_A-Za-z][\w?@$]*)(?= referenced| \(|$))|undefined (?:reference to|symbol:) [`'"‘]?(?<other>[^'’"]+)|^\s+"(?<apple>[^"]+)", referenced from/
const DOUBLED =
  /\bLNK2005 ?: (?:"(?<quoted>[^"]+)"|(?<plain>\S+))|(?:multiple definition of|duplicate symbol:?) [`'"‘]?(?<other>[^'’"]+)/

/** The symbol in a linker's message, and its problem. */
function symbolIn(text: string): string | null {
  for (const [kind, pattern] of [
    ['missing', MISSING],
    ['doubled', DOUBLED],
  ] as const) {
    const named = Object.values(pattern.exec(text.slice(0, READ))?.groups ?? {}).find((each) => each !== undefined)
    const symbol = named && undecorated(named)
    if (symbol) return `${kind} ${symbol}`
  }
  return null
}

/** At most this many errors of a log are used as keys. */
const ERRORS_MAX = 300

/** The first error of each file, or each symbol, in any order: parallel compilers print them as they finish. */
function errorsIn(log: Log, category: FailureCategory, ranked: readonly Ranked[]): string[] {
  const errors = new Map<string, string>()
  let read = 0
  for (const { lead, hits, start, end } of ranked.toSorted((a, b) => a.start - b.start)) {
    if (lead.rule.role !== 'root' || lead.rule.category !== category) continue
    if (category === 'link_error')
      for (let i = start; i <= end && read < ERRORS_MAX; i++, read++) {
        const symbol = symbolIn(log.text[i]!)
        if (symbol) errors.set(symbol, symbol)
      }
    else
      for (const { groups } of hits) {
        const file = groups.file && fileKey(groups.file.trim())
        if (file && groups.line && read++ < ERRORS_MAX && !errors.has(file)) errors.set(file, `${file}:${groups.line}`)
      }
  }
  return [...errors.values()].sort()
}

const ABSOLUTE = /^(?:[A-Za-z]:)?[\\/]/

/** The message and its file. The path of a workspace may contain spaces, which the pattern for paths does not allow. */
function wordsOf(category: FailureCategory, { rule, message }: Clues, path: string) {
  const said = ABSOLUTE.test(path) ? message.replace(path, withoutRoot(path)) : message
  return shortHash([category, rule, signatureOf(said), withoutRoot(path)].join('\n'))
}

/**
 * The keys that identify a failure: file and line of a compile error, the symbol of a link error, whatever compiler, machine or platform
 * reports it. Its message identifies a compile error after the line has moved.
 */
export function causeOf(log: Log, verdict: Verdict, clues: Clues, primary: FileMention | null, ranked: readonly Ranked[]): Cause {
  const { category } = verdict
  const words = wordsOf(category, clues, primary?.path ?? '')
  const known = (fingerprint: string, keys: readonly string[], joins: readonly string[]): Cause => {
    const errors = errorsIn(log, category, ranked)
    const all = errors.length > 1 ? [shortHash(`${category}\n${errors.join('\n')}`)] : []
    return { fingerprint, cause_keys: [fingerprint, words, ...all, ...keys], joins_keys: [fingerprint, words, ...all, ...joins] }
  }
  if (PLACED.has(category) && primary?.role === 'primary' && primary.line !== null) {
    const file = fileKey(primary.path)
    const name = file.slice(file.lastIndexOf('/') + 1)
    const [place, bare, any] = [`${file}:${primary.line}`, `bare ${name}:${primary.line}`, `any ${name}:${primary.line}`].map(
      (each) => shortHash(`${category}\n${each}`),
    ) as [string, string, string]
    // Some compilers print the file name without its folder: it matches the same name in any folder, and the reverse.
    return file === name ? known(place, [bare, any], [any]) : known(place, [any], [bare])
  }
  const symbol =
    category === 'link_error'
      ? [verdict.lead, ...verdict.lines].map((index) => index !== null && symbolIn(log.text[index]!)).find(Boolean)
      : null
  if (symbol) return known(shortHash(`${category}\n${symbol}`), [], [])
  return { fingerprint: words, cause_keys: [], joins_keys: [] }
}
