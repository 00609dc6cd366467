/** A link in a line: inside the app if it starts with a slash. */
export interface LogLink {
  from: number
  to: number
  href: string
}

/** The URLs for a log's files and changes. */
export interface Whereabouts {
  /** The page of a file's line, if the repository's URL is known. */
  fileAt(path: string, line: number): string | undefined
  changeAt(identifier: string): string | undefined
}

const ADDRESS = /https?:\/\/[^\s<>"'`|\\^{}]{1,2000}/g
const TRAILING = /[.,;:!?)\]]+$/
/** A file and a line, as compilers write it: `a/b.cpp(12)`, `a\b.cs(12,5)`, `a/b.c:12`. */
const FILE =
  /(?<![\w.@+\\/-])((?:[A-Za-z]:)?[\\/]{0,2}[\w.@+-]+(?:[\\/][\w.@+-]+)*\.[A-Za-z]\w{0,9})(?:\((\d{1,7})(?:,\d{1,7})?\)|:(\d{1,7})\b)/g
const CHANGE = /\b[0-9a-f]{7,40}\b|\b(?:CL|changelist|change)[ #]{0,2}(\d{1,15})\b|(?<=@)(\d{1,15})\b/gi

/** Only visible lines are searched, and only up to this length. */
const LOOK = 4_000

/** The files in a text, each with a line number. */
export const filesNamed = (text: string): { from: number; to: number; path: string; line: number }[] =>
  [...text.slice(0, LOOK).matchAll(FILE)].map(({ 0: whole, 1: path = '', 2: first, 3: second, index }) => ({
    from: index,
    to: index + whole.length,
    path,
    line: Number(first ?? second),
  }))

/** The links of a line, in order; overlapping ones are dropped. */
export function linksOf(line: string, { fileAt, changeAt }: Whereabouts): LogLink[] {
  const text = line.slice(0, LOOK)
  const found: LogLink[] = []
  for (const { 0: address, index } of text.matchAll(ADDRESS)) {
    const href = address.replace(TRAILING, '')
    found.push({ from: index, to: index + href.length, href })
  }
  for (const { from, to, path, line } of filesNamed(text)) {
    const href = fileAt(path, line)
    if (href) found.push({ from, to, href })
  }
  for (const { 0: whole, 1: named, 2: at, index } of text.matchAll(CHANGE)) {
    const href = changeAt(named ?? at ?? whole)
    if (href) found.push({ from: index, to: index + whole.length, href })
  }
  let end = 0
  return found
    .sort((a, b) => a.from - b.from)
    .filter(({ from, to }) => {
      if (from < end) return false
      end = to
      return true
    })
}
