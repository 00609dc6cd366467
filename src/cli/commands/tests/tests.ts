import { TEST_GATES, type TestGate } from '../../../contract/sets.ts'
import type { Noun } from '../../../terminal/command.ts'
import { Failure, usage } from '../../../terminal/failures.ts'
import { extra } from '../../../terminal/table.ts'
import { command } from '../../program/command.ts'
import { until } from '../../program/end-time.ts'
import { factsOf } from '../../run/ci.ts'
import { BUILD_FLAGS, serviceOf } from '../../run/flags.ts'
import { summaryOf, uploadTests } from '../../run/test-reports.ts'
import { SUMMARIES } from '../../summaries.ts'
import { owner, ownersOf } from './owner-column.ts'

interface Named {
  class: string
  name: string
}

const title = ({ class: className, name }: Named) => (className === '' ? name : `${className}.${name}`)
const test = { title: 'test', cell: title, main: true, ends: true } as const
const job = { title: 'job', cell: ({ ci_job_name }: { ci_job_name: string }) => ci_job_name, extra: true } as const
const seconds = (ms: number | null) => (ms === null ? undefined : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`)

const { job: jobFlag, number, platform, host, token } = BUILD_FLAGS

const upload = command({
  name: 'upload',
  summary: 'Send test reports of a build',
  offline: true,
  args: { files: { help: "Reports, such as 'Saved/Reports/**/*.xml'", many: true } },
  flags: {
    job: jobFlag,
    number,
    report: { help: 'Name that separates these tests from others of the job, such as PlayMode', value: 'name' },
    platform,
    host,
    token,
  },
  details: `Reads JUnit, NUnit, TRX, xUnit, CTest, Boost.Test, Unreal's index.json, CTRF and TAP, plain or gzipped; the format is detected.
The build may be reported before or after. A file that was sent before counts once.
Job and number are detected from the CI, as by goldmaster run. If the integration has a signing secret, set GOLDMASTER_WEBHOOK_SECRET.`,
  examples: [
    "tests upload 'Saved/Reports/**/index.json' --job Game-Win64 --number 42",
    'tests upload playmode-results.xml --report PlayMode',
  ],
  async run({ args, flags, env, out }) {
    if (args.files.length === 0) throw usage("Missing files. Usage: goldmaster tests upload 'GLOB'")
    const { service } = serviceOf(flags, env)
    const facts = factsOf(env, flags, new Date())
    const of = {
      job_name: facts.job,
      build_number: facts.number,
      ...named('report', flags.report),
      ...named('platform', flags.platform),
    }
    const done = await uploadTests(service, args.files, of)
    if (done.files === 0 && done.refused.length === 0) throw new Failure(`No file matches ${args.files.join(' ')}.`)
    if (done.refused.length > 0) throw new Failure(`Couldn't send all test reports.\n${done.refused.join('\n')}`)
    out.note(`${facts.job} ${facts.number}: ${summaryOf(done)}`)
  },
})

const named = <K extends string>(key: K, value: string | undefined) =>
  value === undefined ? {} : ({ [key]: value } as { [P in K]: string })

const list = command({
  name: 'list',
  summary: 'List the tests that fail most, are flaky or take longest',
  project: true,
  pages: true,
  web: ({ project }) => `/projects/${project}/tests`,
  flags: { job: { help: 'Only tests of this job', value: 'name' } },
  shows: { route: 'listTests' },
  details: `Failing and flaky tests are those of the last 30 days. A flaky test failed and passed at the same change, or recovered three times
without a change to its files.`,
  examples: ['tests list', 'tests list --job Game-Win64', "tests list --pick 'flaky[].name'"],
  async run({ client, project, flags, out }) {
    const found = await client.listTests({ project_id: project, query: flags.job === undefined ? {} : { job: flags.job } })
    out.answer(found, () => {
      const { failing, flaky, slowest, quarantined } = found
      if (failing.length + flaky.length + slowest.length + quarantined.length === 0)
        return out.note("No tests yet. Send reports with goldmaster tests upload 'GLOB'.")
      out.section('Failing', failing, ['id', 'failures', test, owner, job, 'last_failed_at'])
      out.section('Flaky', flaky, [
        'id',
        { title: 'rate', cell: ({ flaky_runs, runs }) => `${Math.round((100 * flaky_runs) / Math.max(1, runs))} % of ${runs}` },
        test,
        owner,
        job,
        'last_failed_at',
      ])
      out.section('Quarantined', quarantined, [
        'id',
        { title: 'until', cell: ({ quarantine }) => dayOf(quarantine.until) },
        'failures',
        test,
        { title: 'owner', cell: ({ quarantine }) => quarantine.owner_user_id && `user:${quarantine.owner_user_id}` },
        job,
        { title: 'reason', cell: ({ quarantine }) => quarantine.reason },
      ])
      out.section('Slowest', slowest, ['id', { title: 'duration', cell: (row) => seconds(row.duration_ms) }, test, job])
    })
  },
})

