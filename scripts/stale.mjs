import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Everything below a folder, folders included: their times show deleted files. */
const below = (folder) => [
  folder,
  ...readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => join(entry.parentPath, entry.name)),
]

const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Whether the build is missing, or older than one of its sources. */
export const isStale = (built, sources) =>
  sources.some((source) =>
    (statSync(source).isDirectory() ? below(source) : [source]).some((path) => timeOf(path) > timeOf(built)),
  )
