import { readTaskEdit, readTaskInput } from '../../contract/bodies.ts'
import { PRIORITIES, TASK_STATES, TASK_TYPES } from '../../contract/sets.ts'
import type { TaskDetail } from '../../contract/shapes.ts'
import { VERSION } from '../../contract/version.ts'
import { ask } from '../connection/ask.ts'
import { usage } from '../connection/failures.ts'
import type { Output } from '../output/output.ts'
import { command } from '../program/command.ts'
import type { Flag, Given } from '../program/flags.ts'
import { textOf } from '../program/given-text.ts'

export const handleFlag = { help: 'the agent who works on it, such as lint-bot', value: 'handle' } as const satisfies Flag

const fields = {
  title: { help: 'what is to be done, in a line', value: 'text', short: 't' },
  description: { help: 'the whole story; - reads standard input', value: 'text', short: 'd' },
  state: { help: 'where it stands', value: 'state', values: TASK_STATES },
  task_type: { help: 'what kind of work it is', value: 'type', values: TASK_TYPES },
  priority: { help: 'how much it matters', value: 'priority', values: PRIORITIES },
  assignee_handle: handleFlag,
  user_id: { help: 'the member who works on it', value: 'id' },
  label: { help: 'a label; may be repeated', value: 'label', many: true },
  metadata: { help: 'your own data: a JSON object', value: 'json' },
} as const

const CLEARS = 'none'

/** What was given, as the API takes it; `none` clears who works on it. */
async function taskOf(given: Partial<Given<typeof fields>>): Promise<Record<string, unknown>> {
  const { label, metadata, user_id, assignee_handle, description, title, state, task_type, priority } = given
  const task: Record<string, unknown> = { title, description: await textOf(description), state, task_type, priority }
  if (assignee_handle !== undefined) task.assignee_handle = assignee_handle === CLEARS ? null : assignee_handle
  if (user_id !== undefined) task.user_id = user_id === CLEARS ? null : Number(user_id)
  if (label !== undefined) task.labels = label.filter((each) => each !== '')
  if (metadata !== undefined) task.metadata = readObject(metadata)
  return Object.fromEntries(Object.entries(task).filter(([, value]) => value !== undefined))
}

function readObject(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
  throw usage('--metadata must be a JSON object')
}

/** The contract's own reader refuses before anything is sent. */
function check(read: (body: unknown) => unknown, body: object) {
  try {
    read(body)
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
  summary: 'create a task',
  project: true,
  flags: { ...fields, idempotency_key: { help: 'a word of your own that makes a repeat safe for 24 hours', value: 'key' } },
  shows: { route: 'createTask' },
  examples: [
    'tasks create --title "Hero falls through the bridge" --task-type bug --priority high --label physics',
    'tasks create --title "Review the merge" --description - < notes.txt',
  ],
  async run({ client, project, flags, out }) {
    const title = flags.title ?? (await ask('Title', '--title'))
    const task = await taskOf({ ...flags, title })
    task.metadata = { ...(task.metadata as object), client: { name: 'goldmaster-cli', version: VERSION } }
    check(readTaskInput, { task })
    const headers: Record<string, string> = flags.idempotency_key ? { 'idempotency-key': flags.idempotency_key } : {}
    const made = await client.createTask({ project_id: project, body: { task }, headers })
    answer(out, made, `Created task #${made.id}: ${made.title}`)
  },
})

export const edit = command({
  name: 'edit',
  summary: 'change a task; what is not named stays',
  project: true,
  args: [{ name: 'task', help: 'its id' }],
  flags: { ...fields, append: { help: 'add to the end of the description; - reads standard input', value: 'text' } },
  shows: { route: 'editTask' },
  details:
    'none as --assignee-handle or --user-id takes the task from whoever has it; --label replaces all labels, --label "" removes them.',
  examples: ['tasks edit 12 --priority critical --state blocked', 'tasks edit 12 --append "Seen again in build 341"'],
  async run({ client, project, args, flags, out }) {
    const appended = await textOf(flags.append)
    const task = { ...(await taskOf(flags)), ...(appended === undefined ? {} : { description_append: appended }) }
    if (Object.keys(task).length === 0)
      throw usage('Say what to change, such as --state or --priority; see goldmaster tasks edit --help')
    check(readTaskEdit, { task })
    const edited = await client.editTask({ project_id: project, id: args[0]!, body: { task } })
    answer(out, edited, `Changed task #${edited.id}: ${edited.title}`)
  },
})
