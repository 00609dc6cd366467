import type { AppReply } from '../../../contract/app/routes.ts'
import type { DeploymentStatus } from '../../../contract/sets.ts'
import { statusLabel } from '../../../contract/spellings/stores.ts'
import { useApi } from '../../queries.ts'
import { useNames } from '../../session.ts'
import { Section } from '../../ui/page.tsx'
import { Time } from '../../ui/text/time.tsx'

type Entry = AppReply<'listDeploymentHistory'>['history'][number]

/** The history of a deployment, newest first: reports of tools, and edits by people with their reasons. */
export function DeploymentHistory({ projectId, deployment }: { projectId: string; deployment: AppReply<'showDeployment'> }) {
  const { data } = useApi('listDeploymentHistory', { project_id: projectId, id: deployment.id })
  const nameOf = useNames()
  const wordsOf = ({ kind, user_id, before, after, build_run_id }: Entry): string => {
    const by = user_id === null ? '' : `${nameOf(user_id)}: `
    const label = (status: DeploymentStatus | null) => (status === null ? '' : statusLabel({ ...deployment, status }))
    if (kind === 'note') return `${by}note`
    if (kind === 'build') return `${by}${build_run_id === null ? 'build removed' : `build ${build_run_id} linked`}`
    return `${by}${before === null ? label(after) : `${label(before)} → ${label(after)}`}`
  }
  if (!data || data.history.length === 0) return null
  return (
    <Section title="History">
      <ol aria-label="History" className="grid grid-cols-1 gap-2 text-sm">
        {data.history.map((entry) => (
          <li key={entry.id} className="grid grid-cols-1 gap-0.5 border-l-2 border-line pl-3">
            <span className="flex flex-wrap items-baseline justify-between gap-x-3">
              <span className="wrap-anywhere min-w-0">{wordsOf(entry)}</span>
              <span className="text-xs text-soft">
                <Time at={entry.at} />
              </span>
            </span>
            {entry.note !== '' && <p className="wrap-anywhere whitespace-pre-wrap rounded-md bg-hover px-2 py-1">{entry.note}</p>}
          </li>
        ))}
      </ol>
    </Section>
  )
}
