import type { ToolAnnotations } from '@modelcontextprotocol/server'
import { type TSchema, Type } from 'typebox'
import type { Client } from '../contract/client.ts'
import { DEFAULT_LIMIT, MAX_LIMIT } from '../contract/params.ts'
import type { Route, TokenRoute } from '../contract/routes/route.ts'
import { type RouteName, routes } from '../contract/routes.ts'
import { listOrSearch, searches } from '../contract/searches.ts'
import { fitted, ROW_TEXT, rowsThatFit, shortRows } from './budget.ts'
import { bodyFields, inputOf, pathNames } from './inputs.ts'
import { outputOf } from './schemas.ts'
import { type Cut, visible } from './shrink.ts'
import { withShownSuspects } from './suspects.ts'
import type { Answer, Fields, Tool, ToolCall } from './tool.ts'
import type { ToolRoute, Words } from './words.ts'

interface Sent extends Fields {
  query?: Fields
  headers?: Record<string, string>
  body?: unknown
}
interface Page {
  limit: number
  has_more: boolean
  next_cursor?: string | null
}

/** `listTasks` is the tool `list_tasks`. */
const toolName = (route: RouteName) => route.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Fields of rows that are useless to an assistant, or too large for a page. */
const ROW_OMITS = new Set(['account_id', 'metadata', 'cursor_key'])

export const ask = (client: Client, name: RouteName, sent: Sent) =>
  (client[name] as unknown as (sent: Sent) => Promise<Fields>)(sent)

/** The route call for the arguments of its tool. */
export function sentBy(route: Route, args: Fields): Sent {
  const own = new Set([...pathNames(route).map(({ asked }) => asked), 'from'])
  const path = Object.fromEntries(pathNames(route).map(({ sent, asked }) => [sent, args[asked]]))
  const named = Object.entries(args).filter(([name]) => !own.has(name))
  if (!route.body) return { ...path, query: Object.fromEntries(named.map(([name, value]) => [name, String(value)])) }
  const fields = Object.fromEntries(named)
  const { wrapper } = bodyFields(route)
  return { ...path, body: wrapper ? { [wrapper]: fields } : fields }
}

/** The rest of a long text or list from an offset on. */
const rest = (value: unknown, from: number) =>
  typeof value === 'string' ? visible(value).slice(from) : Array.isArray(value) ? value.slice(from) : value

function cutNotes(tool: string, cuts: readonly Cut[], words: Words, from: number): string[] {
  return cuts.slice(0, 5).map(({ path, shown, of, what }) => {
    const begin = path === words.long ? from : 0
    const note = `${path}: only ${what} ${begin + 1} to ${begin + shown} of ${begin + of} are shown`
    return path === words.long ? `${note}. For more, call ${tool} again with from=${begin + shown}.` : `${note}.`
  })
}

function pageNotes(tool: string, page: Page | undefined, route: Route): string[] {
  if (!page?.has_more) return []
  if (page.next_cursor)
    return [`There are more. Call ${tool} again with the same filters and cursor set to pagination.next_cursor.`]
  const filters = Object.keys(route.query).filter((name) => name !== 'limit')
  const wider = page.limit < MAX_LIMIT ? `raise limit (at most ${MAX_LIMIT}) or ` : ''
  return [`There are older ones, but this list has one page only: ${wider}filter by ${filters.join(', ')}.`]
}

/** A single reply, shortened if it is too long; `from` continues where the longest field was cut. */
export function tellWhole(name: RouteName, reply: Fields, words: Words, from = 0): Answer {
  const { long } = words
  const begun = long && from > 0 ? { ...reply, [long]: rest(reply[long], from) } : reply
  const { data, cuts } = fitted(withShownSuspects(begun))
  const notes = [
    ...cutNotes(toolName(name), cuts, words, from),
    ...pageNotes(toolName(name), reply.pagination as Page | undefined, routes[name]),
  ]
  return { data, notes }
}

async function runWhole(name: RouteName, words: Words, { client, args }: ToolCall): Promise<Answer> {
  const reply = await ask(client, name, sentBy(routes[name], args))
  return tellWhole(name, reply, words, Number(args.from ?? 0))
}

/** A page of rows; if they are too many for one reply a shorter page is requested, so that its cursor is correct. */
async function runPage(tool: string, name: RouteName, rowsKey: string, { client, args }: ToolCall): Promise<Answer> {
  const asked = Number(args.limit ?? DEFAULT_LIMIT)
  for (let limit = asked; ; ) {
    const reply = await ask(client, name, sentBy(routes[name], { ...args, limit }))
    const kept = withShownSuspects(reply[rowsKey] as Fields[]).map((row) =>
      Object.fromEntries(Object.entries(row).filter(([field]) => !ROW_OMITS.has(field))),
    )
    const { rows, shortened } = shortRows(kept)
    const fitting = rowsThatFit(rows, { ...reply, [rowsKey]: [] })
    if (fitting < rows.length) {
      limit = fitting
      continue
    }
    const notes = pageNotes(tool, reply.pagination as Page, routes[name])
    if (limit < asked) notes.unshift(`Only ${rows.length} rows fit into one response.`)
    if (shortened) notes.unshift(`Texts longer than ${ROW_TEXT} characters are shortened. To read all, use the show tool.`)
    return { data: { ...reply, [rowsKey]: rows }, notes }
  }
}

const replyFields = (route: Route) => (route.reply as unknown as { properties: Record<string, TSchema> }).properties

function pageOutput(route: Route, rowsKey: string): TSchema {
  const { [rowsKey]: list, ...beside } = replyFields(route) as Record<string, { items?: TSchema }>
  const row = (list!.items as unknown as { properties: Record<string, TSchema> }).properties
  const kept = Object.fromEntries(Object.entries(row).filter(([field]) => !ROW_OMITS.has(field)))
  return outputOf({ [rowsKey]: Type.Array(Type.Object(kept)), ...(beside as Record<string, TSchema>) })
}

const FROM = Type.Optional(Type.Integer({ minimum: 0, description: 'Next part, from a note' }))

/** The other hints have no meaning for read-only tools. */
const annotationsOf = ({ writes }: Route, { overwrites, repeatable }: Words): ToolAnnotations => ({
  readOnlyHint: !writes,
  ...(writes && { destructiveHint: overwrites === true, idempotentHint: repeatable === true }),
  openWorldHint: false,
})

/** A tool derived from a route: the same input, the same output shape. */
export function routeTool(name: ToolRoute, words: Words): Tool {
  const route: TokenRoute = routes[name]
  const asked: Route = name in searches ? routes[searches[name as keyof typeof searches]] : route
  const rowsKey = 'cursor' in asked.query ? Object.keys(replyFields(route))[0]! : undefined
  const pages = 'cursor' in route.query
  return {
    name: toolName(name),
    title: words.title,
    description: words.description,
    scope: route.scope,
    input: { ...inputOf(asked), ...(words.long ? { from: FROM } : {}) },
    output: rowsKey && pages ? pageOutput(route, rowsKey) : outputOf(replyFields(route)),
    annotations: annotationsOf(route, words),
    run(call) {
      const chosen = listOrSearch(
        name,
        Object.keys(call.args).filter((arg) => Object.hasOwn(asked.query, arg)),
      )
      return rowsKey && (pages || chosen !== name) ? runPage(toolName(name), chosen, rowsKey, call) : runWhole(name, words, call)
    },
  }
}
