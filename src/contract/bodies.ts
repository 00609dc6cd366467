import { type Static, type TSchema, Type } from 'typebox'
import { invalidAssignee, invalidParameter, notOneOf } from './errors.ts'
import * as readers from './field-readers.ts'
import { instant, nullable, object, oneOf, partial, recordId, shortId, text } from './fields.ts'
import {
  BRANCH_MAX,
  CAUSE_MAX,
  COMMENT_MAX,
  DESCRIPTION_MAX,
  ID_MAX,
  IDENTIFIER_MAX,
  NOTE_MAX,
  PARAMETER_MAX,
  PARAMETERS_MAX,
  SHARE_DAYS,
  SHARE_DAYS_MAX,
  STAGE_MAX,
} from './limits.ts'
import { readId } from './params.ts'
import {
  BREAKAGE_EDIT_STATES,
  CI_ACTIONS,
  COMMENT_SUBJECTS,
  CORRECT_CATEGORIES,
  DECISIONS,
  DEPLOYMENT_STATUSES,
  REACTIONS,
} from './sets.ts'
import { DIMENSION_MAX } from './spellings/build-dimensions.ts'
import { ASSIGNEE_FORMAT, TASK_FIELDS, type TaskFields } from './task-fields.ts'

/** A field of a body: its schema, and the reader that converts it for the domain or refuses it. */
interface SentField<S extends TSchema = TSchema> {
  sent: S
  read: readers.Reader<unknown>
}
type SentFields = Record<string, SentField>
type Schemas<F extends SentFields> = { [K in keyof F]: F[K]['sent'] }

const READERS = new WeakMap<TSchema, readers.Reader<unknown>>()

/** The reader of a body; undefined if the schema is enough. */
export const bodyReader = <S extends TSchema>(schema: S): ((body: unknown) => Static<S>) | undefined => {
  const read = READERS.get(schema)
  return (
    read &&
    ((body) => {
      if (!readers.isObject(body)) throw invalidParameter('body', 'must be a JSON object')
      return read('', body) as Static<S>
    })
  )
}

/** The schema of a body whose fields have readers; `check` validates relations between them. */
function body<F extends SentFields, S extends TSchema>(
  fields: F,
  schemaOf: (sent: Schemas<F>) => S,
  check: (read: Static<S>) => void = () => {},
  missing?: () => Error,
): S {
  const entries = Object.entries(fields)
  const schema = schemaOf(Object.fromEntries(entries.map(([name, { sent }]) => [name, sent])) as Schemas<F>)
  const { required = [] } = schema as { required?: string[] }
  const read = readers.object(
    Object.fromEntries(
      entries.map(([name, { sent, read }]) => [name, { read, required: required.includes(name), ...nullableOf(sent) }]),
    ),
    missing && { missing },
  )
  READERS.set(schema, (name, value) => {
    const found = read(name, value) as Static<S>
    check(found)
    return found
  })
  return schema
}

const nullableOf = (sent: TSchema): { nullable?: true } =>
  [(sent as { type?: string | string[] }).type].flat().includes('null') ? { nullable: true } : {}

const optional = <S extends TSchema>({ sent, read }: SentField<S>) => ({ sent: Type.Optional(sent), read })
const choice = <const V extends string>(values: readonly V[]) => ({ sent: oneOf(values), read: readers.oneOf(values) })
const filled = (max: number, description: string) => ({
  sent: Type.String({ minLength: 1, maxLength: max, description }),
  read: readers.filled(max),
})

function requireAny(read: object) {
  if (Object.keys(read).length === 0) throw invalidParameter('body', 'must have at least one field')
}

function refuseTwoAssignees({ assignee_handle, user_id }: { assignee_handle?: string | null; user_id?: number | null }) {
  if (assignee_handle != null && user_id != null)
    throw invalidAssignee('A task has one assignee: an agent or a person, not both.', ASSIGNEE_FORMAT)
}

export type TaskInput = Partial<TaskFields> & Pick<TaskFields, 'title'>
export const TaskInput = body(
  TASK_FIELDS,
  ({ title, ...others }) => Type.Unsafe<TaskInput>(object({ title, ...Type.Partial(object(others)).properties })),
  (task) => refuseTwoAssignees(task),
)

