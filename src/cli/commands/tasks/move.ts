import type { TaskState } from '../../../contract/sets.ts'
import { command } from '../../program/command.ts'
import { handleFlag } from './write.ts'

/** Moves tasks to a state, one after the other; stops at the first error. */
const move = (name: string, state: TaskState, summary: string, examples: readonly string[]) =>
  command({
    name,
    summary,
    project: true,
    args: { task: { help: 'Ids of the tasks', many: true } },
    flags: { assignee_handle: handleFlag },
    web: ({ project, args }) => args.task.map((id) => `/projects/${project}/tasks/${id}`),
    shows: { route: 'editTask' },
    examples,
    async run({ client, project, args, flags, out }) {
      const given = flags.assignee_handle === undefined ? {} : { assignee_handle: flags.assignee_handle }
      for (const id of args.task) {
        const task = await client.editTask({ project_id: project, id, body: { task: { state, ...given } } })
        out.answer(task, () => out.say(`#${task.id} is ${task.state}: ${task.title}`))
      }
    },
  })

export const start = move('start', 'in_progress', 'Set tasks to in progress', [
  'tasks start 12',
  'tasks start 12 --assignee-handle lint-bot',
])
export const done = move('done', 'completed', 'Set tasks to completed', ['tasks done 12 13 14'])