const show = command({
  name: 'show',
  summary: 'Show the last runs and failures of a test',
  project: true,
  pages: true,
  web: ({ project, args }) => `/projects/${project}/tests/${args.test}`,
  args: { test: { help: 'Id of the test' } },
  flags: { branch: { help: 'Only runs of this branch', value: 'name' } },
  shows: { route: 'showTest' },
  examples: ['tests show 7', 'tests show 7 --branch main', "tests show 7 --pick 'runs[].outcome'"],
  async run({ client, project, args, flags, out }) {
    const query = flags.branch === undefined ? {} : { branch: flags.branch }
    const found = await client.showTest({ project_id: project, id: args.test, query })
    out.answer(found, () => {
      out.title(title(found))
      const { quarantine } = found
      out.facts({
        job: found.ci_job_name,
        suite: found.suite,
        report: found.report,
        platform: found.platform,
        owner: ownersOf(found),
        quarantined: quarantine && `until ${dayOf(quarantine.until)}: ${quarantine.reason}`,
      })
      out.section('Branches', found.branches, [
        'branch',
        { title: 'state', cell: ({ flaky, failing }) => (flaky ? 'flaky' : failing ? 'failing' : 'passing') },
        { title: 'last good', cell: ({ last_good_change }) => last_good_change?.display_identifier },
        { title: 'first bad', cell: ({ first_bad_change }) => first_bad_change?.display_identifier },
        { title: 'changes', cell: ({ changes_in_range }) => changes_in_range ?? undefined },
      ])
      out.section('Runs', found.runs, [
        'outcome',
        { title: 'build', cell: (run) => run.build_run_id },
        { title: 'number', cell: (run) => run.build_number },
        'branch',
        { title: 'duration', cell: (run) => seconds(run.duration_ms) },
        'received_at',
      ])
      out.section('Failures', found.failures, [
        { title: 'build', cell: (failure) => failure.build_run_id },
        { title: 'message', cell: (failure) => failure.message, main: true },
        { title: 'place', cell: ({ file, line }) => file && `${file}${line === null ? '' : `:${line}`}` },
        extra('failed_at'),
      ])
    })
  },
})

const quarantine = command({
  name: 'quarantine',
  summary: 'Quarantine a test: its failures open no breakage',
  project: true,
  web: ({ project, args }) => `/projects/${project}/tests/${args.test}`,
  args: { test: { help: 'Id of the test' } },
  flags: {
    for: { help: 'Duration such as 2d or 1w, or an end time; at most 180d (default: 2w)', value: 'time' },
    reason: { help: 'Reason; shown with your name', value: 'text', required: true },
    owner: { help: 'User who takes care of it; you by default', value: 'id' },
  },
  shows: { route: 'editTest' },
  details:
    'Failures are still counted and shown. A build in which only such tests failed counts as passed; its status stays what the CI says.',
  examples: ['tests quarantine 7 --reason "waits for a session server" --for 7d'],
  async run({ client, project, args, flags, out }) {
    const body = {
      quarantined_until: until(flags.for ?? '2w'),
      reason: flags.reason ?? '',
      ...(flags.owner !== undefined && { owner_user_id: Number(flags.owner) }),
    }
    const found = await client.editTest({ project_id: project, id: args.test, body })
    out.answer(found, () => out.say(`${title(found)} is in quarantine until ${dayOf(found.quarantine!.until)}`))
  },
})

const release = command({
  name: 'release',
  summary: 'End the quarantine of a test',
  project: true,
  web: ({ project, args }) => `/projects/${project}/tests/${args.test}`,
  args: { test: { help: 'Id of the test' } },
  shows: { route: 'editTest' },
  examples: ['tests release 7'],
  async run({ client, project, args, out }) {
    const found = await client.editTest({ project_id: project, id: args.test, body: { quarantined_until: null } })
    out.answer(found, () => out.say(`${title(found)} is released`))
  },
})

const gate = command({
  name: 'gate',
  summary: 'Show or change which tests fail a build',
  project: true,
  web: ({ project }) => `/projects/${project}/settings`,
  flags: {
    'fails-on': { help: 'What fails a build: failures, crashes or off', value: 'what', read: readGate },
    job: {
      help: "Exception for jobs, such as 'Nightly*=crashes'; replaces the others (repeatable)",
      value: 'pattern=what',
      many: true,
    },
  },
  shows: { route: 'editProject' },
  details: `failures: when a test fails, a run crashes or leaves no report. crashes: when a run crashes or leaves no report. off: never.
Such a build counts as failed for its branch, breakages, last known good and the newest good build; its status stays what the CI says.`,
  examples: ['tests gate', 'tests gate --fails-on failures', "tests gate --fails-on failures --job 'Experimental*=off'"],
  async run({ client, project, flags: { 'fails-on': fails_on, job }, out }) {
    const before = await client.showProjectSettings({ project_id: project })
    const test_gate = { ...before.test_gate, ...(fails_on && { fails_on }), ...(job && { jobs: job.map(readJobGate) }) }
    const settings = fails_on || job ? await client.editProject({ project_id: project, body: { test_gate } }) : before
    out.answer(settings, () => {
      const { fails_on, jobs } = settings.test_gate
      out.facts({ 'fails on': fails_on ?? 'failures in jobs that run tests, crashes in all (not chosen yet)' })
      out.section('Jobs', jobs, [
        { title: 'job', cell: ({ pattern }) => pattern, main: true },
        { title: 'fails on', cell: (row) => row.fails_on },
      ])
    })
  },
})

function readGate(text: string): TestGate {
  const found = TEST_GATES.find((gate) => gate === text)
  if (!found) throw new Error(`It must be one of ${TEST_GATES.join(', ')}.`)
  return found
}

function readJobGate(text: string) {
  const at = text.lastIndexOf('=')
  if (at < 1) throw usage("Write --job as PATTERN=WHAT, such as --job 'Nightly*=crashes'.")
  return { pattern: text.slice(0, at), fails_on: readGate(text.slice(at + 1)) }
}

const dayOf = (at: string) => at.slice(0, 10)

export const tests: Noun = { name: 'tests', summary: SUMMARIES.tests, commands: [list, show, upload, quarantine, release, gate] }
