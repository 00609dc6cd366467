import { ownRoutes, sharedRoutes } from '../../../src/contract/app/routes.ts'
import type { Params } from '../../../src/contract/params.ts'
import { type Route, routes } from '../../../src/contract/routes.ts'
import { cases, type Values } from '../filter-cases.ts'

type Tried = Partial<Values> & Pick<Values, 'common'>

export interface GrowthRequest {
  /** The route and its parameters. */
  name: string
  path: string
  by: 'token' | 'session'
}

/** Filter values by route, beyond those of the common lists: many matches, few, none. */
const MORE: Record<string, FilterValues> = {
  searchTasks: { q: { common: 'crate', rare: 'harbour', none: 'zeppelin' } },
  searchBuilds: {
    q: { common: 'nightly', rare: 'weekly', none: 'zeppelin' },
    author: { common: 'Kim', rare: 'Lindqvist', none: 'zeppelin' },
  },
  searchAssets: { q: { common: 'crate', rare: 'T_Crate_7', none: 'zeppelin' } },
  searchChanges: {
    q: { common: 'crate', rare: 'floor', none: 'zeppelin' },
    author: { common: 'Kim', rare: 'Lindqvist', none: 'zeppelin' },
    path: { common: 'Crate.cpp', rare: 'Physics', none: 'zeppelin' },
  },
  listBranches: { q: { common: 'main', rare: 'hotfix', none: 'zeppelin' } },
  showBranchHealth: { branch: { common: 'main', rare: 'hotfix', none: 'zeppelin' } },
  listBuildChanges: { since_id: { common: '1', rare: '7' } },
  listEvents: {
    project_id: { common: '1', rare: '2' },
    event_type: { common: 'build_run.completed', rare: 'deployment.*', none: 'approval.ignored' },
    days_back: { common: '90', rare: '1' },
  },
  listAuditLog: {
    action: { common: 'editTask', rare: 'editProject', none: 'zeppelin' },
    user_id: { common: '1', rare: '2', none: '3' },
    project_id: { common: '1', rare: '2', none: '3' },
    since: { common: '2020-01-01', rare: '2026-03-04T00:00:00Z' },
    until: { common: '2026-03-04T00:00:00Z', none: '2020-01-01', rare: '2020-01-02' },
  },
  listDeliveries: {
    integration_id: { common: '1', rare: '2' },
    outcome: { common: 'processed', rare: 'failed', none: 'stale' },
  },
  listOutgoing: { status: { common: 'delivered', rare: 'failed', none: 'waiting' } },
  listChannelMessages: { status: { common: 'sent', rare: 'failed', none: 'waiting' } },
  listNotifications: { unread: { common: 'false', rare: 'true' } },
  search: { q: { common: 'crate', rare: 'hotfix', none: 'zeppelin' }, project_id: { common: '1', rare: '2' } },
  showPlots: { days_back: { common: '90', rare: '1' } },
  showReleaseTimeline: { days_back: { common: '90', rare: '1' } },
}

/** Filters of the web app only. */
const APP_MORE: Record<string, FilterValues> = {
  listBuilds: { breakages: { common: 'true' } },
  searchBuilds: { breakages: { common: 'true' } },
  listChanges: {
    since: { common: '2020-01-01', rare: '2026-03-04T00:00:00Z' },
    until: { common: '2026-03-04T00:00:00Z', rare: '2020-01-01' },
    builds: { common: 'true' },
  },
  listEvents: { mine: { common: 'true' } },
  listBranches: { main_first: { common: 'true' }, runs: { common: 'true' } },
  listApprovals: { changes: { common: 'true' } },
  listAssets: { approval_status: { common: 'approved', rare: 'pending', none: 'denied' } },
}

/** Records by their path parameter; the newest and the oldest of the large project. */
export type Records = Record<string, string[]>

interface Selection {
  /** Only requests with one of these filters, or with none: the rest is covered elsewhere. */
  beyond?: readonly string[] | undefined
  /** Every value of a filter, instead of one with many matches and one with none. */
  full: boolean
}

