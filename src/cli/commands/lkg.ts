import { Failure } from '../../terminal/failures.ts'
import { command } from '../program/command.ts'

export const lkg = command({
  name: 'lkg',
  summary: 'print the last known good change of a branch: the newest that every required job passed',
  project: true,
  web: ({ project }) => `/projects/${project}/branches`,
  args: { branch: { help: 'its name, as main or //game/main (default: the branch built last)', optional: true } },
  shows: { route: 'showBranchHealth' },
  details: 'In a pipe it prints the changelist or commit alone, for sync scripts; it fails when there is none.',
  examples: ['lkg', 'lkg //game/main', 'p4 sync //game/main/...@$(goldmaster lkg //game/main)'],
  async run({ client, project, args, out }) {
    const { branch } = args
    const health = await client.showBranchHealth({ project_id: project, query: branch === undefined ? {} : { branch } })
    const { name, state, red_since, head, last_known_good: good, changes_behind, jobs } = health
    out.answer(health, () => {
      if (!good) throw new Failure(`No change of ${name} is known to be good: no job passed on both sides of one.`)
      if (!out.forPeople) return out.line(good.identifier)
      out.title(`${good.display_identifier} is the last known good change of ${name}`)
      out.facts({ state, red_since, head: head?.display_identifier, behind: changes_behind })
      out.section('Jobs', jobs, ['name', 'state', 'red_since', { title: 'last build', cell: (job) => job.last_build_id }])
    })
  },
})
