/** How search compares texts: without case and accents, by prefixes of words and by trigrams. Both indexing and queries use it. */

/** The words of a text: each part of a CamelCase name is one, and so is each character of a script without spaces. */
export interface Folded {
  text: string
  words: string[]
}

const fold = (text: string) =>
  isAscii(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .replace(/[\u0300-\u036f]/g, '')
        .normalize('NFC')
        .toLowerCase()

const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text)
const HUMPS = /([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g
const WORDS = /[\p{L}\p{N}\p{M}]+|\p{So}/gu
const ASCII_WORDS = /[a-z\d]+/g
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Longer words of such a script are cut. */
const UNSPACED_MAX = 8

export function folded(text: string): Folded {
  const plain = fold(text).replace(/\s+/g, ' ').trim()
  const spaced = text.replace(HUMPS, '$1$2 ')
  const words = wordsOf(plain)
  return { text: plain, words: spaced === text ? words : [...new Set([...words, ...wordsOf(fold(spaced))])] }
}

function wordsOf(plain: string): string[] {
  if (isAscii(plain)) return [...new Set(plain.match(ASCII_WORDS))]
  const words = new Set<string>()
  for (const word of plain.match(WORDS) ?? []) {
    words.add(word)
    if (!UNSPACED.test(word)) continue
    const characters = [...word]
    for (let at = 1; at < characters.length; at++) words.add(characters.slice(at, at + UNSPACED_MAX).join(''))
  }
  return [...words]
}

/** The longest prefix of a word that is indexed. */
const START_MAX = 2
const GRAM = 3

function grams(text: string, into: Set<string>): Set<string> {
  for (const piece of text.split(' ')) {
    const characters = [...piece]
    for (let at = 0; at + GRAM <= characters.length; at++) into.add(characters.slice(at, at + GRAM).join(''))
  }
  return into
}

function starts(word: string, into: Set<string>) {
  const first = [...word.slice(0, 2 * START_MAX)]
  for (let length = 1; length <= Math.min(START_MAX, first.length); length++) into.add(`^${first.slice(0, length).join('')}`)
}

/** The terms of a record. */
export function termsOf({ text, words }: Folded): Set<string> {
  const terms = grams(text, new Set())
  for (const word of words) starts(word, terms)
  return terms
}

/** A query: every token must match. */
export interface Query {
  text: string
  tokens: string[]
}

const QUERY_MAX = 200
const TOKENS_MAX = 12
/** More terms make a lookup slower and hardly more precise: candidates are compared in full. */
const TERMS_MAX = 24

const isShort = (token: string) => token.length < 2 * GRAM && [...token].length < GRAM

export function queryOf(given: string): Query {
  const text = given.trim().slice(0, QUERY_MAX).toWellFormed()
  const tokens = text
    .split(/\s+/)
    .flatMap((token) => {
      const humps = token.replace(HUMPS, '$1$2 ').split(' ')
      return humps.length > 1 && humps.every((hump) => !isShort(hump)) ? humps : [token]
    })
    .map((token) => (isShort(token) ? (fold(token).match(WORDS)?.[0] ?? '') : fold(token)))
    .filter((token) => token !== '')
  return { text: fold(text).replace(/\s+/g, ' '), tokens: [...new Set(tokens)].slice(0, TOKENS_MAX) }
}

/** Terms that every match must have; `atWords` requires tokens to start a word. Short tokens always must. */
export function termsFor({ tokens }: Query, atWords: boolean): string[] {
  const terms = new Set<string>()
  for (const token of tokens) {
    if (isShort(token)) terms.add(`^${token}`)
    else {
      if (atWords) terms.add(`^${[...token].slice(0, START_MAX).join('')}`)
      // Only the start of a commit's id is indexed.
      grams(/^[\da-f]{9,}$/.test(token) ? token.slice(0, IDENTIFIER_SHOWN) : token, terms)
    }
  }
  const all = [...terms]
  const step = Math.max(1, all.length / TERMS_MAX)
  return Array.from({ length: Math.min(all.length, TERMS_MAX) }, (_, n) => all[Math.floor(n * step)]!)
}

/** How much of a commit's id is shown and typed. */
const IDENTIFIER_SHOWN = 8

/** Whether a raw text could match: a quick check before `isMatch`. */
export function mayMatch(written: string, { tokens }: Query): boolean {
  const text = fold(written)
  return tokens.every((token) => text.includes(token))
}

export const isMatch = ({ text, words }: Folded, { tokens }: Query): boolean =>
  tokens.every((token) => (isShort(token) ? words.some((word) => word.startsWith(token)) : text.includes(token)))

/** The smaller, the better: the exact text, its prefix, words, prefixes of words, anything. */
export function rankOf(title: Folded, all: Folded, { text, tokens }: Query): number {
  if (title.text === text) return 0
  if (title.text.startsWith(text)) return 1
  if (tokens.every((token) => title.words.includes(token))) return 2
  if (tokens.every((token) => beginsWord(title, token))) return 3
  return tokens.every((token) => beginsWord(all, token)) ? 4 : 5
}

/** Those whose name matches, the best first; the given order decides between equals. */
export const bestNamed = <T extends { name: string }>(all: readonly T[], query: Query, most: number): T[] =>
  all
    .map((one) => ({ one, name: folded(one.name) }))
    .filter(({ name }) => isMatch(name, query))
    .map(({ one, name }) => ({ one, rank: rankOf(name, name, query) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ one }) => one)

const beginsWord = ({ text, words }: Folded, token: string): boolean => {
  if (words.some((word) => word.startsWith(token))) return true
  // Tokens with punctuation, such as 0.9.3, are not words.
  for (let at = text.indexOf(token); at !== -1; at = text.indexOf(token, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!)) return true
  return false
}
