import { invalidAssignee, invalidParameter, notOneOf, unknownParameter } from './errors.ts'
import { HANDLE, ID_MAX } from './params.ts'
import {
  DECISIONS,
  type Decision,
  PRIORITIES,
  type Priority,
  TASK_STATES,
  TASK_TYPES,
  type TaskState,
  type TaskType,
} from './sets.ts'

/** Turns a body as it was sent into what the domain takes, or refuses it with the words of the interface. */
export type Read<T> = (body: unknown) => T

export interface TaskFields {
  title: string
  description: string
  state: TaskState
  task_type: TaskType
  priority: Priority
  assignee_handle: string | null
  user_id: number | null
  labels: string[]
  metadata: Record<string, unknown>
}
export type TaskInput = Partial<TaskFields> & Pick<TaskFields, 'title'>
export type TaskEdit = Partial<TaskFields> & { description_append?: string }

export interface DecisionInput {
  status: Decision
  comments?: string
  stage?: string
}

const TITLE_MAX = 255
export const DESCRIPTION_MAX = 65_536
const LABELS_MAX = 50
const LABEL_MAX = 100
const METADATA_MAX = 16_384
const METADATA_DEPTH = 64
const USER_ASSIGNEE_FORMAT = 'assignee_handle ([a-z0-9-], 1 to 50 characters) or user_id (a member of the account), not both'

type Reader = (name: string, value: unknown) => unknown

/** PostgreSQL holds neither NUL nor half a surrogate pair: the first is refused, the second mended. */
const text =
  (max: number, min = 0): Reader =>
  (name, value) => {
    if (typeof value !== 'string') throw invalidParameter(name, 'must be a string')
    if (value.includes('\0')) throw invalidParameter(name, 'must not contain a NUL character')
    const clean = value.toWellFormed()
    if (clean.length < min) throw invalidParameter(name, 'must not be empty')
    if (bytes(clean) > max) throw invalidParameter(name, `must be at most ${max} bytes`)
    return clean
  }

const title: Reader = (name, value) => {
  const trimmed = (text(Number.POSITIVE_INFINITY)(name, value) as string).trim()
  if (trimmed.length < 1 || trimmed.length > TITLE_MAX * 2 || [...trimmed].length > TITLE_MAX)
    throw invalidParameter(name, `must have 1 to ${TITLE_MAX} characters`)
  return trimmed
}

const oneOf =
  (values: readonly string[]): Reader =>
  (name, value) => {
    if (typeof value !== 'string' || !values.includes(value)) throw notOneOf(name, values)
    return value
  }

const handle: Reader = (_, value) => {
  if (value !== null && !(typeof value === 'string' && HANDLE.test(value)))
    throw invalidAssignee('assignee_handle must match [a-z0-9-] and have 1 to 50 characters.', USER_ASSIGNEE_FORMAT)
  return value
}

const userId: Reader = (_, value) => {
  if (value !== null && !(Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= ID_MAX)) throw notAMember()
  return value
}

export const notAMember = () => invalidAssignee('user_id must be a member of the account.', USER_ASSIGNEE_FORMAT)

const labels: Reader = (name, value) => {
  if (!Array.isArray(value)) throw invalidParameter(name, 'must be a list of strings')
  if (value.length > LABELS_MAX) throw invalidParameter(name, `must have at most ${LABELS_MAX} entries`)
  const read = value.map((label) => text(LABEL_MAX * 4, 1)(name, label) as string)
  if (read.some((label) => [...label].length > LABEL_MAX))
    throw invalidParameter(name, `must have 1 to ${LABEL_MAX} characters each`)
  return [...new Set(read)]
}

const metadata: Reader = (name, value) => {
  if (!isObject(value)) throw invalidParameter(name, 'must be an object')
  if (Object.hasOwn(value, 'via_api_token_id')) throw invalidParameter(`${name}.via_api_token_id`, 'is set by the service')
  const why = unstorable(value)
  if (why) throw invalidParameter(name, why)
  if (bytes(JSON.stringify(value)) > METADATA_MAX) throw invalidParameter(name, `must be at most ${METADATA_MAX} bytes of JSON`)
  return value
}

const TASK: Record<keyof TaskFields, Reader> = {
  title,
  description: text(DESCRIPTION_MAX),
  state: oneOf(TASK_STATES),
  task_type: oneOf(TASK_TYPES),
  priority: oneOf(PRIORITIES),
  assignee_handle: handle,
  user_id: userId,
  labels,
  metadata,
}
const EDIT: Record<string, Reader> = { ...TASK, description_append: text(DESCRIPTION_MAX) }

export const readTaskInput: Read<TaskInput> = (body) => {
  const task = readTask(body, TASK)
  if (task.title === undefined) throw invalidParameter('title', 'is required')
  return task as TaskInput
}

export const readTaskEdit: Read<TaskEdit> = (body) => readTask(body, EDIT)

function readTask(body: unknown, readers: Record<string, Reader>): TaskEdit {
  const { task } = readFields(body, { task: (_, value) => value })
  if (!isObject(task)) throw invalidParameter('task', 'must be an object with the fields of the task')
  const read = readFields(task, readers) as TaskEdit
  if (read.assignee_handle != null && read.user_id != null)
    throw invalidAssignee('A task has an agent or a person, not both.', USER_ASSIGNEE_FORMAT)
  return read
}

export const readDecision: Read<DecisionInput> = (body) => {
  const read = readFields(body, { status: oneOf(DECISIONS), comments: text(DESCRIPTION_MAX), stage: text(100, 1) })
  if (read.status === undefined) throw notOneOf('status', DECISIONS)
  return read as unknown as DecisionInput
}

/** Unknown names first, then values, as in a query. */
function readFields(body: unknown, readers: Record<string, Reader>): Record<string, unknown> {
  if (!isObject(body)) throw invalidParameter('body', 'must be a JSON object')
  const names = Object.keys(body)
  for (const name of names) if (!Object.hasOwn(readers, name)) throw unknownParameter(name, Object.keys(readers))
  return Object.fromEntries(names.map((name) => [name, readers[name]!(name, body[name])]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Level by level, because a hostile body is deeper than the stack. */
function unstorable(value: object): string | undefined {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > METADATA_DEPTH) return `must not nest deeper than ${METADATA_DEPTH}`
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item === 'string' && (item.includes('\0') || !item.isWellFormed()))
        return 'must not contain NUL or broken characters'
      if (typeof item === 'number' && !Number.isFinite(item)) return 'must not contain numbers beyond all bounds'
      if (Array.isArray(item)) for (const inner of item) next.push(inner)
      else if (isObject(item)) for (const [key, inner] of Object.entries(item)) next.push(key, inner)
    }
    level = next
  }
  return undefined
}

const bytes = (text: string) => new TextEncoder().encode(text).length
