import type { ReactNode } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { useApi } from '../../queries.ts'
import { Section } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { GateQuestion } from './gate-question.tsx'
import { Owners } from './owners.tsx'
import { percent, placeOf, secondsOf, TestLink } from './test-name.tsx'

type Tests = AppReply<'listBuildTests'>

/** Failures that are listed at once; the groups above count all of them. */
const LISTED = 50

/** The test results of a build; renders nothing if it has none. */
export function BuildTests({ projectId, buildId }: { projectId: string; buildId: string }) {
  const { data } = useApi('listBuildTests', { project_id: projectId, build_run_id: buildId })
  if (!data || (data.reports.length === 0 && data.failures.length === 0)) return null
  const failing = data.failures.filter(({ outcome }) => outcome !== 'flaky')
  const flaky = data.failures.filter(({ outcome }) => outcome === 'flaky')
  const ofState = (state: Tests['failures'][number]['state']) => failing.filter((failure) => failure.state === state)
  return (
    <Section title="Tests" actions={<Counts tests={data} />}>
      <GateQuestion projectId={projectId} />
      {data.tests === 0 && data.failures.length === 0 && (
        <p className="text-sm text-soft">The reports of this build contain no tests.</p>
      )}
      {data.causes.length > 0 && data.causes.length < failing.length && <Causes causes={data.causes} />}
      <Failures projectId={projectId} title="New failures" failures={ofState('new')} />
      <Failures projectId={projectId} title="Still failing" failures={ofState('still_failing')} />
      <Failures projectId={projectId} title="First run" failures={ofState('first_run')} />
      <Failures projectId={projectId} title="Failures" failures={ofState('unknown')} />
      <Failures projectId={projectId} title="Flaky" failures={flaky} />
      <Cases title="Fixed" cases={data.fixed}>
        {(test) => <TestLink projectId={projectId} test={test} />}
      </Cases>
      <Cases title="Slower than before" cases={data.slower}>
        {(test) => (
          <>
            <TestLink projectId={projectId} test={test} />
            <span className="whitespace-nowrap text-soft tabular-nums">
              {secondsOf(test.previous_ms ?? 0)} → {secondsOf(test.duration_ms)}
            </span>
          </>
        )}
      </Cases>
    </Section>
  )
}

const Counts = ({ tests: { passed, failed, errors, skipped, flaky, quarantined, duration_ms } }: { tests: Tests }) => (
  <span className="flex flex-wrap gap-2">
    {failed + errors > 0 && <Pill kind="err">{`${failed + errors} failed`}</Pill>}
    {quarantined > 0 && <Pill>{`${quarantined} in quarantine`}</Pill>}
    {flaky > 0 && <Pill kind="warn">{`${flaky} flaky`}</Pill>}
    {passed > 0 && <Pill kind="ok">{`${passed} passed`}</Pill>}
    {skipped > 0 && <Pill>{`${skipped} skipped`}</Pill>}
    <span className="text-sm text-soft tabular-nums">{secondsOf(duration_ms)}</span>
  </span>
)

const Causes = ({ causes }: { causes: Tests['causes'] }) => (
  <div className="grid gap-1">
    <h3 className="text-sm font-medium">By cause</h3>
    <ul className="grid gap-1 text-sm">
      {causes.slice(0, 10).map(({ cause, place, tests }) => (
        <li key={`${cause} ${place}`} className="flex justify-between gap-3">
          <span className="wrap-anywhere min-w-0">
            {cause || 'No message'}
            {place && <span className="text-soft"> in {place}</span>}
          </span>
          <span className="whitespace-nowrap text-soft tabular-nums">{tests === 1 ? '1 test' : `${tests} tests`}</span>
        </li>
      ))}
    </ul>
  </div>
)

function Failures({ projectId, title, failures }: { projectId: string; title: string; failures: Tests['failures'] }) {
  return (
    <Cases title={title} cases={failures}>
      {(failure) => (
        <span className="grid min-w-0 gap-px">
          <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
            <TestLink projectId={projectId} test={failure} />
            <span className="text-xs text-soft">{placeOf(failure)}</span>
            {failure.owners.length > 0 && (
              <span className="text-xs text-soft">
                Owner: <Owners owners={failure.owners} />
              </span>
            )}
            {failure.quarantined && <Pill>Quarantined</Pill>}
            {failure.flaky && failure.outcome !== 'flaky' && (
              <Pill kind="warn">{`Known as flaky${rateOf(failure.flaky_runs)}`}</Pill>
            )}
          </span>
          <span className="wrap-anywhere text-soft">{failure.message}</span>
          {failure.file && (
            <span className="wrap-anywhere font-mono text-xs text-soft">
              {failure.file}
              {failure.line !== null && `:${failure.line}`}
            </span>
          )}
        </span>
      )}
    </Cases>
  )
}

const rateOf = (runs: Tests['failures'][number]['flaky_runs']) =>
  runs === null ? '' : ` (${percent(runs.flaky, runs.of)} of ${runs.of} runs)`

interface CasesProps<Case> {
  title: string
  cases: readonly Case[]
  children(test: Case): ReactNode
}

const Cases = <Case extends { id: string }>({ title, cases, children }: CasesProps<Case>) =>
  cases.length === 0 ? null : (
    <div className="grid gap-1">
      <h3 className="text-sm font-medium">
        {title} <span className="text-soft tabular-nums">{cases.length}</span>
      </h3>
      <ul aria-label={title} className="grid gap-2 text-sm">
        {cases.slice(0, LISTED).map((test) => (
          <li key={test.id} className="flex min-w-0 justify-between gap-3">
            {children(test)}
          </li>
        ))}
      </ul>
      {cases.length > LISTED && <p className="text-xs text-soft">{cases.length - LISTED} more</p>}
    </div>
  )
