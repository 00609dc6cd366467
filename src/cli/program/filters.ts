import { flag, type Params } from '../../contract/params.ts'
import { type Route, type RouteName, routes } from '../../contract/routes.ts'
import type { Flag, Flags } from '../../terminal/flags.ts'

/** Given in another way, or useless to people. */
const NO_FILTERS = ['limit', 'cursor', 'format', 'project_id', 'account_id', 'event_types']

/** Flags for parameters with unclear names. */
const FLAGS: Record<string, string> = { q: 'query' }
const flagOf = (param: string) => FLAGS[param] ?? param
const paramOf = (flag: string) => Object.keys(FLAGS).find((param) => FLAGS[param] === flag) ?? flag

const queryOf = (route: RouteName): Params => (routes[route] as Route).query

/** A flag for every filter of a list, with its values from the contract. */
export const filtersOf = (route: RouteName, help: Record<string, string> = {}): Flags =>
  Object.fromEntries(
    Object.entries(queryOf(route))
      .filter(([name]) => !NO_FILTERS.includes(name))
      .map(([name, param]) => {
        const words =
          help[name] ?? (param.schema as { description?: string }).description ?? `Filter by ${name.replaceAll('_', ' ')}`
        if (param.read === flag.read) return [flagOf(name), { help: words }]
        const several = param.list === true || (param.values !== undefined && !Object.hasOwn(param.schema, 'enum'))
        const made: Flag = {
          help: words,
          value: flagOf(name).replace(/^(?:\w+_)?(?:since|until)$/, 'time'),
          // The raw text is sent; reading it refuses an invalid value before that.
          read(text) {
            param.read(`--${flagOf(name).replaceAll('_', '-')}`, text)
            return text
          },
          ...(param.values ? { values: param.values } : {}),
          ...(several ? { many: true } : {}),
        }
        return [flagOf(name), made]
      }),
  )

/** The given filters as query parameters. */
export const asQuery = (filters: Flags, given: Record<string, unknown>) =>
  Object.fromEntries(
    Object.keys(filters)
      .filter((name) => given[name] !== undefined && given[name] !== false)
      .map((name) => [paramOf(name), String(given[name])]),
  )

const MOST_ROWS = 100_000
export const USUAL_ROWS = 20

export const limitFlag = {
  limit: {
    help: `Maximum number of rows (default: ${USUAL_ROWS})`,
    value: 'count' as const,
    read(text: string): number {
      if (!/^[1-9]\d{0,5}$/.test(text) || Number(text) > MOST_ROWS) throw new Error('It must be a number from 1 to 100000.')
      return Number(text)
    },
  },
}
