import { Link, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Failed } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Waiting } from '../parts/pages.tsx'
import { TaskFields } from '../parts/task-fields.tsx'
import { TaskLinks } from '../parts/task-links.tsx'
import { TaskWords } from '../parts/task-words.tsx'
import { useApi } from '../queries.ts'
import { useAccount } from '../session.ts'

/** How often a task on the page is looked at: edits of its text are no events, and two people may be at it. */
const EVERY_MS = 15_000

export default function Task() {
  const { projectId = '', taskId = '' } = useParams({ strict: false })
  const fixed = useAccount()?.read_only != null
  const { data, error, refetch } = useApi('showTask', { project_id: projectId, id: taskId }, { every: EVERY_MS })
  const task = data && String(data.id) === taskId ? data : undefined
  const title = task?.title
  useEffect(() => {
    if (title) document.title = `${title} · Goldmaster`
  }, [title])
  if (!task) return <Page title="Task">{error ? <Failed error={error} retry={() => void refetch()} /> : <Waiting />}</Page>
  return (
    <div className="mx-auto grid w-full max-w-6xl content-start gap-4 px-4 py-5 md:px-8">
      <h1 className="sr-only">{task.title}</h1>
      <nav aria-label="Where this is" className="text-sm text-soft">
        <Link to="/projects/$projectId/tasks" params={{ projectId }} className="hover:underline">
          Tasks
        </Link>{' '}
        / #{task.id}
      </nav>
      <div key={task.id} className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_19rem]">
        <div className="grid min-w-0 content-start gap-4">
          <TaskWords task={task} field="title" fixed={fixed} />
          <TaskWords task={task} field="description" fixed={fixed} />
          <TaskLinks task={task} projectId={projectId} />
        </div>
        <TaskFields task={task} fixed={fixed} />
      </div>
    </div>
  )
}
