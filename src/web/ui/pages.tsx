import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from './form/button.tsx'
import { Failed } from './notice.tsx'

interface Props {
  query: {
    isPending: boolean
    error: unknown
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage(): unknown
    refetch(): unknown
  }
  /** Shown when there is nothing. */
  empty: ReactNode
  count: number
  children: ReactNode
}

/** Around a list of `usePages`: waiting, failing, empty, and more as one reaches the end. */
export function Pages({ query, empty, count, children }: Props) {
  const end = useRef<HTMLDivElement>(null)
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  useEffect(() => {
    const target = end.current
    if (!target || !hasNextPage) return
    const watcher = new IntersectionObserver(([entry]) => entry?.isIntersecting && !isFetchingNextPage && fetchNextPage(), {
      rootMargin: '400px',
    })
    watcher.observe(target)
    return () => watcher.disconnect()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  if (query.isPending) return <Waiting />
  if (query.error && count === 0) return <Failed error={query.error} retry={() => query.refetch()} />
  if (count === 0) return empty
  return (
    <>
      {children}
      {hasNextPage && (
        <div ref={end} className="flex justify-center py-4">
          <Button look="quiet" busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  )
}

/** Grey lines where text will be; said aloud once. */
export const Waiting = ({ lines = 6 }: { lines?: number }) => (
  <div role="status" aria-label="Loading" className="grid gap-2">
    {Array.from({ length: lines }, (_, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
      <div key={i} className="h-9 animate-pulse rounded-md bg-hover" />
    ))}
  </div>
)
