import type { ReactNode } from 'react'
import { Failed } from './notice.tsx'
import { Waiting } from './pages.tsx'

interface Props<Data> {
  query: { data: Data | undefined; error: unknown; refetch(): unknown }
  children(data: Data): ReactNode
}

/** What a query brings, once it is there: until then waiting, and a failure in its own words. */
export function Loaded<Data>({ query: { data, error, refetch }, children }: Props<Data>) {
  if (data !== undefined) return children(data)
  if (error) return <Failed error={error} retry={() => refetch()} />
  return <Waiting lines={4} />
}
