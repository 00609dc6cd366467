import { flag, MAX_LIMIT, type Params } from '../../contract/params.ts'
import { type Route, type RouteName, routes } from '../../contract/routes.ts'
import type { Flag, Flags } from './flags.ts'

/** Told in another way, or of no use to people. */
const NO_FILTERS = ['limit', 'cursor', 'format', 'project_id', 'account_id', 'event_types']

const queryOf = (route: RouteName): Params => (routes[route] as Route).query

/** Pages can be walked. */
export const walks = (route: RouteName) => Object.hasOwn(queryOf(route), 'cursor')

/** A flag for every filter of a list, with its values as the contract has them. */
export const filtersOf = (route: RouteName, help: Record<string, string> = {}): Flags =>
  Object.fromEntries(
    Object.entries(queryOf(route))
      .filter(([name]) => !NO_FILTERS.includes(name))
      .map(([name, param]) => {
        const words =
          help[name] ?? (param.schema as { description?: string }).description ?? `only this ${name.replaceAll('_', ' ')}`
        if (param === flag) return [name, { help: words }]
        const several = param.list === true || (param.values !== undefined && !Object.hasOwn(param.schema, 'enum'))
        const made: Flag = {
          help: words,
          value: name.replace(/^(?:updated_)?since$/, 'time'),
          check: (text) => param.read(`--${name.replaceAll('_', '-')}`, text),
          ...(param.values ? { values: param.values } : {}),
          ...(several ? { many: true } : {}),
        }
        return [name, made]
      }),
  )

/** What was given, as it travels. */
export const asQuery = (filters: Flags, given: Record<string, string | string[] | boolean | undefined>) =>
  Object.fromEntries(
    Object.keys(filters)
      .filter((name) => given[name] !== undefined && given[name] !== false)
      .map((name) => [name, String(given[name])]),
  )

const MOST_ROWS = 100_000
export const USUAL_ROWS = 20

export const limitFlag = (route: RouteName) => ({
  limit: {
    help: `how many at most${walks(route) ? '' : `, up to ${MAX_LIMIT}`} (default: ${USUAL_ROWS})`,
    value: 'count' as const,
    check(text: string) {
      if (!/^[1-9]\d{0,5}$/.test(text) || Number(text) > MOST_ROWS) throw new Error('It must be a number from 1 to 100000.')
    },
  },
})
