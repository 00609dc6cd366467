import { Link } from '@tanstack/react-router'
import { useApi } from '../../queries.ts'
import { buildPage } from '../../record-pages.ts'
import { BuildStatus, wordsOf } from '../../ui/pill.tsx'
import { Elapsed } from '../../ui/text/time.tsx'

/** The running builds; renders nothing if there are none. */
export function RunningBuilds({ accountId, project }: { accountId: number; project: string }) {
  const { data } = useApi('listRunningBuilds', { account_id: accountId }, { enabled: accountId > 0 })
  const builds = data?.build_runs.filter(({ project_id }) => project === '' || String(project_id) === project) ?? []
  if (builds.length === 0) return null
  return (
    <section aria-label="Running now" className="grid grid-cols-1 gap-2">
      <h2 className="text-xs font-medium text-soft">Running now</h2>
      <ul className="grid grid-cols-1 overflow-hidden rounded-lg border border-line bg-panel">
        {builds.map(({ id, project_id, project_name, status, ci_job_name, build_number, branch, phase, started_at }) => (
          <li
            key={id}
            className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-line px-3 py-2 text-sm last:border-0 hover:bg-hover/60"
          >
            <BuildStatus value={status} />
            <Link {...buildPage(project_id, id)} className="wrap-anywhere min-w-0 flex-1 basis-40 hover:underline">
              <bdi>{ci_job_name || 'Build'}</bdi> {build_number && `#${build_number}`}
            </Link>
            <span className="min-w-0 wrap-anywhere text-xs text-soft">
              {[project_name, branch, phase && wordsOf(phase)].filter(Boolean).join(' · ')}
              {started_at && (
                <>
                  {' · '}
                  <Elapsed since={started_at} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
