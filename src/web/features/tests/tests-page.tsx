import { useParams } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { useFilters } from '../../filters.ts'
import { useApi } from '../../queries.ts'
import { useNames } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/text/time.tsx'
import { Owners } from './owners.tsx'
import { percent, placeOf, secondsOf, TestLink } from './test-name.tsx'

type Tests = AppReply<'listTests'>
type Case = Tests['slowest'][number]

/** The tests that need attention: those that fail most, flicker, or take longest. */
export default function ProjectTests() {
  const { projectId = '' } = useParams({ strict: false })
  const [{ job }] = useFilters('job')
  const names = useNames()
  const query = useApi('listTests', { project_id: projectId, query: { job: job || undefined } })
  return (
    <Page title="Tests">
      <Loaded query={query}>
        {({ failing, flaky, slowest, quarantined }) =>
          failing.length + flaky.length + slowest.length + quarantined.length === 0 ? (
            <Empty title="No tests yet">
              Send the reports of your test runs with “goldmaster tests upload” or “goldmaster run --tests”. You see here which
              tests fail, which are flaky, and which take longest.
            </Empty>
          ) : (
            <>
              <Part
                title="Failing most in the last 30 days"
                rows={failing}
                empty="No test failed in the last 30 days."
                columns={[
                  ...named<Tests['failing'][number]>(projectId),
                  { head: 'Owner', cell: ({ owners }) => <Owners owners={owners} />, wide: true },
                  { head: 'Failures', cell: ({ failures }) => failures, className: 'tabular-nums' },
                  { head: 'Last failure', cell: ({ last_failed_at }) => <Time at={last_failed_at} />, wide: true },
                ]}
              />
              <Part
                title="Flaky in the last 30 days"
                note="Failed and passed at the same change, or recovered three times without a change to its files."
                rows={flaky}
                empty="No test is flaky."
                columns={[
                  ...named<Tests['flaky'][number]>(projectId),
                  { head: 'Owner', cell: ({ owners }) => <Owners owners={owners} />, wide: true },
                  {
                    head: 'Rate',
                    cell: ({ flaky_runs, runs }) => `${percent(flaky_runs, runs)} (${flaky_runs} of ${runs})`,
                    className: 'tabular-nums whitespace-nowrap',
                  },
                  { head: 'Last failure', cell: ({ last_failed_at }) => <Time at={last_failed_at} />, wide: true },
                ]}
              />
              {quarantined.length > 0 && (
                <Part
                  title="In quarantine"
                  note="Their failures open no breakage and notify nobody."
                  rows={quarantined}
                  empty=""
                  columns={[
                    ...named<Tests['quarantined'][number]>(projectId),
                    { head: 'Reason', cell: ({ quarantine }) => quarantine.reason, wide: true, className: 'min-w-48' },
                    { head: 'Owner', cell: ({ quarantine }) => names(quarantine.owner_user_id), wide: true },
                    { head: 'Failures', cell: ({ failures }) => failures, className: 'tabular-nums' },
                    { head: 'Ends', cell: ({ quarantine }) => <Time at={quarantine.until} /> },
                  ]}
                />
              )}
              <Part
                title="Slowest in the newest run"
                rows={slowest}
                empty="The reports contain no durations."
                columns={[
                  ...named<Case>(projectId),
                  {
                    head: 'Duration',
                    cell: ({ duration_ms }) => secondsOf(duration_ms),
                    className: 'tabular-nums whitespace-nowrap',
                  },
                ]}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

const named = <Row extends Omit<Case, 'duration_ms'>>(projectId: string): Column<Row>[] => [
  { head: 'Test', cell: (test) => <TestLink projectId={projectId} test={test} />, className: 'w-full' },
  {
    head: 'Job',
    cell: (test) => [test.ci_job_name, placeOf(test)].filter(Boolean).join(', '),
    wide: true,
    className: 'min-w-56 text-soft',
  },
]

interface PartProps<Row> {
  title: string
  note?: string
  empty: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
}

const Part = <Row extends { id: string }>({ title, note, empty, rows, columns }: PartProps<Row>) => (
  <section className="grid gap-2">
    <h2 className="font-semibold">{title}</h2>
    {note && <p className="text-sm text-soft">{note}</p>}
    {rows.length === 0 ? (
      <p className="text-sm text-soft">{empty}</p>
    ) : (
      <Table caption={title} rows={rows} columns={columns} keyOf={({ id }) => id} />
    )}
  </section>
)
