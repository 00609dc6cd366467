import type { ReactNode } from 'react'
import { Loading } from './infinite-list.tsx'
import { Failed } from './notice.tsx'

interface Props<Data> {
  query: { data: Data | undefined; error: unknown; refetch(): unknown }
  children(data: Data): ReactNode
}

/** The data of a query once it is loaded: until then a placeholder, or its error. */
export function Loaded<Data>({ query: { data, error, refetch }, children }: Props<Data>) {
  if (data !== undefined) return children(data)
  if (error) return <Failed error={error} retry={() => refetch()} />
  return <Loading lines={4} />
}
