import { MAX_LIMIT } from '../../contract/params.ts'
import type { ReplyOf, RouteName } from '../../contract/routes.ts'
import { visit } from '../connection/browser.ts'
import type { Output } from '../output/output.ts'
import type { Column } from '../output/table.ts'
import { type Command, command } from './command.ts'
import { asQuery, filtersOf, limitFlag, USUAL_ROWS, walks } from './filters.ts'
import { collect, type Page } from './paging.ts'

type RowOf<N extends RouteName, K extends string> = ReplyOf<N> extends { [P in K]: readonly (infer Row)[] } ? Row : never

interface ListOf<N extends RouteName, K extends string> {
  route: N
  /** The name of the rows in the answer, and what people call them. */
  rows: K
  noun: string
  summary: string
  /** The page of the web app, below the project's. */
  page: string
  columns: readonly Column<RowOf<N, K>>[]
  /** Words for filters that the contract has none for. */
  help?: Record<string, string>
  examples: readonly string[]
}

/** A command that lists what a project has, with the filters that its route takes. */
export function listCommand<N extends RouteName, K extends string>(made: ListOf<N, K>): Command {
  const filters = filtersOf(made.route, made.help)
  return command({
    name: 'list',
    summary: made.summary,
    project: true,
    flags: { ...filters, ...limitFlag(made.route), web: { help: 'show the list in the browser' } },
    shows: { route: made.route, rows: made.rows },
    examples: made.examples,
    async run({ client, project, flags, out, env, site }) {
      if (flags.web) return visit(`${site}/projects/${project}/${made.page}`, env, (url) => out.say(url))
      const wanted = Number(flags.limit ?? USUAL_ROWS)
      const query = asQuery(filters, flags)
      const ask = client[made.route] as unknown as (args: object) => Promise<Page>
      const page = await collect((paging) => ask({ project_id: project, query: { ...query, ...paging } }), made.rows, wanted)
      const rows = page[made.rows] as RowOf<N, K>[]
      out.answer(page, () => {
        if (rows.length > 0) out.table(rows, made.columns)
        else out.note(`No ${made.noun} ${Object.keys(query).length > 0 ? 'match' : 'yet'}.`)
        if (page.pagination.has_more) out.note(more(made.route, rows.length, Object.keys(filters)))
      })
    },
  })
}

function more(route: RouteName, count: number, filters: string[]): string {
  if (walks(route)) return `More exist: --limit ${count * 2} shows more.`
  if (count < MAX_LIMIT) return `More exist: --limit ${MAX_LIMIT} shows as many as there can be.`
  const flags = filters.map((name) => `--${name.replaceAll('_', '-')}`).join(', ')
  return `Only the newest ${MAX_LIMIT} can be shown and more exist; narrow them with ${flags}.`
}

/** Rows without paging and without a project. */
export const tell = <Row>(out: Output, noun: string, rows: readonly Row[], columns: readonly Column<Row>[]) =>
  rows.length > 0 ? out.table(rows, columns) : out.note(`No ${noun} yet.`)
