/** A word of a command line and its offset; without quotes if the whole word is quoted. */
export interface Word {
  text: string
  from: number
  to: number
  isQuoted: boolean
}

const isBlank = (char: string) => char.charCodeAt(0) <= 32
const isQuote = (char: string | undefined) => char === '"' || char === "'" || char === '`'

/**
 * The words of one line as a shell would split them; `|`, `;` and `&` between commands are separate words. Takes linear time: a quote that is
 * never closed counts as a plain character, and its end is searched once.
 */
export class CommandWords {
  readonly #line: string
  readonly #last = new Map<string, number>()
  #at = 0

  constructor(line: string) {
    this.#line = line
  }

  next(): Word | undefined {
    this.#skip()
    const from = this.#at
    const char = this.#line[from]
    if (char === undefined) return undefined
    const quote = this.#quoted()
    if (quote > 0 && this.#isEnd()) return this.#word(from + quote, this.#at - quote, true)
    if (quote === 0 && (char === '|' || char === ';' || char === '&')) {
      this.#at++
      return this.#word(from, this.#at, false)
    }
    if (quote === 0) this.#at++
    while (!this.#isEnd()) if (this.#quoted() === 0) this.#at++
    // `sshpass -p X; make`: the end of the command is a separate word.
    if (this.#line[this.#at - 1] === ';' && this.#at - from > 1) this.#at--
    return this.#word(from, this.#at, false)
  }

  #word(from: number, to: number, isQuoted: boolean): Word {
    return { text: this.#line.slice(from, to), from, to, isQuoted }
  }

  /** Spaces, and the punctuation of lists: `['docker', 'login']`. */
  #skip() {
    for (let char = this.#line[this.#at]; char !== undefined; char = this.#line[++this.#at]) {
      const isFrame = char === ',' || ((char === '[' || char === '(') && isQuote(this.#line[this.#at + 1]))
      if (!isFrame && !isBlank(char)) return
    }
  }

  #isEnd(): boolean {
    const char = this.#line[this.#at]
    if (char === undefined || isBlank(char) || char === '|' || (char === '&' && this.#line[this.#at + 1] === '&')) return true
    // A quoted word may be followed by the end of its list.
    return isQuote(this.#line[this.#at - 1]) && (char === ',' || char === ']' || char === ')' || char === ';')
  }

  /** Skips the quoted part that begins here. Returns the length of its quote, 0 if it is not closed. */
  #quoted(): number {
    const slash = this.#line[this.#at] === '\\' && isQuote(this.#line[this.#at + 1]) ? 1 : 0
    const quote = this.#line[this.#at + slash]!
    if (!isQuote(quote) || this.#at + slash >= this.#lastOf(quote)) return 0
    const close = slash ? this.#line.indexOf(`\\${quote}`, this.#at + 2) : this.#closing(quote)
    if (close === -1) return 0
    this.#at = close + slash + 1
    return slash + 1
  }

  /** The next one that is not escaped; one at the end of a word closes a Windows path: `"C:\Builds\"`. */
  #closing(quote: string): number {
    for (let at = this.#line.indexOf(quote, this.#at + 1); at !== -1; at = this.#line.indexOf(quote, at + 1)) {
      const after = this.#line[at + 1]
      if (this.#line[at - 1] !== '\\' || after === undefined || isBlank(after)) return at
    }
    return -1
  }

  #lastOf(quote: string): number {
    const known = this.#last.get(quote) ?? this.#line.lastIndexOf(quote)
    this.#last.set(quote, known)
    return known
  }
}
