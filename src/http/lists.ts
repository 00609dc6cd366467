import type { QueryOf, RouteName } from '../contract/routes.ts'
import type { Sql } from '../db/database.ts'
import type { Key, Listing, Page } from '../db/page.ts'
import * as approvals from '../domain/approvals.ts'
import * as assets from '../domain/assets.ts'
import * as builds from '../domain/builds.ts'
import * as changes from '../domain/changes.ts'
import * as deployments from '../domain/deployments.ts'
import * as tasks from '../domain/tasks.ts'

export type ListName = 'listTasks' | 'listBuilds' | 'listAssets' | 'listApprovals' | 'listChanges' | 'listDeployments'
type ListQuery<N extends RouteName> = Omit<QueryOf<N>, 'cursor'> & { cursor?: Key }

interface List<N extends ListName> {
  /** The name of the items in the answer. */
  key: string
  listing(project: Sql, query: ListQuery<N>, site: string): Listing
  /** What people or tools outside wrote is sanitized item by item; the rest leaves as PostgreSQL rendered it. */
  shown?(item: never): unknown
}

export const lists: { [N in ListName]: List<N> } = {
  listTasks: { key: 'tasks', listing: tasks.list },
  listBuilds: { key: 'build_runs', listing: builds.list },
  listAssets: { key: 'assets', listing: assets.list },
  listApprovals: { key: 'approvals', listing: approvals.list, shown: approvals.shown },
  listChanges: { key: 'changes', listing: changes.list, shown: changes.shown },
  listDeployments: { key: 'deployments', listing: deployments.list },
}

export const isList = (name: RouteName): name is ListName => Object.hasOwn(lists, name)

/** The whole answer as text: the items stay as they came, only the frame is written here. */
export function renderPage(name: ListName, limit: number, page: Page, seal: ((key: Key) => string) | undefined): string {
  const { key, shown } = lists[name]
  const items = shown ? JSON.stringify((JSON.parse(page.items) as never[]).map((item) => shown(item))) : page.items
  const cursor = seal === undefined ? '' : `,"next_cursor":${page.last ? JSON.stringify(seal(page.last)) : 'null'}`
  return `{"${key}":${items},"pagination":{"limit":${limit},"has_more":${page.has_more}${cursor}}}`
}
