import type { ReactNode } from 'react'
import { useApi } from '../../queries.ts'
import { useLocked, useNames } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Time } from '../../ui/text/time.tsx'
import { useTaskRestoring } from './task-deletion.ts'

interface Props {
  projectId: string
  taskId: string
  /** Shown if it never existed. */
  otherwise: ReactNode
}

/** Who deleted a task, and how to restore it. */
export function DeletedTask({ projectId, taskId, otherwise }: Props) {
  const nameOf = useNames()
  const isLocked = useLocked() !== undefined
  const restore = useTaskRestoring(projectId)
  const { data } = useApi('listTaskHistory', { project_id: projectId, id: taskId })
  const deletion = data?.history[0]
  if (deletion?.kind !== 'deleted') return otherwise
  return (
    <Empty title="This task was deleted" action={!isLocked && <Button onClick={() => restore([Number(taskId)])}>Restore</Button>}>
      {deletion.user_id === null ? 'A former member' : nameOf(deletion.user_id)} deleted it, <Time at={deletion.at} />. You can
      restore it for 30 days.
    </Empty>
  )
}
