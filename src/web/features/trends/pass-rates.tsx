import { Link } from '@tanstack/react-router'
import { ChartFigure } from '../../ui/chart-figure.tsx'
import { countOf } from '../../ui/text/count.ts'
import { None, type Part, passedOf } from './figure-parts.tsx'

const rateOf = (passed: number, failed: number) => Math.floor((100 * passed) / (passed + failed))

/** The pass rate of the busiest jobs. */
export function PassRates({ data, days, projectId }: Part) {
  const { builds, jobs } = data
  const passed = passedOf(data)
  const failed = builds.reduce((sum, day) => sum + day.failed, 0)
  return (
    <ChartFigure
      title="Pass rate"
      summary={
        passed + failed > 0
          ? `${rateOf(passed, failed)} % of ${countOf(passed + failed, 'finished build')} passed.`
          : `No builds finished in the last ${days} days.`
      }
    >
      {jobs.length ? (
        <ul className="grid gap-2 text-xs">
          {jobs.map((job) => {
            const rate = rateOf(job.passed, job.failed)
            return (
              <li key={job.name} className="grid grid-cols-[9rem_1fr_3rem] items-center gap-2">
                <Link
                  to="/projects/$projectId/builds"
                  params={{ projectId }}
                  search={{ job: job.name } as never}
                  title={`${job.name}: ${job.passed} passed, ${job.failed} failed`}
                  className="truncate hover:underline"
                >
                  {job.name || 'Unnamed job'}
                </Link>
                <span aria-hidden="true" className="h-3 overflow-hidden rounded-sm bg-err-wash">
                  <span className="block h-full bg-ok" style={{ width: `${rate}%` }} />
                </span>
                <span className="text-right tabular-nums">{rate} %</span>
              </li>
            )
          })}
        </ul>
      ) : (
        <None>Connect your CI to see how often each job passes.</None>
      )}
    </ChartFigure>
  )
}
