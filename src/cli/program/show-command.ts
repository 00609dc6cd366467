import { type ReplyOf, type RouteName, routes } from '../../contract/routes.ts'
import type { Command } from '../../terminal/command.ts'
import type { Call, Reach } from './call.ts'
import { command } from './command.ts'
import { wholeId } from './whole-id.ts'

interface ShowOf<N extends RouteName> {
  route: N
  noun: string
  summary: string
  /** What may name the record, if more than its id. */
  id?: string
  /** The page of the web app, below the project's. */
  page(thing: ReplyOf<N>): string
  tell(thing: ReplyOf<N>, call: Pick<Call, 'client' | 'project' | 'out'>): void | Promise<void>
  examples: readonly string[]
}

/** The name of the record in a route's path. */
const recordOf = (route: RouteName) => routes[route].path.match(/:(\w+)$/)![1]!

export async function findThing<N extends RouteName>(call: Reach, route: N, id: string): Promise<ReplyOf<N>> {
  const ask = call.client[route] as unknown as (args: object) => Promise<ReplyOf<N>>
  return ask({ project_id: call.project, [recordOf(route)]: await wholeId(call, route, id) })
}

/** The web app page of a record: as the service returned it, otherwise built from its id. */
export const pageOf = (call: Reach, thing: object, page: string): string =>
  (thing as { urls?: { web: string } }).urls?.web ?? call.page(`/projects/${call.project}/${page}`)

/** A command that shows one record of a project. */
export const showCommand = <N extends RouteName>(made: ShowOf<N>): Command =>
  command({
    name: 'show',
    summary: made.summary,
    project: true,
    pages: true,
    args: { [made.noun]: { help: made.id ?? `Id of the ${made.noun}` } },
    async web(call) {
      const thing = await findThing(call, made.route, call.args[made.noun]!)
      return pageOf(call, thing as object, made.page(thing))
    },
    shows: { route: made.route },
    examples: made.examples,
    async run(call) {
      const { out, args } = call
      const thing = await findThing(call, made.route, args[made.noun]!)
      await out.answer(thing as object, () => made.tell(thing, call))
    },
  })
