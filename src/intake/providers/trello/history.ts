import type { ReferenceFact } from '../../facts.ts'
import type { History } from '../../history/history.ts'
import { at, type Json, list, objects, text, time } from '../../reading.ts'
import { cardFact } from './card.ts'

const PAGE = 100
const FIELDS = 'shortLink,name,closed,idList,idMembers,dateLastActivity'

/** By id. */
const named = (values: unknown, field: string) =>
  Object.fromEntries(objects(values).flatMap((one) => (text(one.id) === undefined ? [] : [[one.id, text(one[field]) ?? null]])))

/** Cards of the board, the newest first. Their order does not depend on changes, so all of them are read, and recently changed ones are kept. */
export const history: History = {
  headers: (config) => ({
    authorization: `OAuth oauth_consumer_key="${text(config.api_key) ?? ''}", oauth_token="${text(config.api_token) ?? ''}"`,
  }),
  about: {
    path: '?fields=id&lists=all&list_fields=name&members=all&member_fields=username',
    read: (body) => ({ lists: named(at(body, 'lists'), 'name'), members: named(at(body, 'members'), 'username') }),
  },
  parts: [
    {
      name: 'issues',
      needs: 'read',
      page: ({ cursor }) => {
        const before = text(cursor.before)
        const query = new URLSearchParams({ fields: FIELDS, sort: '-id', limit: String(PAGE), ...(before && { before }) })
        return { path: `/cards/all?${query}` }
      },
      read({ body }, { cursor, since, about }) {
        const cards = objects(body)
        const last = text(cards.at(-1)?.id)
        const isMore = cards.length >= PAGE && last !== undefined && last !== cursor.before
        const facts = cards.flatMap((card) => imported(card, about)).filter(({ at = '' }) => at >= since)
        return { facts, ...(isMore && { next: { before: last } }) }
      },
    },
  ],
}

/** Of several members the last one is the assignee, as in reports. */
const imported = (card: Json, about: Json): ReferenceFact[] =>
  cardFact({
    key: card.shortLink,
    title: card.name,
    closed: card.closed,
    list: at(about.lists, String(card.idList)),
    assignee_uid: text(at(about.members, String(list(card.idMembers).at(-1)))) ?? null,
    deleted: false,
    at: time(card.dateLastActivity),
  })
