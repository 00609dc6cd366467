import { useState } from 'react'
import { labelOf } from '../../../contract/labels.ts'
import { TASK_STATES, type TaskState } from '../../../contract/sets.ts'
import { InfiniteList } from '../../ui/infinite-list.tsx'

import { cappedCount } from '../../ui/text/count.ts'
import { type Task, TaskCard } from './task-card.tsx'
import { type TaskFilters, useTaskPages } from './task-filters.tsx'

interface Props {
  projectId: string
  state: TaskState
  filters: TaskFilters
  /** Tasks that were just moved: shown in their new column, whatever the lists still say. */
  moved: ReadonlyMap<number, Task>
  fixed: boolean
  count: number | undefined
  onMove(task: Task, state: TaskState): void
  onGrab(task: Task): void
  onDrop(state: TaskState): void
}

/** A screen of cards and a little more: four columns are rendered at once. */
const FIRST = 15

/** One state of the board: its newest tasks, and more on scrolling. */
export function TaskColumn({ projectId, state, filters, moved, fixed, count, onMove, onGrab, onDrop }: Props) {
  const pages = useTaskPages(projectId, { ...filters, state }, FIRST)
  const [over, setOver] = useState(false)
  const arrived = [...moved.values()].filter((task) => task.state === state)
  const tasks = [...arrived, ...pages.items.filter(({ id }) => !moved.has(id))]
  return (
    <section
      aria-label={labelOf('task_state', state)}
      data-column={TASK_STATES.indexOf(state)}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('application/x-task')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => !event.currentTarget.contains(event.relatedTarget as Node) && setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        onDrop(state)
      }}
      className={`grid min-w-0 grid-cols-1 content-start gap-2 rounded-lg border p-2 ${over ? 'border-accent bg-accent-wash' : 'border-transparent bg-hover/60'}`}
    >
      <h2 className="flex items-center justify-between px-1 text-sm font-medium">
        <span>{labelOf('task_state', state)}</span>
        <span className="text-xs text-soft tabular-nums">{count !== undefined && cappedCount(count)}</span>
      </h2>
      <InfiniteList
        query={pages}
        count={tasks.length}
        empty={<p className="px-1 py-4 text-center text-xs text-soft">No tasks</p>}
      >
        <ul className="grid grid-cols-1 gap-2">
          {tasks.map((task) => (
            <TaskCard key={task.id} projectId={projectId} task={task} fixed={fixed} onMove={onMove} onGrab={onGrab} />
          ))}
        </ul>
      </InfiniteList>
    </section>
  )
}
