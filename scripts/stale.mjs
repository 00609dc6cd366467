import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Everything below a folder, folders included: their times tell of files that were taken away. */
const below = (folder) => [
  folder,
  ...readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => join(entry.parentPath, entry.name)),
]

const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Whether what was built is missing, or older than something it is made from. */
export const isStale = (built, sources) =>
  sources.some((source) =>
    (statSync(source).isDirectory() ? below(source) : [source]).some((path) => timeOf(path) > timeOf(built)),
  )
