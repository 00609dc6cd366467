import { Type } from 'typebox'
import { invalidParameter } from '../contract/errors.ts'
import { failureOf, type LogView, linesOf, rangeOf, searchOf, tailOf } from './log-views.ts'
import { routeTool } from './route-tools.ts'
import { outputOf } from './schemas.ts'
import type { Fields, Tool, ToolCall } from './tool.ts'
import { WORDS } from './words.ts'

const MODES = ['failure', 'tail', 'range', 'search'] as const
type Mode = (typeof MODES)[number]

const TAIL = 100
const RANGE = 200
const CONTEXT = 2

const route = routeTool('readBuildLog', WORDS.readBuildLog)
const line = Type.Integer({ minimum: 1 })

const input = {
  project_id: route.input.project_id!,
  build_run_id: route.input.build_run_id!,
  mode: Type.Optional(Type.Enum([...MODES], { default: 'failure' })),
  lines: Type.Optional({ ...line, description: `mode tail: number of lines (default ${TAIL})` }),
  from_line: Type.Optional({ ...line, description: 'mode range, search: first line, from 1' }),
  to_line: Type.Optional({ ...line, description: `mode range: last line (default: ${RANGE} lines)` }),
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'mode search: plain text, no pattern' })),
  context: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 20, description: `mode search: context lines (default ${CONTEXT})` }),
  ),
}

/** An assistant that says what it looks for need not give a mode. */
const modeOf = ({ mode, search, from_line, lines }: Fields): Mode => {
  if (mode !== undefined) return mode as Mode
  return search !== undefined ? 'search' : from_line !== undefined ? 'range' : lines !== undefined ? 'tail' : 'failure'
}

function view(mode: Exclude<Mode, 'failure'>, log: string[], args: Fields): LogView {
  const from = Number(args.from_line ?? 1)
  if (mode === 'tail') return tailOf(log, Number(args.lines ?? TAIL))
  if (mode === 'range') return rangeOf(log, from, Number(args.to_line ?? from + RANGE - 1))
  if (args.search === undefined) throw invalidParameter('search', 'is required in mode search')
  return searchOf(log, String(args.search), from, Number(args.context ?? CONTEXT))
}

async function run({ client, args }: ToolCall) {
  const place = { project_id: String(args.project_id), build_run_id: String(args.build_run_id) }
  const mode = modeOf(args)
  const log = linesOf(await client.readBuildLog(place))
  const cited = async () =>
    (await client.showBuild(place)).investigation?.evidence.flatMap(({ line }) => (line > 0 ? line : [])) ?? []
  const { notes, ...part } = mode === 'failure' ? failureOf(log, await cited()) : view(mode, log, args)
  const empty = log.length === 0 ? ['The build has no log: the CI sent none, or the build has not started.'] : notes
  return { data: { build_run_id: place.build_run_id, mode, ...part }, notes: empty, plain: 'log' }
}

const nullableLine = Type.Unsafe<number | null>({ type: ['integer', 'null'] })

export const readBuildLog: Tool = {
  ...route,
  input,
  output: outputOf({
    build_run_id: Type.String({ pattern: '^[0-9]+$' }),
    mode: Type.Enum([...MODES]),
    total_lines: Type.Integer(),
    first_line: nullableLine,
    last_line: nullableLine,
    log: Type.String({ description: 'Lines as "number: text"; -- marks lines that are left out' }),
  }),
  run,
}
