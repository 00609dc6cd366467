import type { TSchema } from 'typebox'
import { readTask, TaskEdit, TaskInput } from '../../../contract/bodies.ts'
import { isObject } from '../../../contract/field-readers.ts'
import type { TaskDetail } from '../../../contract/shapes.ts'
import { isNullable, jsonTypeOf, TASK_FIELD_NAMES, TASK_FIELDS, type TaskField } from '../../../contract/task-fields.ts'
import { VERSION } from '../../../contract/version.ts'
import { ask } from '../../../terminal/ask.ts'
import { usage } from '../../../terminal/failures.ts'
import type { Flag, Flags, GivenFlags } from '../../../terminal/flags.ts'
import { textOf } from '../../../terminal/given-text.ts'
import type { Output } from '../../../terminal/output.ts'
import { command } from '../../program/command.ts'

export const handleFlag = { help: 'Assigned agent, such as lint-bot', value: 'handle' } as const satisfies Flag

const CLEARS = 'none'

/** Fields with their own flags; labels are given one at a time. */
const OWN = {
  title: { help: 'Title, one line', value: 'text', short: 't' },
  description: { help: 'Description, plain text; - reads standard input', value: 'text', short: 'd' },
  assignee_handle: handleFlag,
  user_id: { help: 'User id of the assigned member', value: 'id' },
  label: { help: 'Label (repeatable)', value: 'label', many: true },
  metadata: { help: 'Your own data, a JSON object', value: 'json' },
} as const satisfies Flags

/** The others follow the contract: a word, a number, or one of a set. */
function flagOf(name: TaskField): Flag {
  const { sent, help } = TASK_FIELDS[name]
  const { enum: values } = sent as { enum?: readonly string[] }
  const text = isNullable(name) ? `${help}; ${CLEARS} clears it` : help
  return { help: text, value: name.slice(name.lastIndexOf('_') + 1), ...(values && { values }) }
}

const fields = Object.fromEntries(
  TASK_FIELD_NAMES.map((name) => (name === 'labels' ? 'label' : name)).map((name) => [
    name,
    name in OWN ? OWN[name as keyof typeof OWN] : flagOf(name as TaskField),
  ]),
) as unknown as typeof OWN

/** The given fields in the API's format; `none` clears optional ones. */
async function taskOf(given: Partial<GivenFlags<typeof OWN>>): Promise<Record<string, unknown>> {
  const { label, metadata, description } = given
  const task = Object.fromEntries(TASK_FIELD_NAMES.map((name) => [name, typed(name, (given as Record<string, unknown>)[name])]))
  task.description = await textOf(description)
  if (label !== undefined) task.labels = label.filter((each) => each !== '')
  if (metadata !== undefined) task.metadata = readObject(metadata)
  return Object.fromEntries(Object.entries(task).filter(([, value]) => value !== undefined))
}

function typed(name: TaskField, given: unknown): unknown {
  if (given === CLEARS && isNullable(name)) return null
  return given !== undefined && jsonTypeOf(name) === 'integer' ? Number(given) : given
}

function readObject(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text)
    if (isObject(value)) return value
  } catch {}
  throw usage('--metadata must be a JSON object')
}

/** The contract's own reader refuses before anything is sent. */
function check(fields: TSchema, task: object) {
  try {
    readTask(fields, task)
  } catch (error) {
    throw usage((error as Error).message)
  }
}

const answer = (out: Output, task: TaskDetail, said: string) =>
  out.answer(task, () => {
    out.note(said)
    out.say(task.urls.web)
  })

export const create = command({
  name: 'create',
  summary: 'Create a task',
  project: true,
  flags: {
    ...fields,
    idempotency_key: { help: 'Any text; a retry with the same key within 24 h creates no second task', value: 'key' },
  },
  web: ({ project }) => `/projects/${project}/tasks`,
  shows: { route: 'createTask' },
  examples: [
    'tasks create --title "Hero falls through the bridge" --task-type bug --priority high --label physics',
    'tasks create --title "Review the merge" --description - < notes.txt',
  ],
  async run({ client, project, flags, out }) {
    const title = flags.title ?? (await ask('Title', '--title'))
    const task = await taskOf({ ...flags, title })
    task.metadata = { ...(task.metadata as object), client: { name: 'goldmaster-cli', version: VERSION } }
    check(TaskInput, task)
    const headers: Record<string, string> = flags.idempotency_key ? { 'idempotency-key': flags.idempotency_key } : {}
    const made = await client.createTask({ project_id: project, body: { task }, headers })
    answer(out, made, `Created task #${made.id}: ${made.title}`)
  },
})

export const edit = command({
  name: 'edit',
  summary: 'Change fields of a task; other fields stay as they are',
  project: true,
  args: { task: { help: 'Id of the task' } },
  flags: { ...fields, append: { help: 'Text to add to the description; - reads standard input', value: 'text' } },
  web: ({ project, args }) => `/projects/${project}/tasks/${args.task}`,
  shows: { route: 'editTask' },
  details:
    'To unassign the task, pass none as --assignee-handle or --user-id. --label replaces all labels; --label "" removes them.',
  examples: ['tasks edit 12 --priority critical --state blocked', 'tasks edit 12 --append "Seen again in build 54"'],
  async run({ client, project, args, flags, out }) {
    const appended = await textOf(flags.append)
    const task = { ...(await taskOf(flags)), ...(appended === undefined ? {} : { description_append: appended }) }
    if (Object.keys(task).length === 0)
      throw usage('Nothing to change. Pass at least one field, such as --state or --priority; see goldmaster tasks edit --help')
    check(TaskEdit, task)
    const edited = await client.editTask({ project_id: project, id: args.task, body: { task } })
    answer(out, edited, `Changed task #${edited.id}: ${edited.title}`)
  },
})
