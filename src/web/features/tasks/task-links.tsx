import { Link } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { storeLabel } from '../../../contract/spellings/stores.ts'
import { useApi } from '../../queries.ts'
import { changePage, deploymentPage } from '../../record-pages.ts'
import { Icon } from '../../ui/icon.tsx'
import { Section } from '../../ui/page.tsx'
import { Status } from '../../ui/pill.tsx'
import { BuildLine } from '../builds/build-line.tsx'
import { TaskReference } from './task-reference.tsx'

/** Trackers update their items without an event of ours. */
const EVERY_MS = 60_000

export const useTaskReferences = (projectId: string, taskId: string) =>
  useApi('listTaskReferences', { project_id: projectId, id: taskId }, { every: EVERY_MS })

/** The linked records of a task: the changes that name it, their builds, their deployments, and the tracker items it names. */
export function TaskLinks({ task, projectId }: { task: AppReply<'showTask'>; projectId: string }) {
  const { changes, build_runs, deployments } = task.links
  const { data } = useTaskReferences(projectId, String(task.id))
  const references = data?.references ?? []
  const none = changes.length + build_runs.length + deployments.length + references.length === 0
  return (
    <Section title="Links">
      {none && (
        <p className="text-sm text-soft">
          No links yet. To link a change with its builds and deployments, write{' '}
          <code className="font-mono text-xs">#{task.id}</code> or <code className="font-mono text-xs">GM-{task.id}</code> in the
          commit or changelist description. To link an issue of a connected tracker, write its key in this task.
        </p>
      )}
      <ul className="grid min-w-0 grid-cols-1 gap-1.5 text-sm empty:hidden">
        {references.map((reference) => (
          <TaskReference key={`reference ${reference.id}`} reference={reference} />
        ))}
        {changes.map(({ id, display_identifier, description }) => (
          <li key={`change ${id}`} className="flex items-center gap-2">
            <Icon name="change" className="text-soft" />
            <Link {...changePage(projectId, id)} title={subjectOf(description)} className="min-w-0 truncate hover:underline">
              <code className="mr-2 font-mono text-xs text-soft">{display_identifier}</code>
              {subjectOf(description)}
            </Link>
          </li>
        ))}
        {build_runs.map((build) => (
          <li key={`build ${build.id}`} className="flex items-center gap-2">
            <Icon name="build" className="shrink-0 text-soft" />
            <BuildLine projectId={projectId} build={build} />
          </li>
        ))}
        {deployments.map(({ id, status, platform, branch }) => (
          <li key={`deployment ${id}`} className="flex items-center gap-2">
            <Icon name="deployment" className="text-soft" />
            <Link {...deploymentPage(projectId, id)} className="min-w-0 truncate hover:underline">
              {storeLabel(platform)} {branch}
            </Link>
            <Status of="deployment_status" value={status} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

const subjectOf = (description: string) => description.split('\n', 1)[0]
