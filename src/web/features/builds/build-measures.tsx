import { Link } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { differenceWords, measureWords } from '../../../contract/labels/measure-words.ts'
import { useApi } from '../../queries.ts'
import { buildPage } from '../../record-pages.ts'

type Build = AppReply<'showBuild'>
type Trend = AppReply<'showBuildMeasures'>['measures'][number]

/** The numbers of a build, from its reports and its log, compared with the earlier passed builds of its job and branch. */
export function BuildMeasures({ build }: { build: Build }) {
  const { data } = useApi('showBuildMeasures', { project_id: build.project_id, build_run_id: build.id })
  const measures: (NonNullable<Build['measures']>[number] & Partial<Trend>)[] = data?.measures ?? build.measures ?? []
  return (
    <ul className="grid gap-1 text-sm sm:grid-cols-2 sm:gap-x-8">
      {measures.map((measure) => (
        <li key={`${measure.name} ${measure.platform}`} className="flex justify-between gap-3">
          <span className="min-w-0 wrap-anywhere">
            {measure.name}
            {measure.platform && <span className="text-soft"> · {measure.platform}</span>}
          </span>
          <span className="text-right tabular-nums">
            <span className="whitespace-nowrap">{measureWords(measure)}</span>
            {data && <Difference projectId={String(build.project_id)} trend={measure as Trend} />}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** A jump within the last builds, or else the difference from the usual value. */
function Difference({ projectId, trend: { value, usual, jumps, values } }: { projectId: string; trend: Trend }) {
  const jump = jumps.at(-1)
  const first = values.find(({ build_run_id }) => build_run_id === jump?.first_build_run_id)
  if (!jump || !first) return usual === null ? null : <span className="text-soft"> {differenceWords(value, usual)}</span>
  return (
    <span className="block text-xs text-soft">
      {differenceWords(jump.after, jump.before)} since{' '}
      <Link {...buildPage(projectId, first.build_run_id)} className="underline">
        #{first.build_number || first.build_run_id}
      </Link>
    </span>
  )
}
