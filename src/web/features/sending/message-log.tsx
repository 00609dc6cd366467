import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { type Column, Table } from '../../ui/table.tsx'

/** The log of a channel or webhook. It loads when you open it. */
export function MessageLog({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-sm text-soft">Log</summary>
      {open && <div className="mt-2 grid min-w-0 gap-2">{children}</div>}
    </details>
  )
}

interface Props<Row> {
  query: {
    data: unknown
    items: Row[]
    error: unknown
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage(): unknown
    refetch(): unknown
  }
  columns: Column<Row>[]
  status: string
  onStatus(status: string): void
  statuses: readonly (readonly [value: string, label: string])[]
}

/** Messages to one destination, newest first, with a filter by status. */
export const Messages = <Row extends { id: string | number }>({ query, columns, status, onStatus, statuses }: Props<Row>) => (
  <>
    <div>
      <Filter label="Status" value={status} onChange={onStatus} options={[['', 'All messages'], ...statuses]} />
    </div>
    <Loaded query={query}>
      {() =>
        query.items.length === 0 ? (
          <p className="text-sm text-soft">{status ? 'No message has this status.' : 'No messages yet.'}</p>
        ) : (
          <Table caption="Messages, newest first" rows={query.items} keyOf={({ id }) => id} columns={columns} />
        )
      }
    </Loaded>
    {query.hasNextPage && (
      <div className="flex justify-center">
        <Button look="quiet" busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
          Show older
        </Button>
      </div>
    )}
  </>
)
