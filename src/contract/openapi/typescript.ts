import type { TSchema } from 'typebox'
import { tokenRoutes } from '../app/routes.ts'
import type { Params } from '../params.ts'
import type { TokenRoute } from '../routes/route.ts'
import { eventStream } from '../routes.ts'
import { NAMED_SCHEMAS, nameOf } from './named-schemas.ts'

/** The declarations of the published client: plain TypeScript without any package. */
export const clientDeclarations = (): string =>
  [
    HEAD,
    ...NAMED_SCHEMAS.map(([name, schema]) => `export interface ${name} ${objectType(schema)}\n`),
    'export interface Client {',
    ...Object.entries(tokenRoutes as Record<string, TokenRoute>).map(methodOf),
    readers(),
    '}\n',
    lists(),
  ].join('\n')

/** The lists with a cursor: the name of their rows, and the shape of one. */
export const listsOf = (): [name: string, { rows: string; row: TSchema }][] =>
  Object.entries(tokenRoutes as Record<string, TokenRoute>).flatMap(([name, { query, reply }]) => {
    const rows = Object.entries((reply as Described).properties ?? {}).find(([, part]) => (part as Described).items)
    return 'cursor' in query && rows ? [[name, { rows: rows[0], row: (rows[1] as Described).items! }]] : []
  })

/** Readers of more than one response, next to the methods of the routes. */
const readers =
  () => `  /** The rows of a list, page after page: \`for await (const task of client.each('listTasks', { project_id: 7 }))\`. */
  each<N extends keyof Lists>(name: N, args?: Parameters<Client[N]>[0]): AsyncGenerator<Lists[N]>
  /** What happens in the account, as it happens, until the connection ends; \`id\` is where a later call goes on. Scope \`${eventStream.scope}\`. */
  events(args?: { query?: ${queryType(eventStream.query)}; last_id?: string; signal?: AbortSignal; reset?: () => void }): AsyncGenerator<Event & { id: string }>`

const lists = () => `/** The lists that \`each\` walks, and what they are of. */
export interface Lists {
${listsOf()
  .map(([name, { row }]) => `  ${name}: ${typeOf(row)}`)
  .join('\n')}
}
`

const HEAD = `/** What the service refused: its status, its code, and whatever else the answer said. */
export declare class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly extra: Record<string, unknown>
  readonly headers: Record<string, string>
}

export interface ClientSettings {
  /** Where the service is, without \`/api\`. */
  site: string
  token: string
  /** Names the caller to the operator. */
  agent?: string
  fetch?: typeof fetch
}

/** One method for each route; a refusal is thrown as an \`ApiError\`. */
export declare function createClient(settings: ClientSettings): Client
`

function methodOf([name, route]: [string, TokenRoute]): string {
  const path = [...route.path.matchAll(/:(\w+)/g)].map(([, key]) => `${key}: string | number`)
  const query = Object.keys(route.query).length > 0 ? [`query?: ${queryType(route.query)}`] : []
  const body = route.body ? [`body: ${typeOf(route.body)}`] : []
  const headers = route.method === 'GET' ? [] : ['headers?: Record<string, string>']
  const args = [...path, ...query, ...body, ...headers]
  const optional = path.length === 0 && body.length === 0
  return `  /** ${route.summary}. Scope \`${route.scope}\`. */
  ${name}(args${optional ? '?' : ''}: { ${args.join('; ')} }): Promise<${typeOf(route.reply)}>`
}

const queryType = (params: Params) =>
  `{ ${Object.entries(params)
    .map(([name, { schema }]) => `${name}?: ${queryValueOf(schema)} | undefined`)
    .join('; ')} }`

/** The type of a value in a program; it is sent as text. */
const queryValueOf = (schema: TSchema) => {
  const { enum: values, type } = schema as Described
  if (values?.includes('true')) return 'boolean'
  if (values) return typeOf(schema)
  return type === 'integer' ? 'number' : 'string | number'
}

interface Described {
  type?: string | string[]
  enum?: readonly string[]
  anyOf?: TSchema[]
  items?: TSchema
  properties?: Record<string, TSchema>
  required?: readonly string[]
  additionalProperties?: boolean | TSchema
}

const typeOf = (schema: TSchema): string => {
  const { type, enum: values, anyOf } = schema as Described
  const named = nameOf(schema)
  if (named) return named
  if (anyOf) return anyOf.map(typeOf).join(' | ')
  const kinds = [type ?? []].flat()
  if (values) return [...values.map((value) => JSON.stringify(value)), ...(kinds.includes('null') ? ['null'] : [])].join(' | ')
  return kinds.length === 0 ? 'unknown' : kinds.map((kind) => plainType(kind, schema)).join(' | ')
}

const plainType = (kind: string, schema: TSchema): string => {
  if (kind === 'integer') return 'number'
  if (kind === 'array') return `Array<${typeOf((schema as Described).items!)}>`
  return kind === 'object' ? objectType(schema) : kind
}

function objectType(schema: TSchema): string {
  const { properties, required = [], additionalProperties } = schema as Described
  if (!properties) return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`
  const fields = Object.entries(properties).map(([name, part]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(part)}`)
  return `{ ${fields.join('; ')} }`
}
