import type { CiAction } from '../../../contract/sets.ts'
import { command } from '../../program/command.ts'

/** What the CI of a build can be asked for: `goldmaster builds retry`, `stop` and `start`. */

const DETAILS =
  "The CI answers at once whether it takes the request; a new build is reported like every other. The integration needs the CI's URL and a token that may start builds."

const about = (action: CiAction, summary: string) => ({
  name: action,
  summary,
  project: true as const,
  web: ({ project, args }: { project: string; args: { build: string } }) => `/projects/${project}/builds/${args.build}`,
  args: { build: { help: 'Id of the build' } },
  shows: { route: 'actOnBuild' as const },
  details: DETAILS,
})

const request = (action: CiAction, summary: string, example: string) =>
  command({
    ...about(action, summary),
    examples: [`builds ${action} ${example}`],
    async run({ client, project, args, out }) {
      const answer = await client.actOnBuild({ project_id: project, build_run_id: args.build, body: { action } })
      out.answer(answer, () => out.say(answer.message))
    },
  })

const start = command({
  ...about('start', "Build the newest state of a build's branch at its CI"),
  flags: {
    parameter: { help: 'Parameter that the integration allows (repeatable)', value: 'name=value', many: true },
  },
  examples: ['builds start 54', 'builds start 54 --parameter PLATFORM=PS5 --parameter CLEAN=true'],
  async run({ client, project, args, flags: { parameter = [] }, out }) {
    const body = { action: 'start' as const, ...(parameter.length > 0 && { parameters: parameter }) }
    const answer = await client.actOnBuild({ project_id: project, build_run_id: args.build, body })
    out.answer(answer, () => out.say(answer.message))
  },
})

export const ciRequests = [
  request('retry', 'Run a finished build again at its CI', '54'),
  request('stop', 'Stop a running build at its CI', '54'),
  start,
]
