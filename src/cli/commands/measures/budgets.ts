import { budgetWords, grownWords, rangeWords } from '../../../contract/labels/budget-words.ts'
import { measureWords } from '../../../contract/labels/measure-words.ts'
import type { MeasureBudget } from '../../../contract/routes/measure-budgets.ts'
import { usage } from '../../../terminal/failures.ts'
import type { Output } from '../../../terminal/output.ts'
import { main } from '../../../terminal/table.ts'
import type { Reach } from '../../program/call.ts'
import { command } from '../../program/command.ts'

/** The budgets of a project: `goldmaster measures budgets …`. */

const shared = { project: true, web: ({ project }: Reach) => `/projects/${project}/measures` } as const

const any = (text: string) => text || 'any'

function tellBudgets(budgets: readonly MeasureBudget[], out: Output) {
  if (budgets.length === 0) return out.note('No budgets. Add one with goldmaster measures add-budget.')
  out.table(
    budgets.map((budget, index) => ({ number: index + 1, ...budget })),
    [
      'number',
      main('measure'),
      { title: 'budget', cell: (budget) => budgetWords(budget) },
      { title: 'job', cell: ({ job }) => any(job) },
      { title: 'branch', cell: ({ branch }) => any(branch) },
      { title: 'platform', cell: ({ platform }) => any(platform) },
      { title: 'configuration', cell: ({ configuration }) => any(configuration) },
    ],
  )
}

const current = ({ client, project }: Reach) => client.listMeasureBudgets({ project_id: project })

async function save({ client, project, out }: Reach & { out: Output }, budgets: readonly MeasureBudget[]) {
  const saved = await client.setMeasureBudgets({ project_id: project, body: { budgets } })
  out.answer(saved, () => tellBudgets(saved.budgets, out))
}

const list = command({
  ...shared,
  name: 'budgets',
  summary: 'List budgets and the measures that are over theirs',
  shows: { route: 'listMeasureBudgets' },
  examples: ['measures budgets', "measures budgets --pick 'alerts[].name'"],
  async run(call) {
    const answer = await current(call)
    call.out.answer(answer, () => {
      tellBudgets(answer.budgets, call.out)
      for (const pattern of answer.unmatched_patterns) call.out.note(`No branch matches ${pattern}.`)
      call.out.section('Over budget or missing', answer.alerts, [
        { ...main('name', 'measure'), ends: true },
        'platform',
        'configuration',
        'job',
        'branch',
        {
          title: 'value',
          cell: ({ kind, value, unit }) => (kind === 'missing' ? 'missing' : measureWords({ value: value ?? 0, unit })),
        },
        { title: 'changes', cell: ({ range }) => rangeWords(range) },
        { title: 'grew most', cell: ({ grown }) => grown[0] && grownWords(grown[0]) },
      ])
      if (answer.has_more) call.out.note('There are more. goldmaster measures list shows which measures are over their budget.')
    })
  },
})

/** `4.2GB`, `90s`, or a number in the unit of the measure. */
function readValue(text: string): { max_value: number; unit: string } {
  const { number, unit = '' } = /^(?<number>\d+(?:\.\d+)?)\s?(?<unit>[kKMG]i?B|B|ms|s|min|h|%)?$/.exec(text)?.groups ?? {}
  if (number === undefined) throw new Error('It must be a number, or one with a unit such as 4.2GB, 90s or 15min.')
  return { max_value: Number(number), unit }
}

function readPercent(text: string): number {
  if (!/^\d+(?:\.\d+)?%?$/.test(text)) throw new Error('It must be a percentage such as 5.')
  return Number(text.replace('%', ''))
}

const addBudget = command({
  ...shared,
  name: 'add-budget',
  summary: 'Add a budget that a measure may not exceed',
  args: { measure: { help: 'Name of the measure, * for any text' } },
  flags: {
    max: {
      help: 'Highest value, such as 4.2GB or 90s (without a unit: in that of the measure)',
      value: 'number',
      read: readValue,
    },
    growth: { help: 'Highest growth in percent over the live build of a track', value: 'percent', read: readPercent },
    store: { help: 'Store of the track for --growth, such as steam', value: 'name' },
    track: { help: 'Track for --growth, such as default or beta', value: 'name' },
    job: { help: 'Job, * for any text (default: any)', value: 'pattern' },
    branch: { help: 'Branch or stream, * for any text (default: any)', value: 'pattern' },
    platform: { help: 'Platform, * for any text (default: any)', value: 'pattern' },
    configuration: { help: 'Configuration, * for any text (default: any)', value: 'pattern' },
  },
  shows: { route: 'setMeasureBudgets' },
  details: 'At least --max or --growth is required. Needs a token with the scope admin:projects and the role lead.',
  examples: [
    'measures add-budget package --max 4.2GB --platform Switch --configuration Shipping',
    'measures add-budget package --growth 5 --store steam --track default',
  ],
  async run(call) {
    const { max, growth, store = '', track = '', job = '', branch = '', platform = '', configuration = '' } = call.flags
    if (max === undefined && growth === undefined) throw usage('Missing --max or --growth.')
    const { budgets } = await current(call)
    const added = {
      measure: call.args.measure,
      job,
      branch,
      platform,
      configuration,
      ...(max ?? { max_value: null, unit: '' }),
      max_growth: growth ?? null,
      store,
      track,
    }
    await save(call, [...budgets, added])
  },
})

const removeBudget = command({
  ...shared,
  name: 'remove-budget',
  summary: 'Remove a budget',
  args: { number: { help: 'Number of the budget in goldmaster measures budgets', read: readNumber } },
  shows: { route: 'setMeasureBudgets' },
  examples: ['measures remove-budget 2'],
  async run(call) {
    const { budgets } = await current(call)
    if (call.args.number > budgets.length)
      throw usage(`No budget ${call.args.number}. To see the budgets, run goldmaster measures budgets`)
    await save(
      call,
      budgets.filter((_, index) => index + 1 !== call.args.number),
    )
  },
})

function readNumber(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error('It must be the number of a budget; goldmaster measures budgets lists them.')
  return Number(text)
}

export const measureBudgets = [list, addBudget, removeBudget]
