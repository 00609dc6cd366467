interface Counted {
  author: string
  file_count: number | null
}

const plural = (count: number, one: string, several = `${one}s`) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : several}`
const AUTHORS_SHOWN = 3

/** `214 changes in 1,320 files by 18 authors: Ann (60), Ben (31), Cleo (20) and 15 others.` Changes without a known list of files count none. */
export function countsOf(changes: readonly Counted[], hasMore: boolean): string {
  const files = changes.reduce((sum, { file_count }) => sum + (file_count ?? 0), 0)
  const byAuthor = new Map<string, number>()
  for (const { author } of changes) byAuthor.set(author, (byAuthor.get(author) ?? 0) + 1)
  const authors = [...byAuthor].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  const shown = authors.slice(0, AUTHORS_SHOWN).map(([author, count]) => `${author} (${count})`)
  const rest = authors.length - shown.length
  const who = `${plural(authors.length, 'author')}: ${shown.join(', ')}${rest > 0 ? ` and ${plural(rest, 'other')}` : ''}`
  const what = `${hasMore ? 'The newest ' : ''}${plural(changes.length, 'change')}`
  return `${what}${files > 0 ? ` in ${plural(files, 'file')}` : ''} by ${who}.`
}
