import type { Noun } from '../../terminal/command.ts'
import { extra, main } from '../../terminal/table.ts'
import { command } from '../program/command.ts'
import { listCommand } from '../program/list-command.ts'
import { SUMMARIES } from '../summaries.ts'

const list = listCommand({
  route: 'listBranches',
  rows: 'branches',
  noun: 'branches',
  summary: 'list the branches and streams that are built: red or green, since when, and their last known good change',
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
  help: { q: 'only those whose name holds this text' },
  examples: ['branches', 'branches --q rel', "branches --pick '[0].last_known_good.identifier'"],
})

const ARGS = {
  branch: { help: 'its name, as main or //game/main' },
  change: { help: 'the changelist or commit' },
} as const

const web = ({ project }: { project: string }) => `/projects/${project}/branches`

const markGood = command({
  name: 'mark-good',
  summary: 'mark a change of a branch as good, whatever the results of its jobs',
  project: true,
  web,
  args: ARGS,
  flags: { reason: { help: 'why it is good; shown with your name', value: 'text', required: true } },
  shows: { route: 'markBranchGood' },
  details: 'It is the last known good change until a later one is good.',
  examples: ['branches mark-good //game/main 1203 --reason "played the whole level, only the lint job is red"'],
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
  summary: 'remove the mark from a change that was marked as good',
  project: true,
  web,
  args: ARGS,
  shows: { route: 'markBranchGood' },
  examples: ['branches unmark-good //game/main 1203'],
  async run({ client, project, args, out }) {
    const body = { branch: args.branch, change: args.change, good: false }
    const health = await client.markBranchGood({ project_id: project, body })
    const good = health.last_known_good?.display_identifier ?? 'no change'
    out.answer(health, () => out.say(`Mark removed: ${good} is known to be good on ${health.name}`))
  },
})

export const branches: Noun = {
  name: 'branches',
  summary: SUMMARIES.branches,
  usual: 'list',
  commands: [list, markGood, unmarkGood],
}
