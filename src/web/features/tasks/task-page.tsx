import { useParams } from '@tanstack/react-router'
import { ApiError } from '../../api.ts'
import { useApi } from '../../queries.ts'
import { useLocked } from '../../session.ts'
import { useTitle } from '../../title.ts'
import { Loading } from '../../ui/infinite-list.tsx'
import { Failed } from '../../ui/notice.tsx'
import { Page, WayUp } from '../../ui/page.tsx'
import { Comments } from '../comments/comments.tsx'
import { useComments } from '../comments/queries.ts'
import { RecordHistory, useHistory } from '../history/record-history.tsx'
import { useCandidates } from './assignee.tsx'
import { DeletedTask } from './deleted-task.tsx'
import { TaskFields } from './task-fields.tsx'
import { TaskLinks, useTaskReferences } from './task-links.tsx'
import { TaskWords } from './task-words.tsx'

export default function Task() {
  const { projectId = '', taskId = '' } = useParams({ strict: false })
  const fixed = useLocked() !== undefined
  const { data, error, refetch } = useApi('showTask', { project_id: projectId, id: taskId })
  // Loaded with the task, shown around it.
  useTaskReferences(projectId, taskId)
  useCandidates(projectId)
  const commented = { subject: 'task', projectId, id: taskId } as const
  useComments(commented)
  useHistory(commented)
  const task = data && String(data.id) === taskId ? data : undefined
  const up = ['Tasks', `/projects/${projectId}/tasks`] as const
  useTitle(task?.title ?? 'Task')
  if (!task) {
    const failed = error && <Failed error={error} retry={() => void refetch()} />
    const isGone = error instanceof ApiError && error.status === 404
    return (
      <Page title="Task" up={up}>
        {isGone ? <DeletedTask projectId={projectId} taskId={taskId} otherwise={failed} /> : (failed ?? <Loading />)}
      </Page>
    )
  }
  return (
    <div className="mx-auto grid w-full max-w-6xl grid-cols-1 content-start gap-4 px-4 py-5 md:px-8">
      <h1 className="sr-only">{task.title}</h1>
      <WayUp to={up[1]} here={`#${task.id}`}>
        {up[0]}
      </WayUp>
      <div key={task.id} className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_19rem]">
        <div className="grid min-w-0 content-start gap-4">
          <TaskWords task={task} field="title" fixed={fixed} />
          <TaskWords task={task} field="description" fixed={fixed} />
          <TaskLinks task={task} projectId={projectId} />
          <RecordHistory {...commented} />
          <Comments {...commented} />
        </div>
        <TaskFields task={task} fixed={fixed} />
      </div>
    </div>
  )
}
