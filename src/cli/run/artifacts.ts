import { readdirSync, statSync } from 'node:fs'

interface ArtifactFile {
  name: string
  size_bytes: number
}

/** More than a page shows. */
const FILES_MAX = 200
/** A workspace may have a million files; the end of the build does not wait for them. */
const WALK_MS = 3_000

const SIGNS: Record<string, string> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' }

/** `*` and `?` within a name, `**` over folders. */
const patternOf = (glob: string) =>
  new RegExp(
    `^${glob.replace(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (sign) => SIGNS[sign] ?? `\\${sign}`)}$`,
    process.platform === 'win32' ? 'i' : '',
  )

/** The files that match patterns, by their paths with slashes. Unreadable ones are skipped. */
export function filesOf(globs: readonly string[]): ArtifactFile[] {
  const files = new Map<string, number>()
  const until = performance.now() + WALK_MS
  for (const given of globs) {
    const glob = given.replaceAll('\\', '/').replace(/^\.\//, '')
    const pattern = patternOf(glob)
    for (const path of candidates(glob, until)) {
      if (files.size === FILES_MAX) break
      const size = pattern.test(path) ? sizeOf(path) : undefined
      if (size !== undefined) files.set(path, size)
    }
  }
  return [...files].map(([name, size_bytes]) => ({ name, size_bytes }))
}

/** Everything below the literal part of a pattern; only as deep as the pattern. */
function* candidates(glob: string, until: number): Generator<string> {
  const wild = glob.search(/[*?]/)
  if (wild === -1) return yield glob
  const folder = glob.slice(0, glob.lastIndexOf('/', wild) + 1)
  const depth = glob.includes('**') ? Number.POSITIVE_INFINITY : glob.slice(folder.length).split('/').length
  const folders = [{ folder, depth }]
  for (let next = folders.pop(); next && performance.now() < until; next = folders.pop())
    for (const entry of entriesOf(next.folder)) {
      const path = `${next.folder}${entry.name}`
      if (entry.isDirectory()) {
        if (next.depth > 1) folders.push({ folder: `${path}/`, depth: next.depth - 1 })
      } else yield path
    }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder || '.', { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

function sizeOf(path: string): number | undefined {
  try {
    const found = statSync(path)
    return found.isFile() ? found.size : undefined
  } catch {
    return undefined
  }
}
