import { describe, expect, test } from 'vitest'
import { appRoutes } from './app/routes.ts'
import { EVENT_SOURCES, type EventSource } from './event-facts.ts'
import { type Route, roleOf } from './routes/route.ts'

/** The web app pages that an event refreshes are derived from the routes. */

const routes = Object.entries(appRoutes as Record<string, Route>)
const showing = (source: string) =>
  routes.filter(([, route]) => route.method === 'GET' && route.shows.some((shown) => shown === source))

/** The lists of each kind of record. */
const LISTED: Record<EventSource, string[]> = {
  task: ['tasks'],
  build: ['build_runs', 'branches'],
  change: ['changes', 'branches'],
  breakage: ['breakages'],
  investigation: ['breakages'],
  approval: ['approvals', 'assets'],
  deployment: ['deployments'],
  measure_alert: ['measures'],
  preview: ['approvals', 'assets', 'assets/:asset_id/previews'],
  comment: ['tasks/:id/comments', 'breakages/:id/comments'],
}

describe.each(EVENT_SOURCES)('an event about a record of the kind %s', (source) => {
  test('refreshes its lists and the searches over them', () => {
    const paths = LISTED[source].flatMap((list) => [
      `/v1/projects/:project_id/${list}`,
      `/v1/projects/:project_id/search/${list}`,
    ])
    const lists = routes.filter(([, route]) => route.method === 'GET' && paths.includes(route.path))
    expect(lists).not.toEqual([])
    expect(showing(source)).toEqual(expect.arrayContaining(lists))
  })

  test('refreshes a page', () => {
    // Comments are on the pages of other records.
    expect(showing(source).filter(([name]) => name.startsWith('show') || name.endsWith('Comments'))).not.toEqual([])
  })
})

test('a route that shows a single record has its id in the path', () => {
  for (const [name, route] of routes)
    if (route.method === 'GET' && route.single) expect(route.path, name).toMatch(/:project_id\/.*:\w+/)
})

test('a route of an account declares its role', () => {
  for (const [name, route] of routes) if (route.path.includes(':account_id')) expect(roleOf(route), name).not.toBe('user')
})
