import { BEHIND_MAX } from '../../contract/limits.ts'
import { Failure } from '../../terminal/failures.ts'
import { command } from '../program/command.ts'
import { SUMMARIES } from '../summaries.ts'

export const lkg = command({
  name: 'lkg',
  summary: SUMMARIES.lkg,
  project: true,
  web: ({ project }) => `/projects/${project}/branches`,
  args: { branch: { help: 'its name, as main or //game/main (default: the branch built last)', optional: true } },
  shows: { route: 'showBranchHealth' },
  details: 'In a pipe it prints the changelist or commit alone, for sync scripts; it fails when there is none.',
  examples: ['lkg', 'lkg //game/main', 'p4 sync //game/main/...@$(goldmaster lkg //game/main)'],
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
      if (!good) throw new Failure(`No change of ${name} is known to be good${held && `: ${held} is red`}.`)
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
