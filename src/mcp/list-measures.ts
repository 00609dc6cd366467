import { Type } from 'typebox'
import { invalidParameter } from '../contract/errors.ts'
import { Agent } from '../contract/routes/agents.ts'
import { Costs, Measure, MeasureBudgets, MeasureTrend } from '../contract/routes/measures.ts'
import { routeTool, tellWhole } from './route-tools.ts'
import { outputOf } from './schemas.ts'
import type { Fields, Tool, ToolCall } from './tool.ts'
import { WORDS } from './words.ts'

const SUBJECTS = ['measures', 'budgets', 'agents', 'costs'] as const

/** Values before the newest that an assistant is given: steps say what changed, and pages of numbers cost much. */
const VALUES_MAX = 10

/** What each subject is filtered by. Others are refused: ignored, they would make an answer look narrower than it is. */
const FILTERS: Record<string, readonly string[]> = {
  measures: ['name', 'job', 'branch', 'platform', 'configuration'],
  budgets: [],
  agents: ['name'],
  costs: ['job', 'branch'],
}

async function read({ client, args }: ToolCall): Promise<Fields> {
  const { project_id, about = 'measures', ...filters } = args
  const project = { project_id: String(project_id) }
  const query = Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)]))
  if (about === 'budgets') return client.listMeasureBudgets(project)
  if (about === 'costs') return client.showCosts({ ...project, query })
  if (about === 'agents') {
    const { agents } = await client.listAgents(project)
    const wanted = query.name?.toLowerCase()
    return { agents: agents.filter(({ name }) => wanted === undefined || name.toLowerCase() === wanted) }
  }
  const newest = <Row extends { values: unknown[] }>(row: Row) => ({ ...row, values: row.values.slice(-VALUES_MAX) })
  if (query.name === undefined) {
    const { measures, has_more } = await client.listMeasures({ ...project, query })
    return { measures: measures.map(newest), has_more }
  }
  const { trends, has_more } = await client.showMeasures({ ...project, query })
  return { trends: trends.map(newest), has_more }
}

async function run(call: ToolCall) {
  const about = String(call.args.about ?? 'measures')
  const wrong = Object.keys(call.args).find((name) => !['project_id', 'about', ...FILTERS[about]!].includes(name))
  if (wrong !== undefined) throw invalidParameter(wrong, `does not filter ${about}: leave it out, or choose another about`)
  const answer = tellWhole('listMeasures', await read(call), WORDS.listMeasures)
  const unknown = about === 'agents' && call.args.name !== undefined && (answer.data.agents as unknown[]).length === 0
  return unknown ? { ...answer, notes: [...answer.notes, 'No agent of this name built anything in the last 30 days.'] } : answer
}

const tool = routeTool('listMeasures', WORDS.listMeasures)

/** Measures, budgets, agents and costs: every tool costs in each conversation, so that five routes share one. */
export const listMeasures: Tool = {
  ...tool,
  input: {
    ...tool.input,
    about: Type.Optional(Type.Enum([...SUBJECTS])),
    name: Type.Optional(Type.String({ description: 'Name of a measure or agent (exact)' })),
  },
  output: outputOf({
    measures: Type.Optional(Type.Array(Measure)),
    trends: Type.Optional(Type.Array(MeasureTrend)),
    has_more: Type.Optional(Type.Boolean()),
    ...Object.fromEntries(
      Object.entries({ ...MeasureBudgets.properties, ...Costs.properties }).map(([name, schema]) => [
        name,
        Type.Optional(schema),
      ]),
    ),
    agents: Type.Optional(Type.Array(Agent)),
  }),
  run,
}
