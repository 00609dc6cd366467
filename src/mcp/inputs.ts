import { type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { invalidParameter, unknownParameter } from '../contract/errors.ts'
import * as param from '../contract/params.ts'
import type { Route } from '../contract/routes.ts'
import { partOf } from '../contract/task-fields.ts'
import type { Fields } from './tool.ts'

export const RECORD_NUMBER = '^[1-9][0-9]{0,15}$'

const record = Type.String({ pattern: RECORD_NUMBER })

/** The parameters that identify a record; the source of the id is only described if the name is not clear. */
const RECORDS: Record<string, TSchema> = {
  project_id: record,
  task_id: Type.Integer({ minimum: 1 }),
  build_run_id: record,
  asset_id: Type.String({ format: 'uuid' }),
  change_id: Type.Integer({ minimum: 1, description: 'Not the commit hash or changelist number' }),
  breakage_id: record,
  deployment_id: Type.String({ description: 'UUID or number' }),
}

/** Descriptions of body fields that are plain in the route table; a closed set needs none. */
const FIELDS: Record<string, string> = {
  ...partOf('help'),
  body: 'Markdown; <@7> mentions the user 7',
  comments: 'Reason, for the history',
  stage: 'Approval stage, such as art_review; unchanged if absent',
  owner_user_id: 'User id of the owner',
  muted_until: 'With state muted; if absent, until it stops happening',
}

/** Accepted by the API for old clients; an assistant needs neither. */
const LEFT_OUT = new Set(['format', 'event_type', 'before_id'])

const isClosedSet = (schema: TSchema) => {
  const { enum: values, items } = schema as { enum?: unknown; items?: { enum?: unknown } }
  return (values ?? items?.enum) !== undefined
}

const descriptionOf = (schema: TSchema) => (schema as { description?: string }).description

const helped = (schema: TSchema, help: string | undefined): TSchema =>
  ({ ...schema, description: isClosedSet(schema) ? undefined : help }) as TSchema

function ofQuery(name: string, { schema, values, list, ...rest }: param.Param<unknown>): TSchema {
  if (rest.read === param.flag.read) return Type.Boolean(describedAs(schema))
  if (name === 'limit') return { ...schema, maximum: param.MAX_LIMIT, description: undefined } as TSchema
  if (name === 'project_id') return RECORDS.project_id!
  const { enum: single } = schema as { enum?: unknown }
  if (values && !single) return Type.Array(Type.Enum([...values]), { minItems: 1 })
  return list ? Type.Array(Type.String(), { minItems: 1, ...describedAs(schema) }) : schema
}

const describedAs = (schema: TSchema) => ({
  description: descriptionOf(schema)?.replace(', comma-separated or repeated', '') ?? '',
})

/** `/tasks/:id` needs a `task_id`. */
export const pathNames = ({ path }: Route): { sent: string; asked: string }[] =>
  [...path.matchAll(/(\w+)\/:(\w+)/g)].map(([, noun, sent]) => ({
    sent: sent!,
    asked: sent === 'id' ? `${noun!.slice(0, -1)}_id` : sent!,
  }))

/** The fields of a body; those of a task are nested one level deeper in the request. */
export function bodyFields({ body }: Route): { fields: Record<string, TSchema>; required: readonly string[]; wrapper?: 'task' } {
  type Described = { properties?: Record<string, TSchema>; required?: string[] }
  const { properties = {}, required = [] } = (body ?? {}) as Described
  if (!properties.task) return { fields: properties, required }
  const task = properties.task as Described
  return { fields: task.properties ?? {}, required: task.required ?? [], wrapper: 'task' }
}

/** The input of a tool over this route, derived from the route. */
export function inputOf(route: Route): Record<string, TSchema> {
  const { fields, required } = bodyFields(route)
  const path = pathNames(route).map(({ asked }) => [asked, RECORDS[asked]!])
  const query = Object.entries(route.query)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, each]) => {
      const schema = ofQuery(name, each)
      return [name, Type.Optional(helped(schema, descriptionOf(schema)))]
    })
  const body = Object.entries(fields).map(([name, schema]) => {
    const clears = [(schema as Wanted).type].flat().includes('null') ? '; null clears it' : ''
    const described = helped(schema, FIELDS[name] ? FIELDS[name] + clears : descriptionOf(schema))
    return [name, required.includes(name) ? described : Type.Optional(described)]
  })
  return Object.fromEntries([...path, ...query, ...body])
}

interface Wanted {
  type?: string | string[]
}

/** Assistants write `7` for `"7"` and the other way round, and words for a list. */
function coerced(value: unknown, types: readonly (string | undefined)[]): unknown {
  if (typeof value === 'number' && types.includes('string')) return String(value)
  if (typeof value !== 'string') return value
  if (types.includes('array')) return value.split(',').map((word) => word.trim())
  if (types.includes('integer') && /^-?\d{1,15}$/.test(value)) return Number(value)
  if (types.includes('boolean') && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  return value
}

/** Reads an assistant's input; invalid values are refused by name. */
export function readInput(input: Record<string, TSchema>, raw: Fields): Fields {
  const given: Fields = {}
  for (const [name, value] of Object.entries(raw)) {
    if (!Object.hasOwn(input, name)) throw unknownParameter(name, Object.keys(input))
    const types = [(input[name] as Wanted).type].flat()
    // An absent parameter is often sent as null.
    if (value !== undefined && (value !== null || types.includes('null'))) given[name] = coerced(value, types)
  }
  const [wrong] = Value.Errors(Type.Object(input), given)
  if (wrong) throw refusal(wrong as unknown as Wrong)
  return given
}

interface Wrong {
  keyword: string
  instancePath: string
  message: string
  params: { requiredProperties?: string[]; allowedValues?: string[] }
}

function refusal({ instancePath, message, params }: Wrong) {
  if (params.requiredProperties) return invalidParameter(params.requiredProperties.join(', '), 'is required')
  const [, name = 'arguments'] = instancePath.split('/')
  return invalidParameter(name, params.allowedValues ? `must be one of: ${params.allowedValues.join(', ')}` : message)
}
