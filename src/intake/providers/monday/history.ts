import type { ReferenceFact } from '../../facts.ts'
import type { History } from '../../history/history.ts'
import { at, type Json, number, objects, text, time, word } from '../../reading.ts'
import { dataOf } from '../graphql.ts'
import { isItem, isStatus, personIn } from './item.ts'

const PAGE = 100
const COMPLEXITY = 'complexity { before after reset_in_x_seconds }'
const ITEMS = 'cursor items { id name updated_at column_values { id type text value column { title } } }'
const FIRST = `query ($board: [ID!], $limit: Int!) { ${COMPLEXITY}
  boards(ids: $board) { items_page(limit: $limit, query_params: { order_by: [{ column_id: "__last_updated__", direction: desc }] }) { ${ITEMS} } }
}`
const NEXT = `query ($cursor: String!, $limit: Int!) { ${COMPLEXITY} next_items_page(cursor: $cursor, limit: $limit) { ${ITEMS} } }`

/** The share of the complexity of a minute that is left to others, of about five million points. */
const RESERVE = 1_000_000

/** Tokens are sent as they are. */
export const headers = (config: Readonly<Json>) => ({ authorization: text(config.api_token) ?? '', 'api-version': '2025-07' })

/** Items of the board, those changed last first, until one is too old. Archived and deleted ones are not listed. */
export const history: History = {
  headers,
  settings: ['board'],
  parts: [
    {
      name: 'issues',
      needs: 'boards:read',
      page({ cursor, config }) {
        const next = text(cursor.next)
        return next === undefined
          ? { path: '', body: { query: FIRST, variables: { board: [word(config.board)], limit: PAGE } } }
          : { path: '', body: { query: NEXT, variables: { cursor: next, limit: PAGE } } }
      },
      read(reply, { cursor, since }) {
        const data = dataOf(reply, 'monday.com')
        const page = at(data, 'next_items_page') ?? at(data, 'boards', 0, 'items_page')
        const items = objects(at(page, 'items')).flatMap(imported)
        const facts = items.filter(({ at = '' }) => at >= since)
        const next = text(at(page, 'cursor'))
        const isMore = next !== undefined && next !== cursor.next && facts.length > 0 && facts.length === items.length
        const isScarce = (number(at(data, 'complexity', 'after')) ?? RESERVE) < RESERVE
        const wait = isMore && isScarce ? (number(at(data, 'complexity', 'reset_in_x_seconds')) ?? 0) : 0
        return { facts, ...(isMore && { next: { next } }), wait }
      },
    },
  ],
}

/** Unlike in reports, a column that is empty says so. */
function imported(item: Json): ReferenceFact[] {
  const key = word(item.id)
  if (!isItem(key)) return []
  const columns = objects(item.column_values)
  const status = columns.find(({ id, type, column }) => type === 'status' && isStatus(id, at(column, 'title')))
  const people = columns.find(({ type }) => type === 'people')
  return [
    {
      kind: 'reference',
      key,
      title: text(item.name),
      state: text(status?.text),
      ...(people && { assignee_uid: personIn(parsed(people.value)) }),
      deleted: false,
      at: time(item.updated_at),
    },
  ]
}

/** Characters of a column's value; that of 100 people has 5,000. */
const VALUE_MAX = 64 * 1024

function parsed(value: unknown): unknown {
  const json = text(value) ?? 'null'
  if (json.length > VALUE_MAX) return undefined
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
