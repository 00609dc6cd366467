import { Link, useParams } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { costWords, minutesWords, moneyWords, redWords, uncountedWords } from '../../../contract/labels/cost-words.ts'
import type { BuildCost } from '../../../contract/routes/build-cost.ts'
import { useFilters } from '../../filters.ts'
import { useApi } from '../../queries.ts'
import { Empty } from '../../ui/empty.tsx'
import { Select } from '../../ui/form/field.tsx'
import { SearchField } from '../../ui/form/search-field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { dateOf } from '../../ui/text/dates.ts'

type Costs = AppReply<'showCosts'>
type Cause = Costs['by_cause'][number]

const SPANS = [
  ['7', 'Last 7 days'],
  ['', 'Last 30 days'],
  ['90', 'Last 90 days'],
] as const

/** What the builds of a project cost: minutes times the price of their agents. */
export default function CostsPage() {
  const { projectId = '' } = useParams({ strict: false })
  const [{ days, job, branch }, , fieldOf] = useFilters('days', 'job', 'branch')
  const query = useApi('showCosts', {
    project_id: projectId,
    query: { days: days ? Number(days) : undefined, job: job || undefined, branch: branch || undefined },
  })
  return (
    <Page title="Cost of builds" up={['Measures', `/projects/${projectId}/measures`]}>
      <div className="flex flex-wrap items-end gap-2">
        <Select label="Time" options={SPANS} {...fieldOf('days')} />
        <SearchField label="Job" placeholder="Job (exact)" {...fieldOf('job')} />
        <SearchField label="Branch" placeholder="Branch (exact)" {...fieldOf('branch')} />
      </div>
      <Loaded query={query}>
        {(costs) =>
          costs.total.builds === 0 ? (
            <Empty title="No finished builds">No build finished in this time.</Empty>
          ) : (
            <Shown projectId={projectId} costs={costs} />
          )
        }
      </Loaded>
    </Page>
  )
}

function Shown({
  projectId,
  costs: { since, currency, total, failed, by_job, by_branch, by_cause },
}: {
  projectId: string
  costs: Costs
}) {
  const numbers = numbersOf(currency)
  return (
    <>
      {currency === null && (
        <Notice>
          No prices. Enter what an hour of an agent costs in the{' '}
          <Link to="/projects/$projectId/settings" params={{ projectId }} className="underline">
            project settings
          </Link>
          .
        </Notice>
      )}
      <p className="text-sm">
        Since {dateOf('date', since)}: {costWords(total, currency)}. Builds of breakages: {costWords(failed, currency)}.
        {uncountedWords(total) && <span className="block text-soft">Not in the amount: {uncountedWords(total)}.</span>}
      </p>
      <Part<Cause>
        title="By cause"
        rows={by_cause}
        keyOf={({ breakage_id }) => breakage_id}
        empty="No build belongs to a breakage."
      >
        {[
          {
            head: 'Cause',
            className: 'w-full',
            cell: ({ breakage_id, cause, branch }) => (
              <>
                <Link
                  to="/projects/$projectId/breakages/$breakageId"
                  params={{ projectId, breakageId: breakage_id }}
                  title={cause}
                  className="wrap-anywhere line-clamp-3 font-medium hover:underline"
                >
                  {cause || `Breakage #${breakage_id}`}
                </Link>
                <span className="block wrap-anywhere text-xs text-soft">{branch}</span>
              </>
            ),
          },
          {
            head: 'Broken for',
            className: 'whitespace-nowrap tabular-nums',
            cell: (cause) => redWords(cause),
          },
          ...numbers,
        ]}
      </Part>
      <Part<Costs['by_job'][number]> title="By job" rows={by_job} keyOf={({ job }) => job} empty="">
        {[{ head: 'Job', className: 'w-full wrap-anywhere', cell: ({ job }) => job }, ...numbers]}
      </Part>
      <Part<Costs['by_branch'][number]> title="By branch" rows={by_branch} keyOf={({ branch }) => branch} empty="">
        {[
          {
            head: 'Branch',
            className: 'w-full wrap-anywhere',
            cell: ({ branch }) => <bdi>{branch || 'Unknown branch'}</bdi>,
          },
          ...numbers,
        ]}
      </Part>
    </>
  )
}

const numbersOf = (currency: string | null): Column<BuildCost>[] => [
  { head: 'Builds', className: 'tabular-nums', cell: ({ builds }) => builds.toLocaleString('en') },
  { head: 'Time', wide: true, className: 'whitespace-nowrap tabular-nums', cell: ({ minutes }) => minutesWords(minutes) },
  ...(currency === null
    ? []
    : [
        {
          head: 'Cost',
          className: 'whitespace-nowrap tabular-nums',
          cell: ({ amount }: BuildCost) => (amount === null ? '–' : moneyWords(amount, currency)),
        },
      ]),
  { head: 'Not in the amount', wide: true, className: 'min-w-40 text-soft', cell: (cost) => uncountedWords(cost) },
]

interface PartProps<Row> {
  title: string
  empty: string
  rows: readonly Row[]
  keyOf(row: Row): string
  children: readonly Column<Row>[]
}

const Part = <Row,>({ title, empty, rows, keyOf, children }: PartProps<Row>) => (
  <section className="grid gap-2">
    <h2 className="font-semibold">{title}</h2>
    {rows.length === 0 ? (
      <p className="text-sm text-soft">{empty}</p>
    ) : (
      <Table caption={`Cost ${title.toLowerCase()}`} rows={rows} columns={children} keyOf={keyOf} />
    )}
  </section>
)
