import type { ReplyOf } from '../../../contract/routes.ts'
import { buildState, isRunning, PASSED_STATUSES } from '../../../contract/sets.ts'
import { EXIT, Failure } from '../../../terminal/failures.ts'
import { annotate } from '../../output/annotate.ts'
import { changesBetween, screenOf } from '../../output/watch-screen.ts'
import { command } from '../../program/command.ts'

type Build = ReplyOf<'showBuild'>

const MOST_FAILURES = 5
const PAUSE_MS = 3000
const LOST = 'The build stopped reporting. Its machine or network may be down. It is running again as soon as it reports.'

/** A build may take hours; a short network failure must not end the watch. */
async function seen(look: () => Promise<Build>, note: (text: string) => void): Promise<Build> {
  for (let failures = 1; ; failures++) {
    try {
      return await look()
    } catch (error) {
      if (!(error instanceof Failure) || failures === MOST_FAILURES) throw error
      note(`${error.message} Retrying …`)
      await new Promise((done) => setTimeout(done, PAUSE_MS))
    }
  }
}

export const watch = command({
  name: 'watch',
  summary: 'Follow a build until it ends; the exit code is its result',
  project: true,
  args: { build: { help: 'Id of the build (default: the newest)', optional: true } },
  flags: {
    interval: {
      help: 'Seconds between checks (default: 3)',
      value: 'seconds',
      read(text) {
        if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error('It must be a number of seconds.')
        return Number(text)
      },
    },
  },
  web: ({ project, args }) => `/projects/${project}/builds${args.build ? `/${args.build}` : ''}`,
  shows: { route: 'showBuild' },
  details:
    'Exit code 0: the build passed, or passed and waits for approval. Exit code 1: it failed, was cancelled,\n' +
    'or is lost (it stopped reporting).',
  examples: ['builds watch 54', 'builds watch && ./deploy.sh', 'builds watch 54 --json id,status'],
  async run({ client, project, args, flags, out, env }) {
    const id = args.build ?? (await client.listBuilds({ project_id: project, query: { limit: 1 } })).build_runs[0]?.id
    if (id === undefined)
      throw new Failure('This project has no builds yet. Report one: goldmaster run -- COMMAND', EXIT.notFound)
    const silent = out.wantsDocument
    let before: Build | undefined
    let drawn = 0
    for (;;) {
      const build = await seen(
        () => client.showBuild({ project_id: project, build_run_id: id }),
        (text) => out.note(text),
      )
      if (!silent && out.forPeople) {
        const screen = screenOf(build, out.paint, out.width)
        process.stdout.write(`${drawn > 0 ? `\x1b[${drawn}A\x1b[J` : ''}${screen.join('\n')}\n`)
        drawn = screen.length
      } else if (!silent) for (const line of changesBetween(before, build)) out.line(line)
      if (!isRunning(build)) {
        out.answer(build, () => {})
        if (PASSED_STATUSES.includes(build.status)) return 0
        const state = buildState(build)
        const why = build.investigation?.diagnosis ?? (state === 'lost' ? LOST : `The build is ${state}.`)
        const title = `${build.ci_job_name || 'Build'} ${build.build_number || id} ${state}`
        if (!silent) await annotate({ title, message: `${why} ${build.urls.web}` }, env, (line) => out.line(line))
        return EXIT.failed
      }
      before = build
      await new Promise((done) => setTimeout(done, (flags.interval ?? 3) * 1000))
    }
  },
})
