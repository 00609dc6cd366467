import { useParams } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { TASK_STATES } from '../../../contract/sets.ts'
import { useKeys } from '../../keys.ts'
import { useApi } from '../../queries.ts'
import { useLocked } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import type { Task } from './task-card.tsx'
import { TaskColumn } from './task-column.tsx'
import { useTaskFilters } from './task-filters.tsx'
import { TaskList } from './task-list.tsx'
import { useTaskMoves } from './task-moves.ts'
import { TaskNew } from './task-new.tsx'

export default function Tasks() {
  const { projectId = '' } = useParams({ strict: false })
  const [creating, setCreating] = useState(false)
  const fixed = useLocked() !== undefined
  const { query, filtered, isList, bar } = useTaskFilters()
  const { moved, move, said } = useTaskMoves(projectId)
  const grabbed = useRef<Task>(undefined)
  const { data } = useApi('countTasks', { project_id: projectId })
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
            title={fixed ? 'This account is read-only.' : 'c'}
            onClick={() => setCreating(true)}
          >
            <Icon name="plus" /> New task
          </Button>
        </>
      }
    >
      {!filtered && data && Object.values(data).every((count) => count === 0) && (
        <p className="max-w-prose text-sm text-soft">
          No tasks yet. Create one here, with the command line or with an assistant. To link a commit to a task, write its number
          in the description, such as #12.
        </p>
      )}
      {isList ? (
        <TaskList projectId={projectId} filters={query} fixed={fixed} />
      ) : (
        <div data-board className="grid items-start gap-3 sm:grid-cols-2 xl:grid-cols-4">
          {TASK_STATES.map((state) => (
            <TaskColumn
              key={state}
              projectId={projectId}
              state={state}
              filters={query}
              moved={moved}
              fixed={fixed}
              count={filtered ? undefined : data?.[state]}
              onMove={move}
              onGrab={(task) => {
                grabbed.current = task
              }}
              onDrop={(to) => grabbed.current && void move(grabbed.current, to)}
            />
          ))}
        </div>
      )}
      {!isList && (
        <p className="text-xs text-soft max-md:hidden">
          Arrow keys select a task, Shift+← or Shift+→ moves it, Enter opens it, c creates a new one.
        </p>
      )}
      <div aria-live="polite" className="sr-only">
        {said}
      </div>
      <TaskNew open={creating} onClose={() => setCreating(false)} />
    </Page>
  )
}
