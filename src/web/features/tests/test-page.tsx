import { Link, useParams } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf, lowered } from '../../../contract/labels.ts'
import { useApi } from '../../queries.ts'
import { DefinitionCard } from '../../ui/definition-list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'
import { Owners } from './owners.tsx'
import { QuarantineButton, QuarantineNotice } from './quarantine.tsx'
import { secondsOf, titleOf } from './test-name.tsx'

type History = AppReply<'showTest'>
type Run = History['runs'][number]

/** One test: a square for each of its last runs by branch, and its last failures. */
export default function Test() {
  const { projectId = '', testId = '' } = useParams({ strict: false })
  const query = useApi('showTest', { project_id: projectId, id: testId })
  return (
    <Page
      title={query.data ? titleOf(query.data) : 'Test'}
      up={['Tests', `/projects/${projectId}/tests`]}
      actions={query.data && <QuarantineButton projectId={projectId} test={query.data} />}
    >
      <Loaded query={query}>{(test) => <Shown projectId={projectId} test={test} />}</Loaded>
    </Page>
  )
}

function Shown({ projectId, test }: { projectId: string; test: History }) {
  const branches = [...new Set(test.runs.map(({ branch }) => branch))]
  const byBranch = branches.map((branch) => [branch, test.runs.filter((run) => run.branch === branch)] as const)
  const newest = test.runs[0]
  return (
    <>
      <QuarantineNotice quarantine={test.quarantine} />
      <DefinitionCard
        items={[
          ['Job', test.ci_job_name],
          ['Suite', test.suite],
          ['Report', test.report],
          ['Platform', test.platform],
          ['RHI', test.rhi],
          ['Owner', test.owners.length > 0 && <Owners key="owner" owners={test.owners} />],
          ['Last duration', newest?.duration_ms != null && secondsOf(newest.duration_ms)],
        ]}
      />
      <Section title="Last runs">
        <p className="text-sm text-soft">
          {byBranch.length === 0 ? 'No runs are stored. Runs are kept for 90 days.' : 'The newest run is on the right.'}
        </p>
        {byBranch.map(([branch, runs]) => (
          <div key={branch} className="grid gap-1">
            <h3 className="flex flex-wrap items-center gap-2 text-sm font-medium">
              <bdi>{branch || 'Unknown branch'}</bdi>
              <BranchState projectId={projectId} state={test.branches.find((each) => each.branch === branch)} />
            </h3>
            <ol aria-label={`Runs on ${branch || 'an unknown branch'}, newest last`} className="flex flex-wrap gap-1">
              {runs.toReversed().map((run) => (
                <li key={run.build_run_id}>
                  <Link
                    to="/projects/$projectId/builds/$buildId"
                    params={{ projectId, buildId: run.build_run_id }}
                    title={runLabel(run)}
                    aria-label={runLabel(run)}
                    className={`block size-3 rounded-sm border outline-offset-1 sm:size-4 ${LOOKS[run.outcome]}`}
                  />
                </li>
              ))}
            </ol>
          </div>
        ))}
      </Section>
      <Section title="Last failures">
        {test.failures.length === 0 && <p className="text-sm text-soft">This test has not failed.</p>}
        <ul className="grid gap-3 text-sm">
          {test.failures.map((failure) => (
            <li key={`${failure.build_run_id} ${failure.failed_at}`} className="grid min-w-0 gap-1">
              <span className="flex flex-wrap items-baseline gap-x-2">
                <FailedBuild projectId={projectId} failure={failure} />
                <span className="text-soft">
                  <Time at={failure.failed_at} />
                </span>
              </span>
              <span className="wrap-anywhere">{failure.message}</span>
              <Text title="Details" text={failure.details} />
              <Text title="Output" text={failure.output} />
            </li>
          ))}
        </ul>
      </Section>
    </>
  )
}

/** Since when the test fails on a branch, with the changes that may have broken it. */
function BranchState({ projectId, state }: { projectId: string; state: History['branches'][number] | undefined }) {
  if (state?.flaky) return <Pill kind="warn">Flaky</Pill>
  if (!state?.failing) return null
  const { last_good_change, first_bad_change, changes_in_range } = state
  const change = (shown: NonNullable<typeof first_bad_change>) => (
    <Link to="/projects/$projectId/changes/$changeId" params={{ projectId, changeId: String(shown.id) }} className="underline">
      {shown.display_identifier}
    </Link>
  )
  return (
    <>
      <Pill kind="err">Failing</Pill>
      {first_bad_change && (
        <span className="font-normal text-soft">
          {last_good_change === null ? (
            <>in every run from {change(first_bad_change)} on</>
          ) : changes_in_range === 1 ? (
            <>since {change(first_bad_change)}</>
          ) : (
            <>
              broke after {change(last_good_change)}, up to {change(first_bad_change)}
              {changes_in_range !== null && ` (${changes_in_range} changes)`}
            </>
          )}
        </span>
      )}
    </>
  )
}

const FailedBuild = ({
  projectId,
  failure: { build_run_id, build_number },
}: {
  projectId: string
  failure: History['failures'][number]
}) =>
  build_run_id === null ? (
    <span>#{build_number}</span>
  ) : (
    <Link
      to="/projects/$projectId/builds/$buildId"
      params={{ projectId, buildId: build_run_id }}
      className="font-medium underline"
    >
      #{build_number}
    </Link>
  )

const Text = ({ title, text }: { title: string; text: string }) =>
  text === '' ? null : (
    <details>
      <summary className="cursor-pointer text-soft">{title}</summary>
      <pre className="mt-1 max-h-80 overflow-auto rounded-md border border-line bg-hover p-2 font-mono text-xs">{text}</pre>
    </details>
  )

/** A failed run is filled, a passed one is not: distinguishable without color. */
const LOOKS: Record<Run['outcome'], string> = {
  passed: 'border-ok bg-ok-wash',
  failed: 'border-err bg-err',
  error: 'border-err bg-err',
  flaky: 'border-warn bg-warn',
  skipped: 'border-line bg-hover',
}

const runLabel = ({ build_number, changelist, commit_hash, outcome, duration_ms }: Run) =>
  [
    `#${build_number}`,
    lowered(labelOf('test_outcome', outcome)),
    changelist ? `CL ${changelist}` : commit_hash.slice(0, 8),
    duration_ms !== null && secondsOf(duration_ms),
  ]
    .filter(Boolean)
    .join(', ')
