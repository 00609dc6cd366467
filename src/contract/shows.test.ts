import { describe, expect, test } from 'vitest'
import { appRoutes } from './app/routes.ts'
import { EVENT_SOURCES } from './event-facts.ts'
import { type Route, roleOf } from './routes/route.ts'

/** Which pages of the web app an event refreshes is read off the routes. */

const routes = Object.entries(appRoutes as Record<string, Route>)
const showing = (source: string) =>
  routes.filter(([, route]) => route.method === 'GET' && route.shows.some((shown) => shown === source))

describe.each(EVENT_SOURCES)('an event about a record of the kind %s', (source) => {
  test('refreshes a list and a page', () => {
    const names = showing(source).map(([name]) => name)
    expect(names.filter((name) => name.startsWith('list'))).not.toEqual([])
    expect(names.filter((name) => name.startsWith('show'))).not.toEqual([])
  })

  test('refreshes a search wherever it refreshes the list', () => {
    const names = showing(source).map(([name]) => name)
    const searched = names.map((name) => name.replace(/^list/, 'search')).filter((name) => name in appRoutes)
    expect(names).toEqual(expect.arrayContaining(searched))
  })
})

test('a route that shows a single record names it in its path', () => {
  for (const [name, route] of routes)
    if (route.method === 'GET' && route.single) expect(route.path, name).toMatch(/:project_id\/.*:\w+/)
})

test('a route of an account says which role it takes', () => {
  for (const [name, route] of routes) if (route.path.includes(':account_id')) expect(roleOf(route), name).not.toBe('user')
})
