import type { Asked, History } from '../../history/history.ts'
import { at, type Json, number, objects, text } from '../../reading.ts'
import { issue } from './issue.ts'

const PAGE = 100
const FIELDS = 'summary,status,assignee,updated'
const DAY_MS = 86_400_000

/** Project keys as people write them; anything else would be part of the query. */
export const projectsOf = (config: Readonly<Json>): string[] =>
  (text(config.projects) ?? '').split(/[\s,]+/).filter((key) => /^[A-Z][A-Z0-9_]{0,99}$/i.test(key))

/** The time zone of a search is that of the token's user: it starts a day earlier. New issues come first, so that no page is skipped. */
const search = ({ config, since }: Asked) => {
  const day = new Date(Date.parse(since) - DAY_MS).toISOString().slice(0, 10)
  const projects = projectsOf(config).map((key) => `"${key}"`)
  return `project in (${projects.join(', ')}) and updated >= "${day}"`
}

export const headers = (config: Readonly<Json>) => {
  const [user, token] = [text(config.user), text(config.api_token) ?? '']
  return {
    accept: 'application/json',
    authorization: user === undefined ? `Bearer ${token}` : `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`,
  }
}

/** Data Center counts and pages by position, Cloud by a token and with a count that is approximate. */
export const history: History = {
  headers,
  settings: ['projects'],
  about: { path: '/rest/api/2/serverInfo', read: (body) => ({ cloud: at(body, 'deploymentType') === 'Cloud' }) },
  parts: [
    {
      name: 'issues',
      needs: 'Browse projects',
      count: {
        request: (asked) =>
          asked.about.cloud
            ? { path: '/rest/api/3/search/approximate-count', body: { jql: search(asked) } }
            : { path: `/rest/api/2/search?${new URLSearchParams({ jql: search(asked), maxResults: '0' })}` },
        read: ({ body }) => number(at(body, 'count')) ?? number(at(body, 'total')),
      },
      page(asked) {
        const common = { jql: `${search(asked)} order by created desc`, fields: FIELDS, maxResults: String(PAGE) }
        const token = text(asked.cursor.token)
        return asked.about.cloud
          ? { path: `/rest/api/3/search/jql?${new URLSearchParams({ ...common, ...(token && { nextPageToken: token }) })}` }
          : { path: `/rest/api/2/search?${new URLSearchParams({ ...common, startAt: String(number(asked.cursor.from) ?? 0) })}` }
      },
      read({ body }, { cursor, about, since }) {
        const issues = objects(at(body, 'issues'))
        const facts = issues
          .flatMap((one) => issue(one))
          .filter(({ at: updated }) => updated !== undefined && updated >= since)
          .map((fact) => ({ ...fact, deleted: false }))
        if (about.cloud) {
          const token = text(at(body, 'nextPageToken'))
          const isMore = token !== undefined && token !== cursor.token && issues.length > 0
          return { facts, ...(isMore && { next: { token } }) }
        }
        const from = (number(cursor.from) ?? 0) + issues.length
        const isMore = issues.length > 0 && from < (number(at(body, 'total')) ?? 0)
        return { facts, ...(isMore && { next: { from } }) }
      },
    },
  ],
}
