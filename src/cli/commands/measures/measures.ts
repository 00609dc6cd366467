import { grownWords, rangeWords } from '../../../contract/labels/budget-words.ts'
import { costWords, minutesWords, moneyWords, redWords, uncountedWords } from '../../../contract/labels/cost-words.ts'
import { differenceWords, measureWords } from '../../../contract/labels/measure-words.ts'
import { DAYS_MAX } from '../../../contract/params.ts'
import type { BuildCost } from '../../../contract/routes/build-cost.ts'
import type { ReplyOf } from '../../../contract/routes.ts'
import type { Noun } from '../../../terminal/command.ts'
import type { Output } from '../../../terminal/output.ts'
import { extra, main } from '../../../terminal/table.ts'
import { command } from '../../program/command.ts'
import { SUMMARIES } from '../../summaries.ts'
import { measureBudgets } from './budgets.ts'

type Listed = ReplyOf<'listMeasures'>['measures'][number]
type Trend = ReplyOf<'showMeasures'>['trends'][number]

const web = ({ project }: { project: string }) => `/projects/${project}/measures`

const FLAGS = {
  job: { help: 'Only builds of this job', value: 'name' },
  branch: { help: 'Only builds of this branch', value: 'name' },
  platform: { help: 'Only this platform', value: 'name' },
  configuration: { help: 'Only this configuration', value: 'name' },
} as const

const queryOf = (flags: { [K in keyof typeof FLAGS]?: string }) =>
  Object.fromEntries(
    Object.keys(FLAGS).flatMap((name) => (flags[name as 'job'] === undefined ? [] : [[name, flags[name as 'job']]])),
  )

const liveOf = ({ value, live: [newest] }: Pick<Listed, 'value' | 'live'>) =>
  newest &&
  `${differenceWords(value, newest.value) || 'same'} since ${[newest.store, newest.track, newest.version].filter(Boolean).join(' ')}`

const list = command({
  name: 'list',
  summary: 'List measures: newest values, steps, and what is live',
  project: true,
  pages: true,
  web,
  flags: { name: { help: 'Only this measure', value: 'name' }, ...FLAGS },
  shows: { route: 'listMeasures', rows: 'measures' },
  details: `One line for each measure, job, branch, platform and configuration; measures over their budget, stopped or changed come first.
"Step" is the newest lasting change in the last 40 builds, "live" the difference from the build of the same job that is live.`,
  examples: ['measures list', 'measures list --branch main --platform Win64', "measures list --pick '[].value'"],
  async run({ client, project, flags, out }) {
    const query = { ...queryOf(flags), ...(flags.name !== undefined && { name: flags.name }) }
    const answer = await client.listMeasures({ project_id: project, query })
    out.answer(answer, () => {
      out.list(
        'measures',
        answer.measures,
        [
          { ...main('name', 'measure'), ends: true },
          { title: 'value', cell: (row) => measureWords(row) },
          {
            title: 'step',
            cell: ({ jump, stopped }) => (stopped ? 'stopped' : jump && differenceWords(jump.after, jump.before)),
          },
          { title: 'live', cell: liveOf },
          'job',
          'branch',
          'platform',
          'configuration',
          extra('build_number', 'number'),
          extra('measured_at', 'measured'),
        ],
        'Report measures with goldmaster run --measure; those of engines are read from the log.',
      )
      if (answer.has_more) out.note('There are more: choose with --job, --branch and --configuration.')
    })
  },
})

const show = command({
  name: 'show',
  summary: 'Show a measure over time and the changes of its steps',
  project: true,
  pages: true,
  web,
  args: { measure: { help: 'Name of the measure' } },
  flags: FLAGS,
  shows: { route: 'showMeasures' },
  details:
    'Shows up to 10 series. A step happened in one of the changes between the build before it and the first build that is surely after it.',
  examples: ['measures show package --job Game-Win64 --branch main', "measures show package --pick 'trends[].value'"],
  async run({ client, project, args, flags, out }) {
    const query = { ...queryOf(flags), name: args.measure }
    const answer = await client.showMeasures({ project_id: project, query })
    out.answer(answer, () => {
      if (answer.trends.length === 0) out.note(`No passed build has the measure ${args.measure}.`)
      for (const trend of answer.trends) print(trend, out)
      if (answer.has_more) out.note('There are more series: choose with --job, --branch, --platform and --configuration.')
    })
  },
})

