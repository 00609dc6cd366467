import { useRef, useState } from 'react'
import { labelOf, lowered } from '../../../contract/labels.ts'
import type { TaskState } from '../../../contract/sets.ts'
import { wordsOf as failureOf } from '../../api.ts'
import { useWrite } from '../../queries.ts'

import { useToast } from '../../ui/toast.tsx'
import type { Task } from './task-card.tsx'

/** Moves tasks at once and informs the server afterwards; a refused move is reverted. */
export function useTaskMoves(projectId: string) {
  const [moved, setMoved] = useState<ReadonlyMap<number, Task>>(new Map())
  const [said, setSaid] = useState('')
  const latest = useRef(moved)
  const save = useWrite('editTask', ['listTasks', 'searchTasks', 'showTask', 'countTasks', 'showOverview'])
  const say = useToast()
  const put = (change: (map: Map<number, Task>) => void) => {
    const next = new Map(latest.current)
    change(next)
    latest.current = next
    setMoved(next)
  }
  const move = async (task: Task, state: TaskState) => {
    if (task.state === state) return
    const there = { ...task, state }
    put((map) => map.set(task.id, there))
    setSaid(`Task ${task.id} moved to ${lowered(labelOf('task_state', state))}`)
    // The card is rendered anew in its column; the focus stays with it.
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-card="${task.id}"]`)?.focus())
    try {
      await save.mutateAsync({ project_id: projectId, id: task.id, body: { task: { state } } })
    } catch (error) {
      say(`Couldn’t move task #${task.id}: ${failureOf(error)}`, 'err')
    }
    if (latest.current.get(task.id) === there) put((map) => map.delete(task.id))
  }
  return { moved, move, said }
}