const append = {
  sent: Type.String({ description: 'Text to add to the end of the description' }),
  read: readers.text(DESCRIPTION_MAX),
}
export type TaskEdit = Partial<TaskFields> & { description_append?: string }
export const TaskEdit = body(
  { ...TASK_FIELDS, description_append: append },
  (sent) => Type.Unsafe<TaskEdit>(Type.Partial(object(sent))),
  (task) => refuseTwoAssignees(task),
)

/** Converts the sent fields of a task for the domain. */
export function readTask<S extends TSchema>(fields: S, task: unknown): Static<S> {
  if (!readers.isObject(task)) throw invalidParameter('task', 'must be an object with the fields of the task')
  return READERS.get(fields)!('', task) as Static<S>
}

const wrapper = readers.object({ task: readers.optional((_, value) => value) })

/** In a request they are nested one level deeper. */
export function taskBody<S extends TSchema>(fields: S) {
  const schema = object({ task: fields })
  READERS.set(schema, (name, value) => ({ task: readTask(fields, wrapper(name, value).task) }))
  return schema
}

export const DecisionInput = body(
  {
    status: choice(DECISIONS),
    comments: optional({ sent: text, read: readers.text(DESCRIPTION_MAX) }),
    stage: optional({ sent: Type.String({ minLength: 1, maxLength: STAGE_MAX }), read: readers.text(STAGE_MAX, 1) }),
  },
  object,
  undefined,
  () => notOneOf('status', DECISIONS),
)
export type DecisionInput = Static<typeof DecisionInput>

export const BreakageEdit = body(
  {
    state: choice(BREAKAGE_EDIT_STATES),
    /** Null: nobody. */
    owner_user_id: { sent: nullable(shortId), read: readers.integer(1) },
    /** Null: until it stops failing. */
    muted_until: { sent: nullable(instant), read: readers.instant },
    note: filled(NOTE_MAX, 'Note for the history'),
  },
  partial,
  (read) => {
    requireAny(read)
    if (read.muted_until !== undefined && read.state !== 'muted') throw invalidParameter('muted_until', 'needs the state muted')
  },
)
export type BreakageEdit = Static<typeof BreakageEdit>

export const CommentInput = body({ body: filled(COMMENT_MAX, 'Markdown; <@7> mentions the user 7') }, object)

const UUID_LENGTH = 36

const ofSide = (side: string) => Type.Number({ minimum: 0, maximum: 1, description: `Share of the ${side} of the picture` })

/** How requests name a record of any kind. */
export const RECORD_HELP = `Kind (${COMMENT_SUBJECTS.join(', ')}) and id, such as task/12`
const RECORD_MAX = 60

export const RecordCommentInput = body(
  {
    record: filled(RECORD_MAX, RECORD_HELP),
    body: filled(COMMENT_MAX, 'Markdown; <@7> mentions the user 7'),
  },
  object,
)
export type RecordCommentInput = Static<typeof RecordCommentInput>

export const AssetCommentInput = body(
  {
    body: filled(COMMENT_MAX, 'Markdown; <@7> mentions the user 7'),
    asset_version: optional({
      sent: Type.Integer({ minimum: 1, description: 'The newest version if omitted' }),
      read: readers.integer(1),
    }),
    point: optional({
      sent: object({ x: ofSide('width'), y: ofSide('height') }),
      read: readers.point,
    }),
  },
  object,
)
export type AssetCommentInput = Static<typeof AssetCommentInput>
export const ResolvedInput = body(
  { resolved: { sent: Type.Boolean({ description: 'False opens it again' }), read: readers.flag } },
  object,
)
export const ShareInput = body(
  {
    artifact_id: filled(UUID_LENGTH, 'Id of an uploaded artifact of the build'),
    days: optional({
      sent: Type.Integer({
        minimum: 1,
        maximum: SHARE_DAYS_MAX,
        description: `Days until the link expires (default: ${SHARE_DAYS})`,
      }),
      read: readers.integer(1, SHARE_DAYS_MAX),
    }),
  },
  object,
)
export type ShareInput = Static<typeof ShareInput>
export const ReactionInput = body(
  { reaction: choice(REACTIONS), on: { sent: Type.Boolean({ description: 'False removes it' }), read: readers.flag } },
  object,
)
export type ReactionInput = Static<typeof ReactionInput>

