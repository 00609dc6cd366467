import { LOG_MAX } from '../../../contract/limits.ts'
import { Failure } from '../../../terminal/failures.ts'
import { reasonOf } from '../../../terminal/given-text.ts'
import { command } from '../../program/command.ts'
import { readLog } from '../../program/read-log.ts'
import { filesOf } from '../../run/artifacts.ts'
import { sendArtifacts } from '../../run/build.ts'
import { factsOf } from '../../run/ci.ts'
import { BUILD_FLAGS, engineOf, serviceOf } from '../../run/flags.ts'
import { insist } from '../../run/insist.ts'
import { Mask, secretsIn } from '../../run/secrets.ts'

const STATUSES = ['queued', 'started', 'success', 'failure', 'aborted', 'blocked'] as const
const TIMEOUT_MS = 20_000

const seconds = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new Error('It must be a number of seconds.')
  return Number(text)
}

const logOf = async (path: string, mask: Mask): Promise<string> => {
  const text = await readLog(path).catch((error: unknown) => {
    throw new Failure(`Can't read ${path}: ${reasonOf(error)}`)
  })
  return mask
    .hide(Buffer.from(text.slice(-2 * LOG_MAX)))
    .toString('utf8')
    .slice(-LOG_MAX)
    .toWellFormed()
}

export const report = command({
  name: 'report',
  summary: 'Report a build by hand; goldmaster run does it for you',
  offline: true,
  args: { status: { help: 'Status of the build', values: STATUSES } },
  flags: {
    ...BUILD_FLAGS,
    log: { help: 'Log file, plain or gzipped; - reads standard input. The end of it is stored', value: 'file' },
    artifact: { help: 'Files that the build created (repeatable)', value: 'glob', many: true },
    upload: { help: 'Upload the artifacts too, if the build passed' },
    phase: { help: 'Current phase, such as compile or cook', value: 'name' },
    target: { help: 'Build target: development, shipping, test or debug', value: 'name' },
    duration: { help: 'Duration in seconds', value: 'seconds', read: seconds },
  },
  details:
    'Job, number, branch and revision are detected from the CI, as by goldmaster run. A report older than the last one is ignored.\nIf the integration has a signing secret, set GOLDMASTER_WEBHOOK_SECRET to sign the report.',
  examples: [
    'builds report started --job Game-Win64 --number 42 --changelist 81234',
    'builds report failure --job Game-Win64 --number 42 --log build.log',
    "builds report success --artifact 'Builds/*.zip' --upload",
    "builds report success --duration 1260 --artifact 'Builds/*.zip'",
    'builds report success --platform Win64 --measure package=4.2GB --measure warnings=17',
  ],
  async run({ args, flags, env, out }) {
    const { service, token } = serviceOf(flags, env)
    const now = new Date()
    const { job, number, url, ...where } = factsOf(env, flags, now)
    const outcome = await insist(
      service,
      {
        job_name: job,
        build_number: number,
        status: args.status,
        build_url: url,
        ...where,
        build_type: engineOf(flags.engine, [], env),
        target_type: flags.target,
        phase: flags.phase,
        duration_seconds: flags.duration,
        timestamp: now.toISOString(),
        artifacts: flags.artifact && filesOf(flags.artifact),
        logs_tail: flags.log === undefined ? undefined : await logOf(flags.log, new Mask(secretsIn(env, token))),
      },
      TIMEOUT_MS,
    )
    if (outcome.kind !== 'taken') throw new Failure(`Couldn't report ${job} #${number}: ${outcome.why}`)
    out.note(`${job} ${number}: ${args.status}`)
    if (flags.upload && args.status === 'success')
      await sendArtifacts(flags.artifact ?? [], { service, facts: { job, number }, say: out.note })
  },
})
