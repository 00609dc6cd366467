import { useState } from 'react'
import { choicesOf } from '../../../contract/labels.ts'
import { DELIVERY_OUTCOMES } from '../../../contract/sets.ts'
import { LOOK_AGAIN_MS } from '../../polling.ts'
import { usePages } from '../../queries.ts'
import { Empty } from '../../ui/empty.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { InfiniteList } from '../../ui/infinite-list.tsx'
import { Section } from '../../ui/page.tsx'
import { Status } from '../../ui/pill.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/text/time.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'

interface Props {
  projectId: string
  integrationId: string
  mayReplay: boolean
}

export const useDeliveries = (projectId: string, integrationId: string, outcome = '') => {
  const query = { integration_id: integrationId, outcome, limit: 25 }
  return usePages('listDeliveries', { project_id: projectId, query }, 'deliveries', { every: LOOK_AGAIN_MS })
}

/** The deliveries of a tool, newest first; updated live. */
export function Deliveries({ projectId, integrationId, mayReplay }: Props) {
  const [outcome, setOutcome] = useState('')
  const [open, setOpen] = useState<number>()
  const query = useDeliveries(projectId, integrationId, outcome)
  const rows = query.items
  return (
    <Section
      title="Deliveries"
      actions={
        <Filter
          label="Outcome"
          value={outcome}
          onChange={setOutcome}
          options={[['', 'All outcomes'], ...choicesOf('delivery_outcome', DELIVERY_OUTCOMES)]}
        />
      }
    >
      <InfiniteList
        query={query}
        empty={
          <Empty title={outcome ? 'No matching deliveries' : 'No deliveries yet'}>
            {outcome ? '' : 'Every request the tool sends appears here, even if Goldmaster can’t read it.'}
          </Empty>
        }
      >
        <Table
          caption="Deliveries, newest first"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            { head: 'Outcome', cell: (row) => <Status of="delivery_outcome" value={row.outcome} /> },
            {
              head: 'Event',
              cell: ({ id, event, path, message }) => (
                <button type="button" onClick={() => setOpen(id)} className="grid text-left hover:underline">
                  <span className="break-all font-medium">{event || path}</span>
                  {message && <span className="line-clamp-2 max-w-prose text-xs text-soft">{message}</span>}
                </button>
              ),
            },
            { head: 'Response', wide: true, cell: ({ status, milliseconds }) => `${status} · ${milliseconds} ms` },
            { head: 'Records', wide: true, cell: ({ records }) => madeOf(records) },
            { head: 'Received', cell: ({ received_at }) => <Time at={received_at} /> },
          ]}
        />
      </InfiniteList>
      {open !== undefined && (
        <DeliveryDialog projectId={projectId} id={open} mayReplay={mayReplay} onClose={() => setOpen(undefined)} />
      )}
    </Section>
  )
}

function madeOf(records: { type: string }[]): string {
  const counts = new Map<string, number>()
  for (const { type } of records) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].map(([type, count]) => `${count} ${type.replaceAll('_', ' ')}`).join(', ') || '–'
}
