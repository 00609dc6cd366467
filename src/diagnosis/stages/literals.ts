/** More different characters than this are not distinguished. */
const MOST_CLASSES = 255

/** Most lines have none of them: no list is made for these. */
const NONE: readonly number[] = []

/** Finds which of many literals are on a line, in one pass over its characters (Aho-Corasick over a dense table). */
export class Literals {
  readonly #classes = new Uint8Array(65536)
  readonly #width: number
  readonly #next: Uint16Array | Uint32Array
  readonly #found: number[][]
  readonly #ends: Uint8Array

  /** With `ignoreCase` the literals are given in lower case. */
  constructor(literals: readonly string[], { ignoreCase = false } = {}) {
    let classes = 1
    for (const literal of literals)
      for (const char of literal) {
        if (this.#classes[char.charCodeAt(0)] !== 0) continue
        this.#classes[char.charCodeAt(0)] = classes
        if (ignoreCase) this.#classes[char.toUpperCase().charCodeAt(0)] = classes
        classes = Math.min(classes + 1, MOST_CLASSES)
      }
    this.#width = classes + 1
    const { next, found } = this.#complete(this.#trie(literals))
    this.#next = next
    this.#found = found
    this.#ends = Uint8Array.from(found, (ids) => (ids.length > 0 ? 1 : 0))
  }

  #trie(literals: readonly string[]) {
    const next: number[][] = [[]]
    const found: number[][] = [[]]
    literals.forEach((literal, id) => {
      let state = 0
      for (let i = 0; i < literal.length; i++) {
        const char = this.#classes[literal.charCodeAt(i)]!
        let to = next[state]![char]
        if (to === undefined) {
          to = next.length
          next[state]![char] = to
          next.push([])
          found.push([])
        }
        state = to
      }
      found[state]!.push(id)
    })
    return { next, found }
  }

  /**
   * Fills every missing edge with the target of the longest suffix, so that scanning never goes back. States are numbered by depth: the
   * shallow ones, where scanning spends its time, are adjacent and stay in the CPU cache.
   */
  #complete(trie: { next: number[][]; found: number[][] }) {
    const width = this.#width
    const states = trie.next.length
    const next = states > 0xffff ? new Uint32Array(states * width) : new Uint16Array(states * width)
    const found: number[][] = [[]]
    const fallback = new Uint32Array(states)
    const queue = [0]
    for (let state = 0; state < queue.length; state++) {
      const node = queue[state]!
      const back = fallback[state]!
      found[state] = [...trie.found[node]!, ...(state > 0 ? found[back]! : [])]
      for (let char = 0; char < width; char++) {
        const child = trie.next[node]![char]
        const alternative = state > 0 ? next[back * width + char]! : 0
        if (child === undefined) {
          next[state * width + char] = alternative
          continue
        }
        const to = queue.push(child) - 1
        next[state * width + char] = to
        fallback[to] = alternative
      }
    }
    return { next, found }
  }

  /**
   * The index of each literal that ends somewhere on the line; the same one may occur more than once, and with hundreds of different
   * characters there may be false positives.
   */
  scan(line: string): readonly number[] {
    const next = this.#next
    const width = this.#width
    const classes = this.#classes
    const ends = this.#ends
    const { length } = line
    let found: number[] | undefined
    let state = 0
    for (let i = 0; i < length; i++) {
      // No function calls in here: V8 then loads the tables once, not for every character.
      do state = next[state * width + classes[line.charCodeAt(i)]!]!
      while (ends[state] === 0 && ++i < length)
      if (ends[state] === 1) {
        found ??= []
        for (const id of this.#found[state]!) found.push(id)
      }
    }
    return found ?? NONE
  }

  /** Whether any of them is in the text. */
  anyIn(text: string): boolean {
    return this.endOfFirst(text, 0) !== -1
  }

  /** The end of the first one that starts here or later; -1 if there is none. */
  endOfFirst(text: string, from: number): number {
    const next = this.#next
    const width = this.#width
    const classes = this.#classes
    const ends = this.#ends
    let state = 0
    for (let i = from; i < text.length; i++) {
      state = next[state * width + classes[text.charCodeAt(i)]!]!
      if (ends[state] === 1) return i + 1
    }
    return -1
  }
}
