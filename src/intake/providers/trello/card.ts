import type { ReferenceFact } from '../../facts.ts'
import { text } from '../../reading.ts'

/** What is known about a card. Trello has no status: a card's list is its state. */
export function cardFact({
  key: shortLink,
  title,
  closed,
  list,
  ...rest
}: {
  key: unknown
  title: unknown
  closed: unknown
  list: unknown
} & Pick<ReferenceFact, 'assignee_uid' | 'deleted' | 'at'>): ReferenceFact[] {
  const key = text(shortLink)
  if (key === undefined || !/^[A-Z0-9]{1,32}$/i.test(key)) return []
  return [
    {
      kind: 'reference',
      key,
      title: text(title),
      state: closed === true ? 'Archived' : text(list),
      url: `https://trello.com/c/${key}`,
      ...rest,
    },
  ]
}
