import { addressesIn, plainAt } from './addresses.ts'

const LOCAL_ENDS = new Set(' \t\r\n\f\v\u00a0<>()[]{},;:"')
const OPENING = new Set(' \t\r\n\f\v\u00a0<([{')
const CLOSING = new Set('>)]}"\'')
const NAME = /[\p{L}\p{N}]/u

/** A name followed by an address becomes the name, a bare address its local part; no at-sign is left. */
export function reduceAuthor(text: string): string {
  const author = plainAt(text)
  if (!author.includes('@')) return text
  const parts: string[] = []
  let named = false
  let copied = 0
  for (const { at, end } of addressesIn(author)) {
    // Each character is read once: authors can be as long as the sender likes.
    let local = at
    while (local > copied && !LOCAL_ENDS.has(author[local - 1]!)) local--
    let name = local
    while (name > copied && OPENING.has(author[name - 1]!)) name--
    const before = author.slice(copied, name)
    if (named || NAME.test(before)) parts.push(before)
    else {
      while (author[local] === "'") local++
      parts.push(author.slice(local, at))
    }
    named = true
    copied = CLOSING.has(author[end] ?? '') ? end + 1 : end
  }
  parts.push(author.slice(copied))
  // A machine name is not a public domain, but `kim@buildbox` is still an address in its network.
  return unquoted(
    parts
      .join('')
      .replace(/(?<=[^\s@])@[^\s<>()]*/g, '')
      .replaceAll('@', ''),
  )
}

const unquoted = (name: string) => name.trim().replace(/^(["'])(.*)\1$/, '$2')
