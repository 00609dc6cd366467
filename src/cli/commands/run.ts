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
  args: { command: { help: 'the build, after --', optional: true, many: true } },
  flags: {
    ...BUILD_FLAGS,
    artifact: {
      help: "files that the build leaves, such as 'Saved/**/*.pak'; may be given several times",
      value: 'glob',
      many: true,
    },
    flush: { help: 'only send what waits on disk since the service was away' },
  },
  details: `Its output and exit code stay what they are, byte for byte, whether the service can be reached or not. Job, number, branch and
revision are found on Jenkins, GitHub Actions, GitLab, TeamCity, Buildkite, Azure Pipelines, CircleCI and Horde; GOLDMASTER_JOB,
GOLDMASTER_NUMBER, GOLDMASTER_BRANCH, GOLDMASTER_CHANGELIST, GOLDMASTER_COMMIT, GOLDMASTER_URL, GOLDMASTER_ENGINE, GOLDMASTER_PLATFORM,
GOLDMASTER_CONFIGURATION and GOLDMASTER_AGENT say otherwise, and flags come first. If the integration has a signing secret, set GOLDMASTER_WEBHOOK_SECRET to sign every request. What cannot be sent in time waits in GOLDMASTER_SPOOL, below the user's configuration unless it is set.`,
  examples: [
    'run --job Game-Win64 -- ./Engine/Build/BatchFiles/RunUAT.sh BuildCookRun -project=Game.uproject -cook -stage -package',
    "run --artifact 'Builds/*.zip' -- Unity -batchmode -quit -projectPath . -executeMethod Build.All -logFile -",
    'run --platform Win64 --configuration Shipping --agent BUILD-07 -- ./build.sh',
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
      throw usage('which build? Write its command after --, such as: goldmaster run --job Game-Win64 -- ./build.sh')
    let reached: ReturnType<typeof serviceOf> | undefined
    try {
      reached = serviceOf(flags, env)
    } catch (error) {
      say(`nothing is told of this build: ${(error as Failure).message}`)
    }
    return leaveLike(
      await (reached ? runReported(args.command, { ...flags, ...reached, env, say }) : runBuild(args.command, () => {})),
    )
  },
})

async function flush(flags: { host?: string; token?: string }, env: NodeJS.ProcessEnv): Promise<number> {
  const { service, spool } = serviceOf(flags, env)
  const { sent, refused, left, why } = await spool.flush(service)
  for (const each of refused) say(`one was not taken: ${each}`)
  if (left > 0) say(`${left} still wait in ${spool.folder}: ${why}`)
  say(`${sent} sent`)
  return left > 0 || refused.length > 0 ? EXIT.failed : 0
}
