import { printContents } from '../../output/print-contents.ts'
import { command } from '../../program/command.ts'

export const changes = command({
  name: 'changes',
  summary: 'List the changes in a build since an earlier build',
  project: true,
  pages: true,
  web: ({ project, args }) => `/projects/${project}/builds/${args.build}`,
  args: { build: { help: 'Id of the build' } },
  flags: { since: { help: 'Earlier build (default: the last passed one of its job and branch)', value: 'id' } },
  shows: { route: 'listBuildChanges', rows: 'changes' },
  examples: ['builds changes 54', 'builds changes 54 --since 12', "builds changes 54 --pick '[].identifier'"],
  async run({ client, project, args, flags, out }) {
    const query = flags.since === undefined ? {} : { since_id: flags.since }
    const found = await client.listBuildChanges({ project_id: project, build_run_id: args.build, query })
    out.answer(found, () => {
      if (found.basis !== 'unknown')
        out.note(found.since ? `Since build ${found.since.id}.` : 'No earlier build of this job passed.')
      printContents(found, out)
    })
  },
})