export const TestEdit = body(
  {
    /** Null releases it. */
    quarantined_until: { sent: nullable(instant), read: readers.instant },
    reason: optional(filled(NOTE_MAX, 'Why it is in quarantine; required with a time')),
    owner_user_id: optional({ sent: shortId, read: readers.integer(1) }),
  },
  object,
  (read) => {
    if (read.quarantined_until !== null && read.reason === undefined) throw invalidParameter('reason', 'is required')
  },
)
export type TestEdit = Static<typeof TestEdit>

/** The most changes that one correction can clear. */
const CLEARED_MAX = 50

export const CorrectionInput = body(
  {
    line: {
      sent: Type.Integer({ minimum: 1, description: 'Number of the log line that shows the cause' }),
      read: readers.integer(1),
    },
    category: choice(CORRECT_CATEGORIES),
    cause: {
      sent: Type.String({ minLength: 1, maxLength: CAUSE_MAX, description: 'Why the build failed, in your words' }),
      read: readers.filled(CAUSE_MAX),
    },
    cleared_change_ids: {
      sent: Type.Array(recordId, { maxItems: CLEARED_MAX, description: 'Ids of changes that did not cause the failure' }),
      read: readers.list(readers.integer(1, ID_MAX), 0, CLEARED_MAX),
    },
  },
  partial,
  (read) => requireAny(read),
)
export type CorrectionInput = Static<typeof CorrectionInput>

export const CiRequest = body(
  {
    action: choice(CI_ACTIONS),
    parameters: optional({
      sent: Type.Array(Type.String({ maxLength: PARAMETER_MAX }), {
        maxItems: PARAMETERS_MAX,
        description: 'With start: NAME=value',
      }),
      read: readers.list(readers.filled(PARAMETER_MAX), 0, PARAMETERS_MAX),
    }),
  },
  object,
  ({ action, parameters = [] }) => {
    if (parameters.length > 0 && action !== 'start') throw invalidParameter('parameters', 'needs the action start')
  },
)

const buildId: readers.Reader<number> = (name, value) => {
  const id = typeof value === 'string' || typeof value === 'number' ? readId(String(value)) : undefined
  if (id === undefined) throw invalidParameter(name, 'must be the id of a build run')
  return id
}

export const DeploymentEdit = body(
  {
    status: choice(DEPLOYMENT_STATUSES),
    /** Null removes the build. */
    build_run_id: { sent: nullable(recordId), read: buildId },
    note: filled(NOTE_MAX, 'Reason, for the history; required with a status'),
  },
  partial,
  (read) => {
    requireAny(read)
    if (read.status !== undefined && read.note === undefined)
      throw invalidParameter('note', 'is required with a status: the reason')
  },
)
export type DeploymentEdit = Static<typeof DeploymentEdit>

const change = filled(IDENTIFIER_MAX, 'Changelist or commit')

export const MarkGood = body(
  {
    branch: filled(BRANCH_MAX, 'Branch or stream, such as main or //game/main'),
    change: { ...change, read: readers.numberOr(change.read) },
    reason: optional(filled(NOTE_MAX, 'Reason; required unless good is false')),
    good: optional({ sent: Type.Boolean({ description: 'false removes the mark' }), read: readers.flag }),
  },
  object,
  (read) => {
    if (read.good !== false && read.reason === undefined) throw invalidParameter('reason', 'is required')
  },
)
export type MarkGood = Static<typeof MarkGood>

export const MuteAgent = body(
  {
    agent: filled(DIMENSION_MAX, 'Name of the agent'),
    reason: optional(filled(NOTE_MAX, 'Reason; required unless muted is false')),
    /** Null: until somebody unmutes it. */
    muted_until: optional({ sent: nullable(instant), read: readers.instant }),
    muted: optional({ sent: Type.Boolean({ description: 'false unmutes the agent' }), read: readers.flag }),
  },
  object,
  (read) => {
    if (read.muted !== false && read.reason === undefined) throw invalidParameter('reason', 'is required')
    if (read.muted === false && read.muted_until != null) throw invalidParameter('muted_until', 'must be absent to unmute')
  },
)
export type MuteAgent = Static<typeof MuteAgent>
