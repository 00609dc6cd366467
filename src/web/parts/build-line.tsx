import { Link } from '@tanstack/react-router'
import { useApi } from '../queries.ts'
import { Status } from './pill.tsx'
import { Time } from './time.tsx'

interface Props {
  projectId: string
  /** What others know of a build; its number and its time are its own to tell. */
  build: { id: string | number; status: string; ci_job_name: string }
}

/** A build that stands in a list of something else: one job has many, so the number and the time tell them apart. */
export function BuildLine({ projectId, build: { id, status, ci_job_name } }: Props) {
  const { data } = useApi('showBuild', { project_id: projectId, build_run_id: String(id) })
  const own = data?.id === String(id) ? data : undefined
  const name = ci_job_name || 'Build'
  const number = own?.build_number || (ci_job_name ? '' : id)
  return (
    <>
      <Link
        to="/projects/$projectId/builds/$buildId"
        params={{ projectId, buildId: String(id) }}
        title={`${name} ${number && `#${number}`}`}
        className="min-w-0 truncate hover:underline"
      >
        <bdi>{name}</bdi> {number && <span className="text-soft">#{number}</span>}
      </Link>
      <Status value={status} />
      {own && (
        <span className="ml-auto text-xs text-soft">
          <Time at={own.created_at} />
        </span>
      )}
    </>
  )
}
