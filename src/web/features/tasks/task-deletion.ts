import { useQueryClient } from '@tanstack/react-query'
import { ask, wordsOf as failureOf } from '../../api.ts'
import { refresh } from '../../queries.ts'
import { countOf } from '../../ui/text/count.ts'
import { useToast } from '../../ui/toast.tsx'

function useAttempt(projectId: string) {
  const client = useQueryClient()
  const say = useToast()
  return async (name: 'deleteTasks' | 'restoreTasks', ids: number[], done: (what: string) => void) => {
    try {
      await ask(name, { project_id: projectId, body: { ids } })
      done(ids.length === 1 ? `Task #${ids[0]}` : countOf(ids.length, 'task'))
      void refresh(client, ['listTasks', 'searchTasks', 'countTasks', 'showOverview', 'showTask', 'listTaskHistory'], ids)
      return true
    } catch (error) {
      say(`Couldn’t save: ${failureOf(error)}`, 'err')
      return false
    }
  }
}

export function useTaskRestoring(projectId: string): (ids: number[]) => Promise<boolean> {
  const say = useToast()
  const attempt = useAttempt(projectId)
  return (ids) => attempt('restoreTasks', ids, (what) => say(`${what} restored`))
}

/** Deletes tasks without confirmation, because it can be undone; returns whether they are deleted. */
export function useTaskDeletion(projectId: string): (ids: number[]) => Promise<boolean> {
  const say = useToast()
  const attempt = useAttempt(projectId)
  const restore = useTaskRestoring(projectId)
  return (ids) => attempt('deleteTasks', ids, (what) => say(`${what} deleted`, 'ok', () => void restore(ids)))
}
