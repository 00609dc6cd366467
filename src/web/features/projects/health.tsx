import { Link } from '@tanstack/react-router'
import { useApi } from '../../queries.ts'
import { BranchMatrix, MainBranch } from '../branches/branch-matrix.tsx'

const SHOWN = 6

export const useBranches = (projectId: string) =>
  useApi('listBranches', { project_id: projectId, query: { main_first: true, limit: SHOWN } })

/** The branches that matter now with their jobs, the main one first; renders nothing before the first build of a branch. */
export function Health({ projectId }: { projectId: string }) {
  const { data } = useBranches(projectId)
  const main = data?.branches[0]
  if (!main) return null
  return (
    <section aria-label="Health" className="grid grid-cols-1 gap-2">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <MainBranch projectId={projectId} branch={main} />
        <Link to="/projects/$projectId/branches" params={{ projectId }} className="text-sm text-soft hover:underline">
          {data.pagination.has_more ? 'All branches' : 'Branches'}
        </Link>
      </div>
      <BranchMatrix projectId={projectId} branches={data.branches} />
    </section>
  )
}
