import { sizeOf } from '../../contract/labels/size.ts'
import { VERSION } from '../../contract/version.ts'
import { EXIT } from '../../terminal/failures.ts'
import { filesOf } from './artifacts.ts'
import { type Ended, runBuild } from './child.ts'
import { ciOf, factsOf, type NamedFacts, shelfOf } from './ci.ts'
import { engineOf } from './flags.ts'
import { Overwritten } from './overwritten.ts'
import { Phases } from './phases.ts'
import { type End, Reporter } from './reporter.ts'
import { Mask, secretsIn } from './secrets.ts'
import type { BuildService } from './service.ts'
import type { Spool } from './spool.ts'
import { Tail } from './tail.ts'
import { summaryOf, uploadTests } from './test-reports.ts'
import { uploadArtifacts } from './uploads.ts'

interface RunOptions extends NamedFacts {
  engine?: string
  artifact?: readonly string[]
  upload?: boolean
  tests?: readonly string[]
  'fail-on-tests'?: boolean
  service: BuildService
  spool: Spool
  token: string
  env: NodeJS.ProcessEnv
  say(text: string): void
}

/** Runs a build and reports it. */
export async function runReported(command: readonly string[], asked: RunOptions): Promise<Ended> {
  const { env, say, service, spool, token } = asked
  // The time of day may be changed while a build runs: it is read once.
  const [began, started] = [performance.now(), new Date()]
  const elapsed = () => performance.now() - began
  const at = (ms: number) => new Date(started.getTime() + ms).toISOString()
  const tail = new Tail()
  const overwritten = new Overwritten()
  const phases = new Phases(
    ciOf(env)?.parts,
    () => at(elapsed()),
    (phase) => reporter.stepsChanged(phase),
  )
  const facts = factsOf(env, { ...asked, shelf: asked.shelf || shelfOf(command) }, started)
  const build_type = engineOf(asked.engine, command, env)
  const mask = new Mask(secretsIn(env, token))
  const reporter = new Reporter({ service, spool, facts, build_type, tail, phases, mask, elapsed, at, say })
  const running = runBuild(command, (bytes) => {
    tail.push(overwritten.push(bytes))
    phases.push(bytes)
  })
  reporter.start()
  let ended = await running
  tail.push(overwritten.end())
  let status = statusOf(ended, phases.failed)
  phases.end(status === 'SUCCESS' ? 'completed' : status === 'FAILURE' ? 'failed' : 'cancelled')
  const passed = !asked.tests || ended.interrupted || (await sendTests(asked.tests, { service, facts, started, say }))
  if (asked['fail-on-tests'] && status === 'SUCCESS' && !passed) {
    status = 'FAILURE'
    ended = { ...ended, code: EXIT.failed }
    say('This build failed because of its tests (--fail-on-tests).')
  }
  await reporter.finish({ status, artifacts: filesOf(asked.artifact ?? []), interrupted: ended.interrupted })
  if (asked.upload && status === 'SUCCESS') await sendArtifacts(asked.artifact ?? [], { service, facts, say })
  if (service.version !== undefined && service.version !== VERSION)
    say(
      `This is version ${VERSION}, the service has ${service.version}. Download the client again from ${service.site}/goldmaster-run.mjs`,
    )
  return ended
}

interface Sending {
  service: BuildService
  facts: { job: string; number: string; platform?: string | undefined }
  started: Date
  say(text: string): void
}

/** After the result, which nobody should wait for. */
export async function sendArtifacts(
  globs: readonly string[],
  { service, facts, say }: Pick<Sending, 'service' | 'facts' | 'say'>,
) {
  const done = await uploadArtifacts(globs, facts, { service })
  for (const each of done.refused) say(`Couldn't upload an artifact. ${each}`)
  if (done.files > 0) say(`Uploaded ${done.files} ${done.files === 1 ? 'artifact' : 'artifacts'} (${sizeOf(done.bytes)}).`)
  else if (done.refused.length === 0)
    say(`No artifact to upload: no file matches ${globs.join(' ') || '--artifact, which is missing'}.`)
}

/** Before the end of the build is reported, so that its failing tests are known then. Returns whether none failed. */
async function sendTests(globs: readonly string[], { service, facts, started, say }: Sending): Promise<boolean> {
  const { job, number, platform } = facts
  const of = { job_name: job, build_number: number, ...(platform !== undefined && { platform }) }
  const done = await uploadTests(service, globs, of, started)
  for (const each of done.refused) say(`Couldn't send test results. ${each}`)
  if (done.files > 0) say(`Sent test results: ${summaryOf(done)}.`)
  else if (done.refused.length === 0) say(`No test report of this build matches ${globs.join(' ')}.`)
  return done.failing === 0 && done.files + done.refused.length > 0
}

/** A stopped build was canceled, unless it finished anyway. */
const statusOf = ({ code, interrupted }: Ended, failed: boolean): End['status'] =>
  code === 0 && !failed ? 'SUCCESS' : interrupted ? 'ABORTED' : 'FAILURE'
