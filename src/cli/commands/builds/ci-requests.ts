import type { CiAction } from '../../../contract/sets.ts'
import { command } from '../../program/command.ts'

/** What the CI of a build can be asked for: `goldmaster builds retry`, `stop` and `start`. */

const DETAILS =
  "The CI answers at once whether it takes the request; a new build is reported like every other. The integration needs the CI's URL and a token that may start builds."

const request = (action: CiAction, summary: string, example: string) =>
  command({
    name: action,
    summary,
    project: true,
    web: ({ project, args }) => `/projects/${project}/builds/${args.build}`,
    args: { build: { help: 'Id of the build' } },
    shows: { route: 'actOnBuild' },
    details: DETAILS,
    examples: [`builds ${action} ${example}`],
    async run({ client, project, args, out }) {
      const answer = await client.actOnBuild({ project_id: project, build_run_id: args.build, body: { action } })
      out.answer(answer, () => out.say(answer.message))
    },
  })

export const ciRequests = [
  request('retry', 'Run a finished build again at its CI', '54'),
  request('stop', 'Stop a running build at its CI', '54'),
  request('start', "Build the newest state of a build's branch at its CI", '54'),
]
