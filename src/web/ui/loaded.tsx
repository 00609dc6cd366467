import type { ReactNode } from 'react'
import { Failed } from './notice.tsx'
import { Waiting } from './pages.tsx'

interface Props<Data> {
  query: { data: Data | undefined; error: unknown; refetch(): unknown }
  children(data: Data): ReactNode
}

/** The data of a query once it is loaded: until then a placeholder, or its error. */
export function Loaded<Data>({ query: { data, error, refetch }, children }: Props<Data>) {
  if (data !== undefined) return children(data)
  if (error) return <Failed error={error} retry={() => refetch()} />
  return <Waiting lines={4} />
}
