import type { ReferenceFact } from '../../facts.ts'
import type { History } from '../../history/history.ts'
import { at, type Json, objects, text } from '../../reading.ts'
import { dataOf } from '../graphql.ts'
import { issue } from './issue.ts'

/** About 400 of the 10,000 points of complexity that a query may cost. */
const PAGE = 100
const QUERY = `query ($first: Int!, $after: String, $filter: IssueFilter) {
  issues(first: $first, after: $after, filter: $filter, orderBy: updatedAt) {
    nodes { identifier title url updatedAt state { name } assignee { id } }
    pageInfo { hasNextPage endCursor }
  }
}`

/** Personal keys are sent as they are. */
export const headers = (config: Readonly<Json>) => ({ authorization: text(config.api_token) ?? '' })

export const teamsOf = (config: Readonly<Json>) =>
  (text(config.teams) ?? '')
    .toUpperCase()
    .split(/[\s,]+/)
    .filter(Boolean)

/** Issues of the teams, those changed last first. Deleted and archived ones are not listed. */
export const history: History = {
  headers,
  settings: ['teams'],
  parts: [
    {
      name: 'issues',
      needs: 'Read',
      page: ({ cursor, since, config }) => ({
        path: '',
        body: {
          query: QUERY,
          variables: {
            first: PAGE,
            after: text(cursor.after) ?? null,
            filter: { updatedAt: { gte: since }, team: { key: { in: teamsOf(config) } } },
          },
        },
      }),
      read(reply, { cursor }) {
        const found = at(dataOf(reply, 'Linear'), 'issues')
        const after = text(at(found, 'pageInfo', 'endCursor'))
        const isMore = at(found, 'pageInfo', 'hasNextPage') === true && after !== undefined && after !== cursor.after
        return { facts: objects(at(found, 'nodes')).flatMap(imported), ...(isMore && { next: { after } }) }
      },
    },
  ],
}

const imported = (data: Json): ReferenceFact[] => issue({ data, createdAt: data.updatedAt }, false)
