import type { Noun } from '../../terminal/command.ts'
import { extra, main } from '../../terminal/table.ts'
import { listCommand } from '../program/list-command.ts'
import { showCommand } from '../program/show-command.ts'
import { SUMMARIES } from '../summaries.ts'
import { done, start } from './tasks/move.ts'
import { create, edit } from './tasks/write.ts'

interface Assigned {
  assignee_handle: string | null
  user_id: number | null
}

/** An agent by its handle, a person by their number. */
const assignee = {
  title: 'assignee',
  cell: (task: Assigned) => task.assignee_handle ?? (task.user_id && `user:${task.user_id}`),
  extra: true,
} as const

const list = listCommand({
  route: 'listTasks',
  rows: 'tasks',
  noun: 'tasks',
  summary: 'List the tasks of a project, newest first',
  empty: 'Create one with goldmaster tasks create, or connect your task tracker in the web app under Integrations.',
  page: 'tasks',
  columns: ['id', 'state', 'priority', main('title'), assignee, extra('task_type', 'type'), 'updated_at'],
  examples: [
    'tasks list --state to_do,blocked --priority critical',
    'tasks list --query "editor build"',
    'tasks list --assignee handle:cook-doctor --limit 200 --json id,title',
    "tasks list --pick '[].urls.web'",
  ],
})

const show = showCommand({
  route: 'showTask',
  noun: 'task',
  summary: 'Show a task with its changes, builds and deployments',
  page: (task) => `tasks/${task.id}`,
  examples: ['tasks show 12', 'tasks show 12 --web', "tasks show 12 --pick 'links.changes[].display_identifier'"],
  tell(task, { out }) {
    out.title(`#${task.id} ${task.title}`)
    const { state, task_type, priority, labels, created_at, updated_at, urls, links } = task
    out.facts({ state, task_type, priority, assignee: assignee.cell(task), labels, created_at, updated_at, page: urls.web })
    out.prose(task.description)
    out.section('Changes', links.changes, ['id', 'display_identifier', 'source_type'])
    out.section('Builds', links.build_runs, ['id', 'status', 'ci_job_name', 'commit_hash'])
    out.section('Deployments', links.deployments, ['id', 'status', 'platform', 'branch'])
  },
})

export const tasks: Noun = { name: 'tasks', summary: SUMMARIES.tasks, commands: [list, show, create, edit, start, done] }
