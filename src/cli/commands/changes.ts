import type { Noun } from '../../terminal/command.ts'
import { extra, field } from '../../terminal/table.ts'
import { listCommand } from '../program/list-command.ts'
import { showCommand } from '../program/show-command.ts'
import { SUMMARIES } from '../summaries.ts'

const firstLine = (text: string) => text.split('\n', 1)[0]!

const list = listCommand({
  route: 'listChanges',
  rows: 'changes',
  noun: 'changes',
  summary: 'List the commits and changelists of a project',
  empty: 'Connect your version control in the web app under Integrations.',
  page: 'changes',
  columns: [
    'id',
    { title: 'change', cell: (change) => change.display_identifier },
    'author',
    { title: 'description', cell: (change) => firstLine(change.description), main: true },
    extra('file_count', 'files'),
    field('timestamp', 'time'),
  ],
  examples: [
    'changes list --updated-since 2026-09-01',
    'changes list --branch main --author yuki --path Source',
    'changes list --source-type Changelist --json id,identifier,author',
  ],
})

const show = showCommand({
  route: 'showChange',
  noun: 'change',
  summary: 'Show a change with its files, builds, approvals and tasks',
  page: (change) => `changes/${change.id}`,
  examples: ['changes show 88', "changes show 88 --pick 'files[].path'"],
  tell(change, { out }) {
    const { author, source_type, identifier, timestamp, orphaned_at, approvals, task_ids, latest_build: latest } = change
    out.title(`${change.display_identifier} ${firstLine(change.description)}`)
    const counts = Object.entries(approvals).filter(([, count]) => count > 0)
    out.facts({
      author,
      source_type,
      identifier,
      branches: change.branches,
      timestamp,
      ...(orphaned_at === null ? {} : { orphaned_at }),
      approvals: counts.map(([status, count]) => `${count} ${status}`),
      tasks: task_ids.map((id) => `#${id}`),
      latest_build: latest && `${latest.id} ${latest.status}`,
    })
    if (change.description.includes('\n')) out.prose(change.description)
    if (change.files_available) out.section(`Files (${change.files.length})`, change.files, ['action', 'path'])
    out.section('Builds', change.build_runs, ['id', 'status', 'ci_job_name'])
  },
})

export const changes: Noun = { name: 'changes', summary: SUMMARIES.changes, commands: [list, show] }
