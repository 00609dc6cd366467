import { Type } from 'typebox'
import { invalidAssignee, invalidParameter, notOneOf } from './errors.ts'
import * as readers from './field-readers.ts'
import { instant, nullable, object, oneOf, partial, recordId, shortId, text } from './fields.ts'
import { BRANCH_MAX, DESCRIPTION_MAX, IDENTIFIER_MAX, NOTE_MAX, STAGE_MAX } from './limits.ts'
import { readId } from './params.ts'
import {
  BREAKAGE_EDIT_STATES,
  type BreakageEditState,
  DECISIONS,
  DEPLOYMENT_STATUSES,
  type Decision,
  type DeploymentStatus,
} from './sets.ts'
import { ASSIGNEE_FORMAT, partOf, TASK_FIELD_NAMES, TASK_FIELDS, type TaskFields } from './task-fields.ts'

/** Turns a body as it was sent into what the domain takes, or refuses it with the words of the interface. */
export type Read<T> = (body: unknown) => T

const { title, ...others } = partOf('sent')

export const TaskInput = object({ title, ...Type.Partial(object(others)).properties })
export type TaskInput = Partial<TaskFields> & Pick<TaskFields, 'title'>

export const TaskEdit = Type.Partial(
  object({ title, ...others, description_append: Type.String({ description: 'added to the end of the description' }) }),
)
export type TaskEdit = Partial<TaskFields> & { description_append?: string }

const { optional, required } = readers
const optionals = Object.fromEntries(
  TASK_FIELD_NAMES.map((name) => [name, optional(TASK_FIELDS[name].read as readers.Reader<unknown>)]),
)
const input = readers.object({ ...optionals, title: required(TASK_FIELDS.title.read) })
const edit = readers.object({ ...optionals, description_append: optional(readers.text(DESCRIPTION_MAX)) })

export const readTaskInput: Read<TaskInput> = (body) => readTask(body, input) as TaskInput

export const readTaskEdit: Read<TaskEdit> = (body) => readTask(body, edit)

const wrapped = readers.object({ task: optional((_, value) => value) })

function readTask(body: unknown, fields: readers.Reader<object>): TaskEdit {
  const { task } = readBody(wrapped, body)
  if (!readers.isObject(task)) throw invalidParameter('task', 'must be an object with the fields of the task')
  const read = fields('', task) as TaskEdit
  if (read.assignee_handle != null && read.user_id != null)
    throw invalidAssignee('A task has an agent or a person, not both.', ASSIGNEE_FORMAT)
  return read
}

export const DecisionInput = object({
  status: oneOf(DECISIONS),
  comments: Type.Optional(text),
  stage: Type.Optional(Type.String({ minLength: 1, maxLength: STAGE_MAX })),
})
export interface DecisionInput {
  status: Decision
  comments?: string
  stage?: string
}

const decision = readers.object({
  status: optional(readers.oneOf(DECISIONS)),
  comments: optional(readers.text(DESCRIPTION_MAX)),
  stage: optional(readers.text(STAGE_MAX, 1)),
})

export const readDecision: Read<DecisionInput> = (body) => {
  const read = readBody(decision, body)
  if (read.status === undefined) throw notOneOf('status', DECISIONS)
  return read as DecisionInput
}

export const BreakageEdit = partial({
  state: oneOf(BREAKAGE_EDIT_STATES),
  owner_user_id: nullable(shortId),
  muted_until: nullable(instant),
  note: Type.String({ minLength: 1, maxLength: NOTE_MAX, description: 'added to the history' }),
})
export interface BreakageEdit {
  state?: BreakageEditState
  /** Null: nobody. */
  owner_user_id?: number | null
  /** Null: until it stops happening. */
  muted_until?: string | null
  note?: string
}

const orNull = <T>(read: readers.Reader<T>): readers.Field<T | null, [], false> => ({ ...optional(read), nullable: true })
const breakageEdit = readers.object({
  state: optional(readers.oneOf(BREAKAGE_EDIT_STATES)),
  owner_user_id: orNull(readers.integer(1)),
  muted_until: orNull(readers.instant),
  note: optional(readers.filled(NOTE_MAX)),
})

export const readBreakageEdit: Read<BreakageEdit> = (body) => {
  const read = readBody(breakageEdit, body)
  if (Object.keys(read).length === 0) throw invalidParameter('body', 'must have at least one field')
  if (read.muted_until !== undefined && read.state !== 'muted') throw invalidParameter('muted_until', 'goes with the state muted')
  return read
}

export const DeploymentEdit = partial({
  status: oneOf(DEPLOYMENT_STATUSES),
  build_run_id: nullable(recordId),
  note: Type.String({
    minLength: 1,
    maxLength: NOTE_MAX,
    description: 'the reason; required with a status, added to the history',
  }),
})
export interface DeploymentEdit {
  status?: DeploymentStatus
  /** Null removes the build. */
  build_run_id?: number | null
  note?: string
}

const buildId: readers.Reader<number> = (name, value) => {
  const id = typeof value === 'string' || typeof value === 'number' ? readId(String(value)) : undefined
  if (id === undefined) throw invalidParameter(name, 'must be the id of a build run')
  return id
}

const deploymentEdit = readers.object({
  status: optional(readers.oneOf(DEPLOYMENT_STATUSES)),
  build_run_id: orNull(buildId),
  note: optional(readers.filled(NOTE_MAX)),
})

export const readDeploymentEdit: Read<DeploymentEdit> = (body) => {
  const read = readBody(deploymentEdit, body)
  if (Object.keys(read).length === 0) throw invalidParameter('body', 'must have at least one field')
  if (read.status !== undefined && read.note === undefined) throw invalidParameter('note', 'must give the reason for the status')
  return read
}

export const MarkGood = object({
  branch: Type.String({ minLength: 1, maxLength: BRANCH_MAX, description: 'its name, as main or //game/main' }),
  change: Type.String({ minLength: 1, maxLength: IDENTIFIER_MAX, description: 'its changelist or commit' }),
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: NOTE_MAX, description: 'the reason; required unless good is false' }),
  ),
  good: Type.Optional(Type.Boolean({ description: 'false removes the mark' })),
})
export interface MarkGood {
  branch: string
  change: string
  reason?: string
  good?: boolean
}

const markGood = readers.object({
  branch: required(readers.filled(BRANCH_MAX)),
  change: required(readers.numberOr(readers.filled(IDENTIFIER_MAX))),
  reason: optional(readers.filled(NOTE_MAX)),
  good: optional(readers.flag),
})

export const readMarkGood: Read<MarkGood> = (body) => {
  const read = readBody(markGood, body)
  if (read.good !== false && read.reason === undefined) throw invalidParameter('reason', 'is required')
  return read
}

function readBody<T>(fields: readers.Reader<T>, body: unknown): T {
  if (!readers.isObject(body)) throw invalidParameter('body', 'must be a JSON object')
  return fields('', body)
}
