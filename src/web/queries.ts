import {
  keepPreviousData,
  MutationCache,
  QueryClient,
  type UseMutationResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query'
import type { AppArguments, AppName, AppReply } from '../contract/app/routes.ts'
import { ApiError, Away, ask } from './api.ts'
import { connection } from './connection.ts'

/** Worth another try: the server is away, or wants to be left alone for a while. */
export const passes = (error: unknown) =>
  error instanceof Away || (error instanceof ApiError && [429, 502, 503, 504].includes(error.status))

const delayOf = (attempt: number, error: unknown) => {
  const wanted = error instanceof ApiError ? Number(error.headers['retry-after'] ?? 0) * 1000 : 0
  return Math.max(wanted, Math.min(1000 * 2 ** attempt, 15_000))
}

export const queryClient: QueryClient = new QueryClient({
  // An account that has just become read-only says so on the whole page.
  mutationCache: new MutationCache({
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'demo_read_only') void refresh(queryClient, ['showMe'])
    },
  }),
  defaultOptions: {
    queries: {
      // The stream tells what changed, so a page that was just looked at need not be asked for again.
      staleTime: 30_000,
      retry: (count, error) => passes(error) && count < 8,
      retryDelay: delayOf,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

/** What failed while the server was away or wanted a pause is asked anew when it takes requests again. */
connection.onReturn(() => void queryClient.invalidateQueries())

const keyOf = <N extends AppName>(name: N, args: AppArguments<N>) => [name, args] as const

/** How often a page looks at what no event tells: ten times in five minutes, a limit that many tabs behind one address share. */
export const LOOK_AGAIN_MS = 30_000

interface Options {
  enabled?: boolean
  /** Milliseconds between looks, for what the stream does not tell. */
  every?: number | false
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
    refetchInterval: every,
    placeholderData: keepPreviousData,
    ...(stale === undefined ? {} : { staleTime: stale }),
  })

/** The same, for what a page cannot do without: waits in the nearest Suspense, fails in the nearest error boundary. */
export const useNeeded = <N extends AppName>(name: N, args: AppArguments<N>) =>
  useSuspenseQuery({ queryKey: keyOf(name, args), queryFn: ({ signal }) => ask(name, args, signal) }).data

/** The first page is soon there; whoever goes on gets more at a time, so that thousands of rows take dozens of requests. */
const MORE = 50

type Paged = { [N in AppName]: AppReply<N> extends { pagination: { next_cursor?: string | null } } ? N : never }[AppName]

/** A list that goes on: `const { items, more } = usePages('listBuilds', { project_id }, 'build_runs')`. */
export function usePages<N extends Paged, K extends keyof AppReply<N>>(name: N, args: AppArguments<N>, key: K) {
  const query = useInfiniteQuery({
    queryKey: [name, args, 'pages'],
    queryFn: ({ signal, pageParam }) =>
      ask(
        name,
        { ...args, query: pageParam ? { limit: MORE, ...args.query, cursor: pageParam } : args.query } as AppArguments<N>,
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: (last) => (last as { pagination: { next_cursor?: string | null } }).pagination.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })
  const items = (query.data?.pages ?? []).flatMap(
    (page) => page[key] as unknown[],
  ) as unknown as AppReply<N>[K] extends (infer Item)[] ? Item[] : never
  return { ...query, items, first: query.data?.pages[0] as AppReply<N> | undefined }
}

/** A write: `const save = useWrite('editTask', ['listTasks', 'showTask'])`; the routes named are asked anew afterwards. */
export function useWrite<N extends AppName>(
  name: N,
  touches: AppName[] = [],
): UseMutationResult<AppReply<N>, Error, AppArguments<N>> {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (args: AppArguments<N>) => ask(name, args),
    onSuccess: () => refresh(client, touches),
  })
}

/** Asks these routes anew where they are shown; elsewhere they are asked when next looked at. */
export const refresh = (client: QueryClient, names: readonly AppName[]) =>
  Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })))
