import { Link } from '@tanstack/react-router'
import type { KeyboardEvent } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf } from '../../../contract/labels.ts'
import { TASK_STATES, type TaskState } from '../../../contract/sets.ts'
import { taskPage } from '../../record-pages.ts'
import { Icon } from '../../ui/icon.tsx'
import { Pill, type PillKind } from '../../ui/pill.tsx'
import { useWho } from './assignee.tsx'
import { assigneeOf } from './task-draft.ts'

export type Task = AppReply<'listTasks'>['tasks'][number]

export const PRIORITY_KINDS: Record<Task['priority'], PillKind> = {
  critical: 'err',
  high: 'warn',
  medium: 'neutral',
  low: 'neutral',
}

interface Props {
  projectId: string
  task: Task
  /** Not movable: the account is read-only. */
  fixed: boolean
  onMove(task: Task, state: TaskState): void
  /** A drag starts. */
  onGrab(task: Task): void
}

/** The element of a card or the first of a column, for the arrow keys. */
const focusCard = (board: Element, column: number, row: number) => {
  const cards = board.querySelectorAll(`[data-column="${column}"] [data-card]`)
  const card = cards[Math.min(Math.max(row, 0), cards.length - 1)] as HTMLElement | undefined
  card?.focus()
  return card !== undefined
}

function walk(event: KeyboardEvent<HTMLElement>, column: number) {
  const board = event.currentTarget.closest('[data-board]')
  const list = event.currentTarget.closest('[data-column]')
  if (!board || !list) return
  const row = [...list.querySelectorAll('[data-card]')].indexOf(event.currentTarget)
  if (event.key === 'ArrowDown') focusCard(board, column, row + 1)
  else if (event.key === 'ArrowUp') focusCard(board, column, row - 1)
  else {
    const step = event.key === 'ArrowRight' ? 1 : -1
    for (let next = column + step; next >= 0 && next < TASK_STATES.length; next += step) if (focusCard(board, next, row)) break
  }
}

/** One task on the board: arrows move the focus, Shift and an arrow move the task to the next column, dragging does the same. */
export function TaskCard({ projectId, task, fixed, onMove, onGrab }: Props) {
  const nameOf = useWho()
  const who = assigneeOf(task)
  const column = TASK_STATES.indexOf(task.state)
  const press = (event: KeyboardEvent<HTMLElement>) => {
    if (!event.key.startsWith('Arrow') || event.metaKey || event.ctrlKey || event.altKey) return
    event.preventDefault()
    if (!event.shiftKey) return walk(event, column)
    const state = TASK_STATES[column + (event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0)]
    if (state && state !== task.state && !fixed) onMove(task, state)
  }
  return (
    <li
      draggable={!fixed}
      onDragStart={(event) => {
        event.dataTransfer.setData('application/x-task', String(task.id))
        event.dataTransfer.effectAllowed = 'move'
        onGrab(task)
      }}
      className="grid grid-cols-1 gap-2 rounded-md border border-line bg-raised p-3 text-sm shadow-xs [contain-intrinsic-size:auto_7rem] [content-visibility:auto] hover:border-strong-line"
    >
      <Link
        {...taskPage(projectId, task.id)}
        data-card={task.id}
        draggable={false}
        aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
        onKeyDown={press}
        className="wrap-anywhere font-medium hover:underline"
      >
        <span className="font-normal text-soft">#{task.id}</span> {task.title}
      </Link>
      <div className="flex flex-wrap items-center gap-1.5">
        {task.priority !== 'medium' && <Pill kind={PRIORITY_KINDS[task.priority]}>{labelOf('priority', task.priority)}</Pill>}
        <Pill>{labelOf('task_type', task.task_type)}</Pill>
        {task.labels.slice(0, 3).map((label) => (
          <span key={label} title={label} className="min-w-0 max-w-full">
            <Pill>{label}</Pill>
          </span>
        ))}
        {task.labels.length > 3 && (
          <span title={task.labels.slice(3).join(', ')} className="text-xs text-soft">
            +{task.labels.length - 3}
          </span>
        )}
      </div>
      <div className="flex items-center justify-between gap-2 text-xs text-soft">
        <span className="flex min-w-0 items-center gap-1">
          {who && <Icon name={who.startsWith('user:') ? 'person' : 'tool'} className="size-3.5" />}
          <span className="truncate" title={who && nameOf(who)}>
            {who && nameOf(who)}
          </span>
        </span>
        <select
          aria-label={`State of task ${task.id}`}
          value={task.state}
          disabled={fixed}
          onChange={(event) => onMove(task, event.target.value as TaskState)}
          className="field-sizing-content h-6 rounded border border-transparent bg-transparent text-xs hover:border-line"
        >
          {TASK_STATES.map((state) => (
            <option key={state} value={state} className="bg-raised text-ink">
              {labelOf('task_state', state)}
            </option>
          ))}
        </select>
      </div>
    </li>
  )
}
