import { Link } from '@tanstack/react-router'
import type { BreakageDetail } from '../../../contract/health-shapes.ts'
import { buildPage } from '../../record-pages.ts'
import { Section } from '../../ui/page.tsx'
import { agoOf } from '../../ui/text/time.tsx'

type Build = BreakageDetail['builds'][number]

/** A job with the platform that its build was reported for. */
const jobOf = ({ ci_job_name, platform }: Build) => `${ci_job_name || 'Unnamed job'}${platform === null ? '' : ` (${platform})`}`

/** The affected builds, a row for each job, newest first. */
export function BreakageBuilds({ projectId, builds, count }: { projectId: string; builds: readonly Build[]; count: number }) {
  const jobs = [...new Set(builds.map(jobOf))]
  const byJob = jobs.map((job) => [job, builds.filter((build) => jobOf(build) === job)] as const)
  return (
    <Section title="Affected jobs and builds">
      <dl className="grid gap-3 text-sm">
        {byJob.map(([job, hit]) => (
          <div key={job} className="grid grid-cols-1 gap-1 sm:grid-cols-[minmax(8rem,14rem)_minmax(0,1fr)] sm:gap-4">
            <dt className="wrap-anywhere font-medium">
              <bdi>{job}</bdi> <span className="font-normal text-soft">{hit.length}</span>
            </dt>
            <dd>
              <ul className="flex flex-wrap gap-1.5">
                {hit.map((build) => (
                  <li key={build.id}>
                    <BuildChip projectId={projectId} build={build} />
                  </li>
                ))}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
      {count > builds.length && (
        <p className="text-xs text-soft">
          Showing the newest {builds.length} of {count}.
        </p>
      )}
    </Section>
  )
}

function BuildChip({ projectId, build }: { projectId: string; build: Build }) {
  const { id, build_number, branch, commit_hash, changelist, downstream, created_at } = build
  const change = changelist ? `CL ${changelist}` : commit_hash.slice(0, 8)
  const about = [change, branch, downstream && 'failed because another job failed', agoOf(created_at)].filter(Boolean).join(', ')
  return (
    <Link
      {...buildPage(projectId, id)}
      title={about}
      className={`inline-flex gap-1.5 rounded-md border px-2 py-0.5 text-xs hover:brightness-95 ${downstream ? 'border-line bg-hover' : 'border-err bg-err-wash'}`}
    >
      <span className="tabular-nums">#{build_number || id}</span>
      <span className="font-mono text-soft">{change}</span>
    </Link>
  )
}
