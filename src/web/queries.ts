import {
  keepPreviousData,
  MutationCache,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import type { AppArguments, AppName, AppReply } from '../contract/app/routes.ts'
import { backOff, retryAfterSeconds } from '../contract/back-off.ts'
import { ApiError, Away, ask } from './api.ts'
import { connection } from './connection.ts'
import {
  currentPage,
  currentVersion,
  invalidateLists,
  invalidateRecords,
  type ListPage,
  type ListPages,
  mergePage,
  rowKey,
} from './list-pages.ts'
import { type Every, useShared } from './polling.ts'

/** Worth a retry: the server is unreachable, or asked to wait. */
export const isTransient = (error: unknown) =>
  error instanceof Away || (error instanceof ApiError && [429, 502, 503, 504].includes(error.status))

const delayOf = (attempt: number, error: unknown) => {
  const wanted = error instanceof ApiError ? (retryAfterSeconds(error.headers['retry-after']) ?? 0) * 1000 : 0
  return Math.max(wanted, backOff(attempt + 1, { first: 1000, longest: 15_000 }))
}

export const queryClient: QueryClient = new QueryClient({
  // An account that has just become read-only is shown as such on the whole page.
  mutationCache: new MutationCache({
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'demo_read_only') void refresh(queryClient, ['showMe'])
    },
  }),
  defaultOptions: {
    queries: {
      // The stream reports changes, so a recent page need not be loaded again.
      staleTime: 30_000,
      retry: (count, error) => isTransient(error) && count < 8,
      retryDelay: delayOf,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

/** Requests that failed while the server was unreachable or asked to wait are repeated when it accepts requests again. */
connection.onReturn(() => void refreshAll(queryClient))

const keyOf = <N extends AppName>(name: N, args: AppArguments<N>) => [name, args] as const

interface Options {
  enabled?: boolean
  every?: Every
  stale?: number
}

/** One route as a query: `useApi('showTask', { project_id, id })`. */
export const useApi = <N extends AppName>(
  name: N,
  args: AppArguments<N>,
  { enabled = true, every = false, stale }: Options = {},
) =>
  useQuery({
    queryKey: keyOf(name, args),
    queryFn: ({ signal }) => ask(name, args, signal),
    enabled,
    refetchInterval: useShared(every),
    placeholderData: keepPreviousData,
    ...(stale === undefined ? {} : { staleTime: stale }),
  })

/** Loads data that will be needed soon. */
export const prefetch = <N extends AppName>(name: N, args: AppArguments<N>) =>
  void queryClient.prefetchQuery({ queryKey: keyOf(name, args), queryFn: ({ signal }) => ask(name, args, signal) })

/** It is loaded, or will not be soon: it will not move the content below it. */
export const isKnown = ({ data, failureCount, isPlaceholderData }: UseQueryResult): boolean =>
  (data !== undefined && !isPlaceholderData) || failureCount > 0

/** The same for required data: waits in the nearest Suspense, fails in the nearest error boundary. */
export const useSuspenseApi = <N extends AppName>(name: N, args: AppArguments<N>) =>
  useSuspenseQuery({ queryKey: keyOf(name, args), queryFn: ({ signal }) => ask(name, args, signal) }).data

/** More rows than fit into most windows: a list makes one request when it opens, and thousands of rows take dozens of requests. */
export const PAGE_ROWS = 50

/** Lists are paged by a cursor, or before the last row. */
interface Goes {
  pagination?: { next_cursor?: string | null }
  has_more?: boolean
  /** The end of a page, if that is past its last row. */
  next_before?: number | null
}
type Paged = { [N in AppName]: AppReply<N> extends { pagination: object } | { has_more: boolean } ? N : never }[AppName]
type RowOf<List> = List extends readonly (infer Row)[] ? Row : never
/** A page of a list in the cache. */
export type PageOf<N extends AppName, K extends keyof AppReply<N>> = ListPage<AppReply<N>, RowOf<AppReply<N>[K]>>

const lastOf = (row: unknown) => {
  const { id, position } = row as { id: number; position?: string }
  return position ?? id
}

const nextOf = ({ pagination, has_more, next_before }: Goes, rows: readonly unknown[]) =>
  pagination ? (pagination.next_cursor ?? undefined) : has_more ? (next_before ?? lastOf(rows.at(-1))) : undefined

/** A paged list: `const { items, more } = usePages('listBuilds', { project_id }, 'build_runs')`. */
export function usePages<N extends Paged, K extends keyof AppReply<N>>(
  name: N,
  args: AppArguments<N>,
  key: K,
  { enabled = true, every = false }: Pick<Options, 'enabled' | 'every'> = {},
) {
  const given = args.query as Record<string, unknown> | undefined
  const askFor = async (goesOn: object, signal: AbortSignal): Promise<PageOf<N, K>> => {
    const version = currentVersion()
    const reply = await ask(name, { ...args, query: { ...given, ...goesOn } } as AppArguments<N>, signal)
    const rows = reply[key] as RowOf<AppReply<N>[K]>[]
    return { reply, rows, next: nextOf(reply as Goes, rows), version }
  }
  const query = useInfiniteQuery({
    queryKey: [name, args, 'pages'],
    queryFn: async ({ signal, pageParam, client, queryKey }) => {
      const old = client.getQueryData<ListPages<PageOf<N, K>>>(queryKey)
      const current = currentPage(name, old, pageParam)
      if (current) return current
      const isCursor = old?.pages[0] && 'pagination' in (old.pages[0].reply as object)
      const goesOn = pageParam === '' ? {} : isCursor ? { limit: PAGE_ROWS, ...given, cursor: pageParam } : { before: pageParam }
      return mergePage(await askFor(goesOn, signal), old, pageParam)
    },
    initialPageParam: '' as string | number,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: useShared(every),
    enabled,
  })
  const pages = query.data?.pages
  const items = useMemo(
    () => [...new Map(pages?.flatMap(({ rows }) => rows.map((row) => [rowKey(row), row] as const))).values()],
    [pages],
  )
  return { ...query, items, first: pages?.[0]?.reply }
}

/** A write: `const save = useWrite('editTask', ['listTasks', 'showTask'])`; the named routes are reloaded afterwards. */
export function useWrite<N extends AppName>(
  name: N,
  touches: AppName[] = [],
): UseMutationResult<AppReply<N>, Error, AppArguments<N>> {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (args: AppArguments<N>) => ask(name, args),
    onSuccess: (reply, args) => refresh(client, touches, recordsOf(args, reply)),
  })
}

/** The records that a write names, and the one it created. */
function recordsOf(args: object, reply: unknown): (string | number)[] {
  const { project_id, account_id, query, body, headers, ...path } = args as Record<string, unknown>
  const { ids = [], asset_ids = [] } = (body ?? {}) as { ids?: number[]; asset_ids?: string[] }
  const made = (reply as { id?: string | number } | null)?.id
  return [...(Object.values(path) as (string | number)[]), ...ids, ...asset_ids, ...(made === undefined ? [] : [made])]
}

/**
 * Reloads these routes where they are shown; others when they are next opened. For a long list only the pages with these records, and the
 * first: without any, all.
 */
export function refresh(client: QueryClient, names: readonly AppName[], records: readonly (string | number)[] = []) {
  if (records.length > 0) invalidateRecords(records)
  else invalidateLists(names)
  return Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })))
}

/** How many pages of a list are reloaded when all of it may have changed; the rest is loaded on demand. */
const PAGES_KEPT = 5

/** Reloads everything, when it is unknown what happened meanwhile. */
export function refreshAll(client: QueryClient) {
  invalidateLists(['all'])
  client.setQueriesData<ListPages>({ predicate: ({ queryKey }) => queryKey[2] === 'pages' }, (data) =>
    data && data.pages.length > PAGES_KEPT
      ? { pages: data.pages.slice(0, PAGES_KEPT), pageParams: data.pageParams.slice(0, PAGES_KEPT) }
      : data,
  )
  return client.invalidateQueries()
}