/** Every GET of both tables, alone, with every filter, and with every pair of them. */
export function growthRequests(records: Records, moments: Record<string, string>, full: boolean): GrowthRequest[] {
  const asked = (name: string, route: AskedRoute, by: GrowthRequest['by'], values: FilterValues, beyond?: readonly string[]) =>
    requestsOf(route, values, { beyond, full }).flatMap(({ label, sent }) =>
      pathsOf(`${by === 'token' ? '/api' : '/app/api'}${route.path}`, records).map(({ path, mark }) => {
        const query = new URLSearchParams(sent.map(([filter, value]): [string, string] => [filter, moments[value] ?? value]))
        return { name: [by === 'session' && 'app', name, mark, label].filter(Boolean).join(' '), path: `${path}?${query}`, by }
      }),
    )
  const rest = Object.entries(routes as Record<string, Route>).flatMap(([name, route]) => {
    const { own, listed } = valuesOf(name)
    return asked(name, route, 'token', { ...listed, ...own }, listed && Object.keys(own))
  })
  const shared = Object.entries(sharedRoutes as Record<string, Route>).flatMap(([name, route]) => {
    const more = APP_MORE[name]
    const { own, listed } = valuesOf(name)
    return more ? asked(name, route, 'session', { ...listed, ...own, ...more }, Object.keys(more)) : []
  })
  const own = Object.entries(ownRoutes as Record<string, Route>).flatMap(([name, route]) =>
    asked(name, route, 'session', valuesOf(name).own),
  )
  return [...rest, ...shared, ...own]
}

interface AskedRoute {
  method: string
  path: string
  query: Params
}
type FilterValues = Record<string, Tried | Tried[]>
type Sent = [filter: string, value: string][]

function requestsOf({ method, query }: AskedRoute, values: FilterValues, { beyond, full }: Selection) {
  if (method !== 'GET') return []
  const filters = Object.keys(query).flatMap((filter) => (values[filter] ? [{ filter, all: chosen(values[filter], full) }] : []))
  const single = filters.flatMap(({ filter, all }) => all.map(({ value }): Sent => [[filter, value]]))
  const pairs = filters.flatMap((one, at) =>
    filters.slice(at + 1).flatMap((other) =>
      one.all.flatMap((a) =>
        // A value without matches is combined with each value of the other filter.
        other.all.flatMap((b): Sent[] =>
          full || a.matches || b.matches
            ? [
                [
                  [one.filter, a.value],
                  [other.filter, b.value],
                ],
              ]
            : [],
        ),
      ),
    ),
  )
  return [[], ...single, ...pairs]
    .filter((sent) => beyond === undefined || sent.length === 0 || sent.some(([filter]) => beyond.includes(filter)))
    .map((sent) => ({ sent, label: sent.map(([filter, value]) => `${filter}=${value}`).join(' ') }))
}

const chosen = (values: Tried | Tried[], full: boolean): { value: string; matches: boolean }[] => {
  const sets = [values].flat()
  if (full) return [...new Set(sets.flatMap((set) => Object.values(set) as string[]))].map((value) => ({ value, matches: true }))
  return sets.flatMap(({ common, rare, none = rare }) => [
    { value: common, matches: true },
    ...(none === undefined ? [] : [{ value: none, matches: false }]),
  ])
}

function pathsOf(path: string, records: Records): { path: string; mark: string }[] {
  const placed = path.replace(':project_id', '1').replace(':account_id', '1')
  if (!placed.includes(':')) return [{ path: placed, mark: '' }]
  const [, noun = ''] = /\/(\w+)\/:\w+(?:\/[a-z/_]+)?$/.exec(placed) ?? []
  return (records[noun] ?? ['1']).map((id, at) => ({ path: placed.replace(/:\w+/g, id), mark: at === 0 ? '' : `#${at}` }))
}

/** The values of a route's filters; a search also has those of its list. */
function valuesOf(name: string): { own: FilterValues; listed?: FilterValues } {
  const known = cases as Record<string, FilterValues>
  const own = { ...known[name], ...MORE[name] }
  return name.startsWith('search') && name !== 'search' ? { own, listed: known[`list${name.slice('search'.length)}`]! } : { own }
}
