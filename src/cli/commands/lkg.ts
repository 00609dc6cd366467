import { BEHIND_MAX } from '../../contract/limits.ts'
import { Failure } from '../../terminal/failures.ts'
import { command } from '../program/command.ts'
import { SUMMARIES } from '../summaries.ts'

export const lkg = command({
  name: 'lkg',
  summary: SUMMARIES.lkg,
  project: true,
  web: ({ project }) => `/projects/${project}/branches`,
  args: { branch: { help: 'Branch or stream, such as main or //game/main (default: the branch built last)', optional: true } },
  shows: { route: 'showBranchHealth' },
  details:
    'Last known good is the newest change that every required job passed, or a newer one that somebody marked as good.\nIn a pipe it prints only the changelist or commit, for sync scripts. Exit code 1: no change is good.',
  examples: ['lkg', 'lkg main', '$ p4 sync //game/main/...@$(goldmaster lkg //game/main)'],
  async run({ client, project, args, out }) {
    const { branch } = args
    const health = await client.showBranchHealth({ project_id: project, query: branch === undefined ? {} : { branch } })
    const {
      name,
      state,
      red_since,
      head,
      last_known_good: good,
      marked_good: marked,
      held_back_by,
      changes_behind,
      jobs,
    } = health
    out.answer(health, () => {
      const held = held_back_by.join(', ')
      if (!good)
        throw new Failure(
          `${name} has no last known good change${held && `: ${held} is red`}. To mark one by hand, run: goldmaster branches mark-good ${name} CHANGE --reason TEXT`,
        )
      if (!out.forPeople) return out.line(good.identifier)
      out.title(`${good.display_identifier} is the last known good change of ${name}`)
      out.facts({
        state,
        red_since,
        head: head?.display_identifier,
        behind: changes_behind !== null && changes_behind >= BEHIND_MAX ? `${BEHIND_MAX} or more` : changes_behind,
        held_back_by: held || undefined,
        marked_by: marked ? `user:${marked.user_id ?? 'unknown'}, ${marked.marked_at}: ${marked.reason}` : undefined,
      })
      out.section('Jobs', jobs, ['name', 'state', 'red_since', { title: 'last build', cell: (job) => job.last_build_id }])
    })
  },
})
