import { type ReactNode, useEffect, useRef } from 'react'
import { useConnection, useSecondsLeft, waitOf } from '../connection.ts'
import { Button } from './form/button.tsx'
import { Failed, Notice } from './notice.tsx'

interface Props {
  query: {
    items: readonly unknown[]
    isPending: boolean
    error: unknown
    hasNextPage: boolean
    isFetchingNextPage: boolean
    isFetchNextPageError: boolean
    fetchNextPage(): unknown
    refetch(): unknown
  }
  /** Shown if the list is empty. */
  empty: ReactNode
  /** How many rows are shown, if not every item of the query is one. */
  count?: number
  children: ReactNode
}

/** The frame of a `usePages` list: loading, failed, empty, and more when the end is reached. */
export function InfiniteList({ query, empty, count = query.items.length, children }: Props) {
  const end = useRef<HTMLDivElement>(null)
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError: failed, fetchNextPage } = query
  useEffect(() => {
    const target = end.current
    if (!target || !hasNextPage || isFetchingNextPage || failed) return
    // Entries queue up during fast scrolling: only the newest shows where the end of the list is now.
    const watcher = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && fetchNextPage(), {
      rootMargin: '400px',
    })
    watcher.observe(target)
    return () => watcher.disconnect()
  }, [hasNextPage, isFetchingNextPage, failed, fetchNextPage])
  if (query.isPending) return <Loading />
  if (query.error && count === 0) return <Failed error={query.error} retry={() => query.refetch()} />
  if (count === 0) return empty
  return (
    <>
      {children}
      {failed && <Failed error={query.error} retry={() => fetchNextPage()} />}
      {hasNextPage && !failed && (
        <div ref={end} className="flex justify-center py-4">
          <Button look="quiet" busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  )
}

/** Placeholder lines for text, announced once; or what it waits for, if that may take long. */
export function Loading({ lines = 6 }: { lines?: number }) {
  const { away } = useConnection()
  const seconds = useSecondsLeft()
  if (away) return <Notice kind="warn">Can’t reach the server. Loading again as soon as it responds.</Notice>
  if (seconds > 0) return <Notice kind="warn">Too many requests. Loading again in {waitOf(seconds)}.</Notice>
  return (
    <div role="status" aria-label="Loading" className="grid gap-2">
      {Array.from({ length: lines }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <div key={i} className="h-9 animate-pulse rounded-md bg-hover" />
      ))}
    </div>
  )
}
