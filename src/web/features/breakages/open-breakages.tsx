import { Link } from '@tanstack/react-router'
import { useApi } from '../../queries.ts'
import { BreakageRows } from './breakage-row.tsx'

const SHOWN = 5

export const useOpenBreakages = (projectId: string) =>
  useApi('listBreakages', { project_id: projectId, query: { state: 'open,claimed', limit: SHOWN, suspects: true } })

/** The open breakages, for the top of a project's overview; renders nothing if there are none. */
export function OpenBreakages({ projectId }: { projectId: string }) {
  const { data } = useOpenBreakages(projectId)
  if (!data || data.breakages.length === 0) return null
  return (
    <section className="grid grid-cols-1 gap-2">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <h2 className="font-semibold">Open breakages</h2>
        <Link to="/projects/$projectId/breakages" params={{ projectId }} className="text-sm text-soft hover:underline">
          {data.pagination.has_more ? 'All breakages' : 'Breakages'}
        </Link>
      </div>
      <BreakageRows projectId={projectId} breakages={data.breakages} />
    </section>
  )
}
