import type { Clue } from './evidence.ts'
import { bareName, canonical, segmentsOf, spellingsOf, stemOf } from './names.ts'
import { Sieve } from './sieve.ts'
import { WEIGHTS } from './weights.ts'

/** How a changed file matches a name of the log. */
export interface Fit {
  clue: Clue
  how: 'path' | 'class' | 'stem' | 'folder'
  strength: number
}

interface Folder {
  clue: Clue
  segments: string[]
  strength: number
}

const MOST_PER_KEY = 20
const MOST_FILES_FOR_FOLDERS = 30

/** Finds the clues that match a changed file. There may be hundreds of thousands of files, so each costs a few lookups. */
export class ClueIndex {
  readonly #byBase = new Map<string, Clue[]>()
  readonly #bySpelling = new Map<string, Clue[]>()
  readonly #byFolder = new Map<string, Folder[]>()
  readonly #folders = new Map<string, { segments: string[]; fits: Fit[] }>()
  readonly #sieve = new Sieve()

  constructor(clues: readonly Clue[]) {
    for (const clue of [...clues].sort((a, b) => b.weight - a.weight)) {
      if (clue.kind === 'folder') this.#addFolder(clue, clue.segments, WEIGHTS.namedFolder)
      if (clue.kind === 'file') this.#addName(this.#byBase, clue.segments.at(-1)!, clue)
      if (clue.where === 'elsewhere') continue
      if (clue.kind === 'file') this.#addFolder(clue, clue.segments.slice(0, -1), WEIGHTS.sameFolder)
      if (clue.kind !== 'folder' && clue.stem.length > 2) {
        for (const spelling of spellingsOf(clue.stem)) this.#addName(this.#bySpelling, spelling, clue)
      }
    }
  }

  #addName(names: Map<string, Clue[]>, name: string, clue: Clue) {
    push(names, name, clue)
    this.#sieve.addName(name)
  }

  #addFolder(clue: Clue, segments: string[], strength: number) {
    const last = segments.at(-1)
    if (!last) return
    push(this.#byFolder, last, { clue, segments, strength })
    this.#sieve.addFolder(last)
  }

  /** Calls back for each match of a change's files. A change of many files is in every folder, which then has no meaning. */
  each<F extends { path: string }>(files: readonly F[], found: (fit: Fit, file: F) => void) {
    const focused = files.length <= MOST_FILES_FOR_FOLDERS
    for (const file of files) {
      const slash = lastSeparator(file.path)
      const known = this.#sieve.sift(file.path, focused ? 0 : slash + 1)
      if (known === 'nothing') continue
      const folder = this.#folder(slash < 0 ? '' : file.path.slice(0, slash))
      if (focused) for (const fit of folder.fits) found(fit, file)
      if (known === 'name') for (const fit of this.#nameFits(file.path.slice(slash + 1), folder.segments)) found(fit, file)
    }
  }

  #nameFits(base: string, folder: string[]): Fit[] {
    const bare = bareName(base)
    const stem = stemOf(bare)
    const same = this.#byBase.get(canonical(base)) ?? []
    const alike = this.#bySpelling.get(canonical(bare)) ?? []
    return [
      ...same.map((clue) => samePath(clue, folder)),
      ...alike.filter((clue) => clue.stem === stem && !same.includes(clue)).map((clue) => sameStem(clue, folder)),
    ]
  }

  #folder(path: string) {
    let known = this.#folders.get(path)
    if (!known) {
      const segments = segmentsOf(path).map(canonical)
      known = { segments, fits: this.#folderFits(segments) }
      this.#folders.set(path, known)
    }
    return known
  }

  #folderFits(segments: string[]): Fit[] {
    const fits: Fit[] = []
    for (let end = segments.length; end > 0; end--) {
      for (const folder of this.#byFolder.get(segments[end - 1]!) ?? []) {
        const shared = sharedTail(folder.segments, segments.slice(0, end))
        const whole = shared === folder.segments.length || shared === end
        // The higher the folder, the more other files are in it.
        if (whole || shared > 1)
          fits.push({ clue: folder.clue, how: 'folder', strength: folder.strength / (1 + segments.length - end) })
      }
    }
    return fits
  }
}

/** Workspaces start at different folders, so paths are compared from their end; two equal segments are enough. */
function samePath(clue: Clue, folder: string[]): Fit {
  const printed = clue.segments.slice(0, -1)
  const shared = sharedTail(printed, folder)
  const as = (strength: number): Fit => ({ clue, how: 'path', strength })
  if (printed.length === 0) return as(folder.length === 0 ? WEIGHTS.samePath : WEIGHTS.sameBase)
  if (folder.length === 0) return as(WEIGHTS.sameBase)
  if (shared > 1 || shared === printed.length || shared === folder.length) return as(WEIGHTS.samePath)
  return as(shared === 1 ? WEIGHTS.shorterPath : WEIGHTS.sameBaseElsewhere)
}

function sameStem(clue: Clue, folder: string[]): Fit {
  if (clue.kind === 'file') return { clue, how: 'stem', strength: WEIGHTS.sameStem }
  const folders = clue.segments.slice(0, -1)
  const shared = sharedTail(folders, folder)
  // The engine names a package by its whole path.
  if (folders[0] === 'content' && shared === folders.length) return { clue, how: 'class', strength: WEIGHTS.samePath }
  return { clue, how: 'class', strength: shared > 0 ? WEIGHTS.className : WEIGHTS.bareClassName }
}

/** Both separators in one pass, from the end: searching for each would read most paths entirely. */
function lastSeparator(path: string): number {
  for (let at = path.length - 1; at >= 0; at--) if (path[at] === '/' || path[at] === '\\') return at
  return -1
}

function sharedTail(a: readonly string[], b: readonly string[]): number {
  let shared = 0
  while (shared < a.length && shared < b.length && a[a.length - 1 - shared] === b[b.length - 1 - shared]) shared++
  return shared
}

function push<T>(map: Map<string, T[]>, key: string, value: T) {
  const list = map.get(key)
  if (!list) map.set(key, [value])
  else if (list.length < MOST_PER_KEY) list.push(value)
}
