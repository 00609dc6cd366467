import { Link } from '@tanstack/react-router'
import { useApi } from '../../queries.ts'
import { buildPage } from '../../record-pages.ts'
import { BuildStatus } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'

interface Props {
  projectId: string
  /** The known fields of a build; its number and time are loaded if they are missing. */
  build: { id: string | number; status: string; ci_job_name: string; build_number?: string; created_at?: string }
}

function useOwn({ projectId, build: { id, build_number, created_at } }: Props) {
  const told = build_number !== undefined && created_at !== undefined
  const { data } = useApi('showBuild', { project_id: projectId, build_run_id: String(id) }, { enabled: !told })
  return told ? { build_number, created_at } : data?.id === String(id) ? data : undefined
}

/** A link to a build: one job has many, so the number is never cut off. */
export function BuildLink(props: Props) {
  const { id, ci_job_name } = props.build
  const number = useOwn(props)?.build_number || (ci_job_name ? '' : id)
  const name = ci_job_name || 'Build'
  return (
    <Link
      {...buildPage(props.projectId, id)}
      title={number ? `${name} #${number}` : name}
      className="inline-flex min-w-0 max-w-full gap-1 hover:underline"
    >
      <bdi className="truncate">{name}</bdi> {number && <span className="shrink-0 text-soft">#{number}</span>}
    </Link>
  )
}

/** The same as a list entry: its result, and when it was queued. */
export function BuildLine(props: Props) {
  const own = useOwn(props)
  return (
    <>
      <BuildLink {...props} />
      <BuildStatus value={props.build.status} />
      {own && (
        <span className="ml-auto text-xs text-soft">
          <Time at={own.created_at} />
        </span>
      )}
    </>
  )
}
