import type { TSchema } from 'typebox'
import { sharedRoutes } from '../../contract/app/routes.ts'
import type { QueryOf, RouteName } from '../../contract/routes.ts'
import type { SearchName } from '../../contract/searches.ts'
import { type Database, sql } from '../../db/database.ts'
import type { Key, Listing, Page } from '../../db/page.ts'
import type { ProjectSql } from '../../db/project-key.ts'
import type { Caller } from '../../domain/access/access.ts'
import * as approvals from '../../domain/assets/approvals.ts'
import * as assets from '../../domain/assets/assets.ts'
import * as breakages from '../../domain/breakages/breakages.ts'
import * as builds from '../../domain/builds/builds.ts'
import * as changes from '../../domain/changes/changes.ts'
import * as deployments from '../../domain/deployments/deployments.ts'
import { scrubberOf } from '../../domain/privacy/replies.ts'
import { mayHoldPrivate } from '../../domain/privacy/scrub.ts'
import { asksForText, findPage, type Texts } from '../../domain/search/list-search.ts'
import type { SearchKind } from '../../domain/search/records.ts'
import * as tasks from '../../domain/tasks/tasks.ts'

export type ListName =
  | 'listTasks'
  | 'listBuilds'
  | 'listAssets'
  | 'listApprovals'
  | 'listChanges'
  | 'listDeployments'
  | 'listBreakages'
  | SearchName
type ListQuery<N extends RouteName> = Omit<QueryOf<N>, 'cursor'> & { cursor?: Key; ids?: readonly string[] }

interface List<N extends ListName> {
  /** The name of the items in the reply. */
  key: string
  listing(project: ProjectSql, query: ListQuery<N>, site: string): Listing
  /** The kind of records that are searched. */
  kind?: SearchKind
  /** Whether its other filters leave few enough records to check without the search index. */
  filtersLead?(query: ListQuery<N>): boolean
  /** The requested order, if the list has several. */
  order?(query: ListQuery<N>): string
  /** What an item needs beyond scrubbing every text of its shape. */
  shown?(item: never): unknown
}

export const lists: { [N in ListName]: List<N> } = {
  listTasks: { key: 'tasks', listing: tasks.list },
  listBuilds: { key: 'build_runs', listing: builds.list },
  listAssets: { key: 'assets', listing: assets.list },
  listApprovals: { key: 'approvals', listing: approvals.list },
  listChanges: { key: 'changes', listing: changes.list, shown: changes.shown },
  listBreakages: { key: 'breakages', listing: breakages.list },
  listDeployments: { key: 'deployments', listing: deployments.list },
  searchDeployments: { key: 'deployments', listing: deployments.list },
  searchTasks: { key: 'tasks', listing: tasks.list, kind: 'task' },
  searchBuilds: {
    key: 'build_runs',
    listing: builds.list,
    kind: 'build',
    filtersLead: (query) => query.commit !== undefined || query.changelist !== undefined || builds.asksForFinished(query),
    order: (query) => (builds.asksForFinished(query) ? 'finished' : 'created'),
  },
  searchAssets: { key: 'assets', listing: assets.list, kind: 'asset' },
  searchChanges: {
    key: 'changes',
    listing: changes.list,
    shown: changes.shown,
    kind: 'change',
    filtersLead: (query) => query.identifier !== undefined,
  },
}

export const isList = (name: string): name is ListName => Object.hasOwn(lists, name)

/** By the shapes of the web app, which contain all fields that are shown anywhere. */
const itemScrubber = (name: ListName, key: string) =>
  scrubberOf((sharedRoutes[name].reply.properties as Record<string, { items?: TSchema }>)[key]!.items!)
const scrubbers = Object.fromEntries(
  Object.entries(lists).map(([name, { key }]) => [name, itemScrubber(name as ListName, key)]),
) as Record<ListName, ReturnType<typeof scrubberOf>>

/** The query of a page of any list. */
export type PageQuery = ListQuery<'listTasks'>
const listOf = (name: ListName) => lists[name] as List<'listTasks'>

/** A cursor is valid for its list in its project, and for its order. */
export const cursorScope = (name: ListName, project: number | null | undefined, query: PageQuery): string =>
  [name, project, listOf(name).order?.(query)].filter((part) => part !== undefined).join(' ')

export const listingOf = (name: ListName, query: PageQuery, site: string) => (project: ProjectSql) =>
  listOf(name).listing(project, query, site)

/** Text is searched as it is shown, which no single statement can do. */
export const looksForText = (name: ListName, query: PageQuery): boolean =>
  listOf(name).kind !== undefined && asksForText(query as Texts)

/** Parameters of a search that are not filters. */
const NO_FILTERS = new Set(['q', 'author', 'path', 'limit', 'cursor', 'orphaned', 'breakages', 'builds'])

export function findListed(db: Database, { account_id, project_id }: Caller, name: ListName, query: PageQuery, site: string) {
  const { kind, listing, filtersLead } = listOf(name)
  return findPage(db, {
    range: { account_id: account_id!, project_id: project_id!, kind: kind! },
    texts: query as Texts,
    list: (part) =>
      listing(
        { account_id: sql`${account_id}::integer`, project_id: sql`${project_id}::integer` },
        { ...query, cursor: undefined, ...part } as PageQuery,
        site,
      ),
    filtered: Object.entries(query).some(([name, value]) => value !== undefined && !NO_FILTERS.has(name)),
    filtersLead: filtersLead?.(query) ?? false,
    cursor: query.cursor,
    limit: query.limit,
  })
}

/** As PostgreSQL rendered them, unless external text in them needs scrubbing. */
function itemsOf(name: ListName, { items, foreign }: Page): string {
  const scrubber = scrubbers[name]
  if (!scrubber || !mayHoldPrivate(foreign ?? items)) return items
  const { shown = (item: never) => item } = lists[name]
  return JSON.stringify((JSON.parse(items) as never[]).map((item) => scrubber(shown(item) as never)))
}

/** The whole reply as text: the items are used as they are, only the frame is written here. */
export function renderPage(name: ListName, limit: number, page: Page, seal: ((key: Key) => string) | undefined): string {
  const { key } = lists[name]
  const cursor = seal === undefined ? '' : `,"next_cursor":${page.last ? JSON.stringify(seal(page.last)) : 'null'}`
  return `{"${key}":${itemsOf(name, page)},"pagination":{"limit":${limit},"has_more":${page.has_more}${cursor}}}`
}
