import { type RouteName, routes } from './routes.ts'

/** The lists that can be searched: the same rows in the same shape, with more filters. */
export const searches = {
  listTasks: 'searchTasks',
  listBuilds: 'searchBuilds',
  listAssets: 'searchAssets',
  listChanges: 'searchChanges',
  listDeployments: 'searchDeployments',
} as const satisfies Partial<Record<RouteName, RouteName>>
export type SearchName = (typeof searches)[keyof typeof searches]

/** The search over a list if a filter needs it; otherwise the list. */
export function listOrSearch(list: RouteName, filters: readonly string[]): RouteName {
  const own = routes[list].query
  const search = (searches as Partial<Record<RouteName, SearchName>>)[list]
  return search === undefined || filters.every((name) => Object.hasOwn(own, name)) ? list : search
}
