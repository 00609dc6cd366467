import type { TSchema } from 'typebox'
import { type QueryOf, type RouteName, routes } from '../../contract/routes.ts'
import type { Sql } from '../../db/database.ts'
import type { Key, Listing, Page } from '../../db/page.ts'
import * as approvals from '../../domain/assets/approvals.ts'
import * as assets from '../../domain/assets/assets.ts'
import * as builds from '../../domain/builds/builds.ts'
import * as changes from '../../domain/changes/changes.ts'
import * as deployments from '../../domain/deployments/deployments.ts'
import { scrubberOf } from '../../domain/privacy/replies.ts'
import { mayHoldPrivate } from '../../domain/privacy/scrub.ts'
import * as tasks from '../../domain/tasks/tasks.ts'

export type ListName = 'listTasks' | 'listBuilds' | 'listAssets' | 'listApprovals' | 'listChanges' | 'listDeployments'
type ListQuery<N extends RouteName> = Omit<QueryOf<N>, 'cursor'> & { cursor?: Key }

interface List<N extends ListName> {
  /** The name of the items in the answer. */
  key: string
  listing(project: Sql, query: ListQuery<N>, site: string): Listing
  /** What an item needs beyond being scrubbed like every text of its shape. */
  shown?(item: never): unknown
}

export const lists: { [N in ListName]: List<N> } = {
  listTasks: { key: 'tasks', listing: tasks.list },
  listBuilds: { key: 'build_runs', listing: builds.list },
  listAssets: { key: 'assets', listing: assets.list },
  listApprovals: { key: 'approvals', listing: approvals.list },
  listChanges: { key: 'changes', listing: changes.list, shown: changes.shown },
  listDeployments: { key: 'deployments', listing: deployments.list },
}

export const isList = (name: RouteName): name is ListName => Object.hasOwn(lists, name)

const itemScrubber = (name: ListName, key: string) =>
  scrubberOf((routes[name].reply.properties as Record<string, { items?: TSchema }>)[key]!.items!)
const scrubbers = Object.fromEntries(
  Object.entries(lists).map(([name, { key }]) => [name, itemScrubber(name as ListName, key)]),
) as Record<ListName, ReturnType<typeof scrubberOf>>

/** As PostgreSQL rendered them, unless a look at what was written outside finds something that must not leave. */
function itemsOf(name: ListName, { items, foreign }: Page): string {
  const scrubber = scrubbers[name]
  if (!scrubber || !mayHoldPrivate(foreign ?? items)) return items
  const { shown = (item: never) => item } = lists[name]
  return JSON.stringify((JSON.parse(items) as never[]).map((item) => scrubber(shown(item) as never)))
}

/** The whole answer as text: the items stay as they came, only the frame is written here. */
export function renderPage(name: ListName, limit: number, page: Page, seal: ((key: Key) => string) | undefined): string {
  const { key } = lists[name]
  const cursor = seal === undefined ? '' : `,"next_cursor":${page.last ? JSON.stringify(seal(page.last)) : 'null'}`
  return `{"${key}":${itemsOf(name, page)},"pagination":{"limit":${limit},"has_more":${page.has_more}${cursor}}}`
}
