import type { Fields } from './tool.ts'

export interface Sizes {
  /** The maximum number of characters of a text. */
  text: number
  /** The maximum number of entries of a list. */
  items: number
}

export interface Cut {
  path: string
  shown: number
  of: number
  what: 'characters' | 'entries'
}

/** A truncated cursor is invalid, and a truncated URL is broken. */
const WHOLE = new Set(['next_cursor', 'web'])

/** Invisible characters can contain hidden text: controls, reordering marks, tags. Line breaks and tabs stay. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]+/gu

export const visible = (text: string): string => text.toWellFormed().replaceAll('\r\n', '\n').replace(UNSEEN, '')

/** The first characters of a text, without splitting a surrogate pair. */
export const firstOf = (text: string, length: number): string =>
  text.slice(0, length - (/[\ud800-\udbff]/.test(text[length - 1] ?? '') ? 1 : 0))

/** The same value with long texts and lists cut; each cut is noted once per field, with the longest one. */
export function shrink(value: unknown, sizes: Sizes, cuts: Map<string, Cut>, path = ''): unknown {
  const cut = (shown: number, of: number, what: Cut['what']) => {
    if ((cuts.get(path)?.of ?? 0) < of) cuts.set(path, { path, shown, of, what })
  }
  if (typeof value === 'string') {
    const text = visible(value)
    if (text.length <= sizes.text) return text
    const kept = firstOf(text, sizes.text)
    cut(kept.length, text.length, 'characters')
    return `${kept}…`
  }
  if (Array.isArray(value)) {
    if (value.length > sizes.items) cut(sizes.items, value.length, 'entries')
    return value.slice(0, sizes.items).map((item) => shrink(item, sizes, cuts, `${path}[]`))
  }
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value as Fields).map(([name, inner]) => [
    visible(name),
    WHOLE.has(name) ? inner : shrink(inner, sizes, cuts, path === '' ? name : `${path}.${name}`),
  ])
  return Object.fromEntries(fields)
}
