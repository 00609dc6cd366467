const SIZE = 1 << 18
const UNDERSCORE = 95
const HYPHEN = 45
const DOT = 46
const SLASH = 47
const BACKSLASH = 92

/**
 * Checks in one pass over its characters what part of a path may be known; for nearly all of them it is nothing. Names are canonical: lower
 * case, without `_` and `-`. May have false positives, never false negatives.
 */
export class Sieve {
  readonly #names = new Uint8Array(SIZE)
  readonly #folders = new Uint8Array(SIZE)

  addName(canonical: string) {
    this.#names[hashOf(canonical)] = 1
  }

  addFolder(canonical: string) {
    this.#folders[hashOf(canonical)] = 1
  }

  /** Reads the path from an offset on: from its beginning for folders, from its last segment if only the name matters. */
  sift(path: string, from = 0): 'nothing' | 'folder' | 'name' {
    let hash = 0
    let dotted = false
    let folder = false
    for (let at = from; at < path.length; at++) {
      const char = path.charCodeAt(at)
      if (char > 127) return 'name'
      if (char === SLASH || char === BACKSLASH) {
        if (this.#folders[hash] === 1) folder = true
        hash = 0
        dotted = false
      } else {
        // The extensions may start at any dot; whether it is in the last segment is known later.
        if (char === DOT && this.#names[hash] === 1) dotted = true
        if (char !== UNDERSCORE && char !== HYPHEN) hash = add(hash, char >= 65 && char <= 90 ? char + 32 : char)
      }
    }
    if (dotted || this.#names[hash] === 1) return 'name'
    return folder ? 'folder' : 'nothing'
  }
}

const add = (hash: number, char: number) => (hash * 31 + char) & (SIZE - 1)

function hashOf(name: string): number {
  let hash = 0
  for (let at = 0; at < name.length; at++) hash = add(hash, name.charCodeAt(at))
  return hash
}
