import { useParams } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { PRIORITIES, TASK_STATES, TASK_TYPES } from '../../../contract/sets.ts'
import { useKeys } from '../../keys.ts'
import { useApi } from '../../queries.ts'
import { useAccount } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { useDebounced } from '../../ui/form/debounced.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { Filter } from '../../ui/form/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { wordsOf } from '../../ui/pill.tsx'
import { AssigneeChoice } from './assignee.tsx'
import type { Task } from './task-card.tsx'
import { TaskColumn } from './task-column.tsx'
import { useTaskMoves } from './task-moves.ts'
import { TaskNew } from './task-new.tsx'

export default function Tasks() {
  const { projectId = '' } = useParams({ strict: false })
  const [creating, setCreating] = useState(false)
  const fixed = useAccount()?.read_only != null
  const { query, filtered, bar } = useFilters(projectId)
  const { moved, move, said } = useTaskMoves(projectId)
  const grabbed = useRef<Task>(undefined)
  const { data } = useApi('showOverview', { project_id: projectId })
  useKeys({ c: () => !fixed && setCreating(true) })
  return (
    <Page
      title="Tasks"
      actions={
        <>
          {bar}
          <Button
            look="main"
            disabled={fixed}
            title={fixed ? 'The account is read-only.' : 'c'}
            onClick={() => setCreating(true)}
          >
            <Icon name="plus" /> New task
          </Button>
        </>
      }
    >
      {!filtered && data && Object.values(data.tasks).every((count) => count === 0) && (
        <p className="max-w-prose text-sm text-soft">
          No tasks yet. Make one here, or let scripts, the command line and assistants make them. A commit that names one, as in
          #12, links itself to it.
        </p>
      )}
      <div data-board className="grid items-start gap-3 sm:grid-cols-2 xl:grid-cols-4">
        {TASK_STATES.map((state) => (
          <TaskColumn
            key={state}
            projectId={projectId}
            state={state}
            filters={query}
            moved={moved}
            fixed={fixed}
            count={filtered ? undefined : data?.tasks[state]}
            onMove={move}
            onGrab={(task) => {
              grabbed.current = task
            }}
            onDrop={(to) => grabbed.current && void move(grabbed.current, to)}
          />
        ))}
      </div>
      <p className="text-xs text-soft max-md:hidden">
        Arrow keys walk over the board, Shift with ← or → moves a task, Enter opens it, c makes a new one.
      </p>
      <div aria-live="polite" className="sr-only">
        {said}
      </div>
      <TaskNew open={creating} onClose={() => setCreating(false)} />
    </Page>
  )
}

/** What the board shows; it is still so when one comes back from a task. */
function useFilters(projectId: string) {
  const [task_type, setType] = useDraft(`board ${projectId} type`, '')
  const [priority, setPriority] = useDraft(`board ${projectId} priority`, '')
  const [assignee, setAssignee] = useDraft(`board ${projectId} assignee`, '')
  const [label, setLabel] = useDraft(`board ${projectId} label`, '')
  const settled = useDebounced(label.trim())
  const filtered = [task_type, priority, assignee, label].some(Boolean)
  const options = (all: string, values: readonly string[]) =>
    [['', all], ...values.map((value) => [value, wordsOf(value)] as const)] as const
  const bar = (
    <>
      <input
        type="search"
        aria-label="Label"
        placeholder="Label"
        value={label}
        onChange={(event) => setLabel(event.target.value)}
        className="h-8 w-28 rounded-md border border-line bg-panel px-2 text-sm placeholder:text-faint"
      />
      <Filter
        label="Type"
        value={task_type}
        onChange={(event) => setType(event.target.value)}
        options={options('All types', TASK_TYPES)}
      />
      <Filter
        label="Priority"
        value={priority}
        onChange={(event) => setPriority(event.target.value)}
        options={options('All priorities', PRIORITIES)}
      />
      <AssigneeChoice label="Assignee" value={assignee} onChange={setAssignee} none="Everybody" open={false} />
      {filtered && (
        <Button
          look="quiet"
          onClick={() => {
            for (const set of [setType, setPriority, setAssignee, setLabel]) set('')
          }}
        >
          Clear
        </Button>
      )}
    </>
  )
  return { query: { task_type, priority, assignee, label: settled }, filtered, bar }
}