function print(trend: Trend, out: Output) {
  const words = (value: number) => measureWords({ value, unit: trend.unit })
  out.title([trend.name, trend.platform, trend.configuration, trend.job, trend.branch].filter(Boolean).join(' · '))
  out.facts({
    value: words(trend.value),
    build: trend.build_run_id,
    usual: trend.usual === null ? null : words(trend.usual),
    stopped: trend.stopped ? `not in the last ${trend.builds_without} builds` : null,
  })
  out.section('Live', trend.live, [
    'store',
    'track',
    'version',
    { title: 'value', cell: ({ value }) => words(value) },
    { title: 'difference', cell: ({ value }) => differenceWords(trend.value, value) },
  ])
  out.section('Steps', trend.jumps, [
    { title: 'before', cell: ({ before }) => words(before) },
    { title: 'after', cell: ({ after }) => words(after) },
    { title: 'build', cell: ({ first_build_run_id }) => first_build_run_id },
    { title: 'changes', cell: ({ range }) => rangeWords(range), main: true },
    { title: 'grew most', cell: ({ grown }) => grown[0] && grownWords(grown[0]) },
  ])
}

const costs = command({
  name: 'costs',
  summary: 'Show what builds cost by job, branch and cause',
  project: true,
  web: ({ project }) => `/projects/${project}/measures/costs`,
  flags: {
    days: { help: 'Days to look back, at most 90 (default: 30)', value: 'number', read: readDays },
    job: FLAGS.job,
    branch: FLAGS.branch,
  },
  shows: { route: 'showCosts' },
  details: `Minutes of finished builds times the price of their agent. Prices are in the project settings.
Builds without a known duration or a price are counted, but have no amount.`,
  examples: ['measures costs', 'measures costs --days 7 --branch main', "measures costs --pick 'total.amount'"],
  async run({ client, project, flags: { days, job, branch }, out }) {
    const query = {
      ...(days !== undefined && { days }),
      ...(job !== undefined && { job }),
      ...(branch !== undefined && { branch }),
    }
    const answer = await client.showCosts({ project_id: project, query })
    const { currency } = answer
    const columns = [
      { title: 'builds', cell: ({ builds }: BuildCost) => builds },
      { title: 'time', cell: ({ minutes }: BuildCost) => minutesWords(minutes) },
      {
        title: 'cost',
        cell: ({ amount }: BuildCost) => (amount === null || currency === null ? undefined : moneyWords(amount, currency)),
      },
      { title: 'not counted', cell: (cost: BuildCost) => uncountedWords(cost) || undefined },
    ]
    out.answer(answer, () => {
      out.facts({
        since: answer.since,
        total: costWords(answer.total, currency),
        of_breakages: costWords(answer.failed, currency),
        not_counted: uncountedWords(answer.total) || null,
      })
      if (currency === null) out.note('No prices. Enter what an hour of an agent costs in the project settings.')
      out.section('By job', answer.by_job, [{ ...main('job'), ends: true }, ...columns])
      out.section('By branch', answer.by_branch, [{ ...main('branch'), ends: true }, ...columns])
      out.section('By cause', answer.by_cause, [
        { title: 'breakage', cell: ({ breakage_id }) => breakage_id },
        { ...main('cause'), ends: true },
        { title: 'broken for', cell: (cause) => redWords(cause) },
        ...columns,
      ])
    })
  },
})

function readDays(text: string): number {
  if (!/^\d{1,2}$/.test(text) || Number(text) < 1 || Number(text) > DAYS_MAX)
    throw new Error(`It must be a number from 1 to ${DAYS_MAX}.`)
  return Number(text)
}

export const measures: Noun = {
  name: 'measures',
  summary: SUMMARIES.measures,
  usual: 'list',
  commands: [list, show, costs, ...measureBudgets],
}
