import { EXIT, type Failure, usage } from '../../terminal/failures.ts'
import { applySettings } from '../connection/settings.ts'
import { command } from '../program/command.ts'
import { runReported } from '../run/build.ts'
import { leaveLike, runBuild } from '../run/child.ts'
import { BUILD_FLAGS, serviceOf } from '../run/flags.ts'
import { SUMMARIES } from '../summaries.ts'

const say = (text: string) => void process.stderr.write(`goldmaster: ${text}\n`)

export const run = command({
  name: 'run',
  summary: SUMMARIES.run,
  offline: true,
  args: { command: { help: 'Build command, after --', optional: true, many: true } },
  flags: {
    ...BUILD_FLAGS,
    artifact: {
      help: "Files that the build creates, such as 'Saved/**/*.pak' (repeatable)",
      value: 'glob',
      many: true,
    },
    upload: { help: 'Upload the artifacts of a build that passed; without it only their names and sizes are reported' },
    tests: {
      help: "Test reports that the build writes, such as 'Saved/Reports/**/index.json' (repeatable)",
      value: 'glob',
      many: true,
    },
    'fail-on-tests': { help: 'Fail a build that passed if one of these tests failed or no report was written: exit code 1' },
    flush: { help: 'Only send reports saved while the service was unreachable' },
  },
  details: `The output and exit code of the build never change, even if the service is unreachable, unless --fail-on-tests is given. The build sees a pipe, not a
terminal; to give it one on Linux: goldmaster run -- script -qec ./build.sh /dev/null

Job, number, branch and revision are detected on Jenkins, GitHub Actions, GitLab, TeamCity, Buildkite, Azure Pipelines, CircleCI
and Horde. These variables override the CI, and flags override both: GOLDMASTER_JOB, GOLDMASTER_NUMBER, GOLDMASTER_BRANCH,
GOLDMASTER_CHANGELIST, GOLDMASTER_COMMIT, GOLDMASTER_URL, GOLDMASTER_ENGINE, GOLDMASTER_PLATFORM, GOLDMASTER_CONFIGURATION,
GOLDMASTER_AGENT.

If the integration has a signing secret, set GOLDMASTER_WEBHOOK_SECRET to sign every request.
Unsent reports are saved in GOLDMASTER_SPOOL (default: a folder of the user).`,
  examples: [
    'run --job Game-Win64 -- ./Engine/Build/BatchFiles/RunUAT.sh BuildCookRun -project=Game.uproject -cook -stage -package',
    "run --artifact 'Builds/*.zip' -- Unity -batchmode -quit -projectPath . -executeMethod Build.All -logFile -",
    "run --artifact 'Builds/*.zip' --upload -- ./package.sh",
    'run --platform Win64 --configuration Shipping --agent BUILD-07 -- ./build.sh',
    "run --tests 'Saved/Reports/**/index.json' -- ./run-tests.sh",
    'run --flush',
  ],
  async run({ args, flags, env }) {
    try {
      applySettings(env)
    } catch (error) {
      if (flags.flush) throw error
    }
    if (flags.flush) return flush(flags, env)
    if (args.command.length === 0)
      throw usage(
        'Missing command. Usage: goldmaster run [flags] -- COMMAND, such as: goldmaster run --job Game-Win64 -- ./build.sh',
      )
    let reached: ReturnType<typeof serviceOf> | undefined
    try {
      reached = serviceOf(flags, env)
    } catch (error) {
      say(`Not reporting this build: ${(error as Failure).message}`)
    }
    return leaveLike(
      await (reached ? runReported(args.command, { ...flags, ...reached, env, say }) : runBuild(args.command, () => {})),
    )
  },
})

async function flush(flags: { host?: string; token?: string }, env: NodeJS.ProcessEnv): Promise<number> {
  const { service, spool } = serviceOf(flags, env)
  const { sent, refused, left, why } = await spool.flush(service)
  for (const each of refused) say(`The service rejected a report. ${each}`)
  if (left > 0) say(`${left} ${left === 1 ? 'report is' : 'reports are'} still in ${spool.folder}. ${why}`)
  say(`Sent ${sent} ${sent === 1 ? 'report' : 'reports'}.`)
  return left > 0 || refused.length > 0 ? EXIT.failed : 0
}
