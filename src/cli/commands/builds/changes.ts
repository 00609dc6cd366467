import { tellContents } from '../../output/tell-contents.ts'
import { command } from '../../program/command.ts'

export const changes = command({
  name: 'changes',
  summary: 'list the changes that a build holds and an earlier one did not, by their place on the branch',
  project: true,
  pages: true,
  web: ({ project, args }) => `/projects/${project}/builds/${args.build}`,
  args: { build: { help: 'its id' } },
  flags: { since: { help: 'an earlier build (default: the last that passed on its job and branch)', value: 'id' } },
  shows: { route: 'listBuildChanges', rows: 'changes' },
  examples: ['builds changes 341', 'builds changes 341 --since 302', "builds changes 341 --pick '[].identifier'"],
  async run({ client, project, args, flags, out }) {
    const query = flags.since === undefined ? {} : { since_id: flags.since }
    const found = await client.listBuildChanges({ project_id: project, build_run_id: args.build, query })
    out.answer(found, () => {
      if (found.basis !== 'unknown')
        out.note(found.since ? `Since build ${found.since.id}.` : 'No build of this job passed before.')
      tellContents(found, out)
    })
  },
})
