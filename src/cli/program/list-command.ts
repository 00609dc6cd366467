import { MAX_LIMIT } from '../../contract/params.ts'
import type { ReplyOf, RouteName } from '../../contract/routes.ts'
import { listOrSearch, searches } from '../../contract/searches.ts'
import type { Command } from '../../terminal/command.ts'
import type { Column } from '../../terminal/table.ts'
import { command } from './command.ts'
import { asQuery, filtersOf, limitFlag, USUAL_ROWS } from './filters.ts'
import { collect, type Page } from './paging.ts'

type RowOf<N extends RouteName, K extends string> = ReplyOf<N> extends { [P in K]: readonly (infer Row)[] } ? Row : never

interface ListOf<N extends RouteName, K extends string> {
  route: N
  /** The name of the rows in the reply, and their label. */
  rows: K
  noun: string
  summary: string
  /** What to do when there are none yet. */
  empty: string
  /** The page of the web app, below the project's. */
  page: string
  columns: readonly Column<RowOf<N, K>>[]
  examples: readonly string[]
}

/** A command that lists records of a project, with the filters of its route, or of its search. */
export function listCommand<N extends RouteName, K extends string>(made: ListOf<N, K>): Command {
  const search = made.route in searches ? searches[made.route as keyof typeof searches] : made.route
  const filters = filtersOf(search)
  return command({
    name: 'list',
    summary: made.summary,
    project: true,
    pages: true,
    flags: { ...filters, ...limitFlag },
    web: ({ project }) => `/projects/${project}/${made.page}`,
    shows: { route: made.route, rows: made.rows },
    examples: made.examples,
    async run({ client, project, flags, out }) {
      const wanted = flags.limit ?? USUAL_ROWS
      const query = asQuery(filters, flags)
      // Some lists have only one page: their search has more.
      const route = listOrSearch(made.route, [...Object.keys(query), ...(wanted > MAX_LIMIT ? ['cursor'] : [])])
      const ask = client[route] as unknown as (args: object) => Promise<Page>
      const page = await collect((paging) => ask({ project_id: project, query: { ...query, ...paging } }), made.rows, wanted)
      const rows = page[made.rows] as RowOf<N, K>[]
      out.answer(page, () => {
        if (rows.length > 0) out.table(rows, made.columns)
        else if (Object.keys(query).length > 0) out.note(`No ${made.noun} match these filters.`)
        else out.note(`No ${made.noun} yet. ${made.empty}`)
        if (page.pagination.has_more) out.note(`There are more. To see them, add --limit ${rows.length * 2}`)
      })
    },
  })
}
