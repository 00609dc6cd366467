import type { Noun } from '../../terminal/command.ts'
import { extra, main } from '../../terminal/table.ts'
import { command } from '../program/command.ts'
import { listCommand } from '../program/list-command.ts'
import { SUMMARIES } from '../summaries.ts'

const list = listCommand({
  route: 'listBranches',
  rows: 'branches',
  noun: 'branches',
  summary: 'List branches: state, red jobs, last known good change',
  empty: 'A branch appears with its first build or change.',
  page: 'branches',
  columns: [
    { ...main('name'), ends: true },
    'state',
    { title: 'red jobs', cell: ({ jobs }) => jobs.filter(({ state }) => state === 'red').map(({ name }) => name) },
    'red_since',
    { title: 'head', cell: ({ head }) => head?.display_identifier, extra: true },
    { title: 'last good', cell: ({ last_known_good }) => last_known_good?.display_identifier },
    extra('changes_behind', 'behind'),
    extra('held_back_by', 'held back by'),
    extra('time_to_green_seconds', 'green after'),
  ],
  examples: ['branches', 'branches --query release', "branches --pick '[0].last_known_good.identifier'"],
})

const ARGS = {
  branch: { help: 'Branch or stream, such as main or //game/main' },
  change: { help: 'Changelist or commit' },
} as const

const web = ({ project }: { project: string }) => `/projects/${project}/branches`

const NEWEST = '$(goldmaster changes list --branch main --pick "[0].identifier")'

const markGood = command({
  name: 'mark-good',
  summary: 'Mark a change as last known good, despite its jobs',
  project: true,
  web,
  args: ARGS,
  flags: { reason: { help: 'Reason; shown with your name', value: 'text', required: true } },
  shows: { route: 'markBranchGood' },
  details: 'It stays the last known good change until a later change is good.',
  examples: [`branches mark-good main ${NEWEST} --reason "played the whole level, only the lint job is red"`],
  async run({ client, project, args, flags, out }) {
    const body = { branch: args.branch, change: args.change, reason: flags.reason ?? '' }
    const health = await client.markBranchGood({ project_id: project, body })
    out.answer(health, () =>
      out.say(`${health.last_known_good?.display_identifier} is the last known good change of ${health.name}`),
    )
  },
})

const unmarkGood = command({
  name: 'unmark-good',
  summary: 'Remove the good mark from a change',
  project: true,
  web,
  args: ARGS,
  shows: { route: 'markBranchGood' },
  examples: [`branches unmark-good main ${NEWEST}`],
  async run({ client, project, args, out }) {
    const body = { branch: args.branch, change: args.change, good: false }
    const health = await client.markBranchGood({ project_id: project, body })
    const good = health.last_known_good?.display_identifier ?? 'none'
    out.answer(health, () => out.say(`Mark removed. Last known good change of ${health.name}: ${good}`))
  },
})

export const branches: Noun = {
  name: 'branches',
  summary: SUMMARIES.branches,
  usual: 'list',
  commands: [list, markGood, unmarkGood],
}
