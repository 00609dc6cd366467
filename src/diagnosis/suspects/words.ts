import { canonical } from './names.ts'

const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]{2,60}(?:-[A-Za-z0-9_]{2,60}){0,9}/g
const BOUNDARY = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_-]+/
/** Common technical words: they are in logs and descriptions alike and connect nothing. */
const COMMON = new Set(
  `the and for with from into this that not are was has have will but when add added adds remove removed fix fixed fixes fixing update
  updated updates use used using make change changed merge pull request branch error errors failed failure fail fails test tests testing
  spec specs expected actual got line file files build run running src lib main index true false null undefined none nil string int
  function return exit code command exited new old support should must can could would all get set more some other only non`.split(
    /\s+/,
  ),
)
const COMPOUND = '='

export const isCompound = (word: string): boolean => word.startsWith(COMPOUND)
export const wordToShow = (word: string): string => (isCompound(word) ? word.slice(COMPOUND.length) : word)

/** Reads the identifiers of a text, whole and in parts: `registerHero` gives `register`, `hero` and the compound of both. */
export class Words {
  readonly #known = new Map<string, string[]>()

  of(text: string): string[] {
    return (text.match(IDENTIFIER) ?? []).flatMap((identifier) => this.#partsOf(identifier))
  }

  /** The same without the parts of compounds: enough to see how common a word is, and much cheaper. */
  wholes(text: string): string[] {
    return (text.match(IDENTIFIER) ?? []).map((identifier) => {
      const lower = identifier.toLowerCase()
      const plain = lower === identifier || lower.slice(1) === identifier.slice(1)
      return plain && !/[_-]/.test(lower) ? singular(lower) : COMPOUND + canonical(lower)
    })
  }

  #partsOf(identifier: string): string[] {
    let words = this.#known.get(identifier)
    if (!words) {
      const parts = identifier.split(BOUNDARY).filter((part) => part !== '')
      words = parts.map((part) => singular(part.toLowerCase())).filter((word) => word.length > 2 && !COMMON.has(word))
      if (parts.length > 1) words.push(COMPOUND + canonical(identifier))
      this.#known.set(identifier, words)
    }
    return words
  }
}

const singular = (word: string) => (word.length > 4 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word)

/** The words of a text or an identifier in their order, without those of one or two letters. */
export const sequenceOf = (text: string): string[] =>
  (text.match(IDENTIFIER) ?? []).flatMap((identifier) =>
    identifier
      .split(BOUNDARY)
      .map((part) => part.toLowerCase())
      .filter((part) => part.length > 2),
  )
