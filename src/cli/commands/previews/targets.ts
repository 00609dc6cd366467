import { readdirSync, statSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { usage } from '../../../terminal/failures.ts'
import { unreadable } from '../../../terminal/given-text.ts'

/** A file's path below the folder, without its extension. */
export const PATTERN = '{path}'

interface Target {
  file: string
  asset?: string
  path?: string
}

/** The files to upload, each with its asset or with the path of its asset. */
export function targetsOf(given: string, { asset, path }: { asset?: string | undefined; path?: string | undefined }): Target[] {
  if ((asset === undefined) === (path === undefined)) throw usage('Give either --asset or --path.')
  if (asset !== undefined) return [{ file: given, asset }]
  if (!isFolder(given)) return [{ file: given, path: path! }]
  if (!path!.includes(PATTERN)) throw usage(`For a folder, --path needs ${PATTERN}.`)
  return readdirSync(given, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => {
      const below = relative(given, file).split(sep).join('/')
      return { file, path: path!.replaceAll(PATTERN, below.slice(0, below.length - extname(below).length)) }
    })
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    throw unreadable(path, error)
  }
}
