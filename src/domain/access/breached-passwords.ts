import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { breachedPassword } from '../../contract/errors.ts'
import { isCommon } from './common-passwords.ts'

/**
 * The list of stolen passwords that new ones are checked against: `off`, `builtin` for the most common ones, or a file with a sorted SHA-1
 * hash per line, such as the download of Pwned Passwords. No network requests are made.
 */
export type BreachedPasswords = 'off' | 'builtin' | { file: string }

export async function refuseBreached(checked: BreachedPasswords, password: string): Promise<void> {
  if (checked === 'off') return
  if (isCommon(password) || (checked !== 'builtin' && (await isIn(checked.file, password)))) throw breachedPassword()
}

/** Longer than any line: a hash, a colon and a count. */
const LINE_MAX = 100

/** One line of that file. */
export const HASH_LINE = /^[0-9A-F]{40}(?::\d+)?\s*$/i

async function isIn(path: string, password: string): Promise<boolean> {
  const hash = createHash('sha1').update(password).digest('hex').toUpperCase()
  const file = await open(path)
  try {
    return await search(file, (await file.stat()).size, hash)
  } finally {
    await file.close()
  }
}

/** A binary search in the file, which may be tens of gigabytes long. */
async function search(file: FileHandle, size: number, hash: string): Promise<boolean> {
  let [low, high] = [0, size]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = await lineFrom(file, middle)
    if (!found || found.start >= high) {
      high = middle
      continue
    }
    const held = found.line.slice(0, hash.length).toUpperCase()
    if (held === hash) return true
    if (held < hash) low = found.start + found.line.length + 1
    else high = middle
  }
  return false
}

/** The first line that starts at or after an offset. */
async function lineFrom(file: FileHandle, place: number): Promise<{ start: number; line: string } | undefined> {
  const from = Math.max(0, place - 1)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2 * LINE_MAX), 0, 2 * LINE_MAX, from)
  const text = buffer.toString('latin1', 0, bytesRead)
  const begin = place === 0 ? 0 : text.indexOf('\n') + 1
  if ((place > 0 && begin === 0) || begin >= text.length) return undefined
  const end = text.indexOf('\n', begin)
  return { start: from + begin, line: text.slice(begin, end === -1 ? text.length : end) }
}
