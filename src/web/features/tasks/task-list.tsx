import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { choicesOf } from '../../../contract/labels.ts'
import { TASK_STATES } from '../../../contract/sets.ts'
import { useFilters } from '../../filters.ts'
import { taskPage } from '../../record-pages.ts'
import { Filter } from '../../ui/form/field.tsx'
import { InfiniteList } from '../../ui/infinite-list.tsx'
import { Pill, Status } from '../../ui/pill.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/text/time.tsx'
import { useWho } from './assignee.tsx'
import { BulkActions } from './bulk-actions.tsx'
import { PRIORITY_KINDS, type Task } from './task-card.tsx'
import { assigneeOf } from './task-draft.ts'
import { type TaskFilters, useTaskPages } from './task-filters.tsx'

const FIRST = 30

/** Tasks as a list, newest first; several can be selected and edited together. */
export function TaskList({ projectId, filters, fixed }: { projectId: string; filters: TaskFilters; fixed: boolean }) {
  const [{ state }, , fieldOf] = useFilters('state', 'q', 'task_type', 'priority', 'assignee', 'label', 'layout')
  const pages = useTaskPages(projectId, { ...filters, state }, FIRST)
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const nameOf = useWho()
  // Tasks that left the list are deselected.
  const ids = pages.items.map(({ id }) => id).filter((id) => chosen.has(id))
  const columns = useMemo(
    () =>
      columnsOf(projectId, nameOf, fixed ? undefined : chosen, (id) =>
        setChosen((all) => {
          const next = new Set(all)
          if (!next.delete(id)) next.add(id)
          return next
        }),
      ),
    [projectId, nameOf, fixed, chosen],
  )
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Filter label="State" {...fieldOf('state')} options={[['', 'All states'], ...choicesOf('task_state', TASK_STATES)]} />
        {ids.length > 0 && <BulkActions projectId={projectId} ids={ids} onDone={() => setChosen(new Set())} />}
      </div>
      <InfiniteList query={pages} empty={<p className="py-8 text-center text-sm text-soft">No task matches your filters.</p>}>
        <Table caption="Tasks, newest first" rows={pages.items} keyOf={({ id }) => id} columns={columns} />
      </InfiniteList>
    </>
  )
}

const columnsOf = (
  projectId: string,
  nameOf: (who: string) => string,
  chosen: ReadonlySet<number> | undefined,
  choose: (id: number) => void,
): Column<Task>[] => [
  ...(chosen
    ? [
        {
          head: 'Select',
          className: 'w-8',
          cell: ({ id }: Task) => (
            <input
              type="checkbox"
              aria-label={`Select task ${id}`}
              checked={chosen.has(id)}
              onChange={() => choose(id)}
              className="size-4 accent-accent"
            />
          ),
        },
      ]
    : []),
  {
    head: 'Task',
    className: 'min-w-40',
    cell: ({ id, title, labels }) => (
      <span className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <Link {...taskPage(projectId, id)} className="wrap-anywhere font-medium hover:underline">
          <span className="font-normal text-soft">#{id}</span> {title}
        </Link>
        {labels.slice(0, 3).map((label) => (
          <Pill key={label}>{label}</Pill>
        ))}
      </span>
    ),
  },
  { head: 'State', className: 'whitespace-nowrap', cell: ({ state }) => <Status of="task_state" value={state} /> },
  { head: 'Priority', wide: true, cell: ({ priority }) => <Pill kind={PRIORITY_KINDS[priority]}>{priority}</Pill> },
  { head: 'Type', wide: true, cell: ({ task_type }) => <span className="text-soft">{task_type}</span> },
  {
    head: 'Assignee',
    wide: true,
    cell: (task) => <span className="wrap-anywhere text-soft">{assigneeOf(task) && nameOf(assigneeOf(task))}</span>,
  },
  { head: 'Edited', wide: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
]
