/**
 * E-mail addresses never leave. Everything written by people or tools outside (authors, change texts, approval comments,
 * build logs, feed messages, references) goes through here where it leaves.
 * An address is anything before an at-sign whose other side ends in letters: `lodash@4.17.21` is none.
 */

const DOMAIN = /[\p{L}\p{N}._-]+\.\p{L}{2,}[\p{L}\p{N}_-]*/uy
const NO_LOCAL_PART = /[\s<>()[\]{},;:@]/

/** Where the domain that follows the at-sign ends, or -1 when this is no address. */
function domainEnd(text: string, at: number, before: string): number {
  if (before === '' || NO_LOCAL_PART.test(before)) return -1
  DOMAIN.lastIndex = at + 1
  return DOMAIN.test(text) ? DOMAIN.lastIndex : -1
}

/** Every address becomes its local part. */
export function sanitizeText(text: string): string {
  let out = ''
  let copied = 0
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const before = at > copied ? text[at - 1]! : (out.at(-1) ?? '')
    const end = domainEnd(text, at, before)
    if (end === -1) continue
    out += text.slice(copied, at)
    copied = end
    at = end - 1
  }
  return copied === 0 ? text : out + text.slice(copied)
}

/** Every text in a value, however deep it stands. */
export function sanitizeAll<T>(value: T): T {
  if (typeof value === 'string') return sanitizeText(value) as T
  if (Array.isArray(value)) return value.map(sanitizeAll) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, sanitizeAll(inner)])) as T
}

/** A name followed by an address becomes the name, a bare address its local part; no at-sign is left. */
export function sanitizeAuthor(author: string): string {
  let out = ''
  let copied = 0
  for (let at = author.indexOf('@'); at !== -1; at = author.indexOf('@', at + 1)) {
    const before = at > copied ? author[at - 1]! : (out.at(-1) ?? '')
    const end = domainEnd(author, at, before)
    if (end === -1) continue
    const read = author.slice(copied, at)
    const local = /[^\s<>()[\]{},;:"]*$/.exec(read)![0].replace(/^'+/, '')
    const name = (out + read.slice(0, read.length - local.length)).replace(/[\s<([{]+$/, '')
    out = /[\p{L}\p{N}]/u.test(name) ? name : local
    copied = end + (/[>)\]}"']/.test(author[end] ?? '') ? 1 : 0)
    at = copied - 1
  }
  // A machine's own name is no public domain, yet `kim@buildbox` is still an address to its neighbours.
  const rest = (out + author.slice(copied)).replace(/(?<=[^\s@])@[^\s<>()]*/g, '').replaceAll('@', '')
  return rest.trim().replace(/^(["'])(.*)\1$/, '$2')
}

/** Whether an identifier used elsewhere is an address; such a uid is left out whole. */
export const looksLikeAddress = (uid: string): boolean => /[^\s@]@[^\s@]/.test(uid)
