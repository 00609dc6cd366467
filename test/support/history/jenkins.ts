import { openStub } from './stub.ts'
import type { Build, Delivery, Tool, World } from './world.ts'

/** What tells a Jenkins' builds: the end of a Jenkinsfile, or one of two plugins. */
export type Teller = 'Jenkinsfile' | 'Notification' | 'Generic Event'

/**
 * Jenkins' remote API of a folder's jobs: a build has only the fields that `tree` names, a list of builds only those of its range. A console that
 * has ended says so by leaving out `X-More-Data`.
 */
export async function openJenkins({ builds }: World, teller: Teller): Promise<Tool> {
  const login = `Basic ${Buffer.from('gold:secret').toString('base64')}`
  const { url, ...stub } = await openStub({
    isAllowed: ({ authorization }) => authorization === login,
    answer(path, query) {
      const [, name, run, asked] = /^\/job\/Star\/job\/(\w+)\/(?:(\d+)\/)?(api\/json|logText\/progressiveText)$/.exec(path) ?? []
      const ofJob = builds.filter(({ job }) => job === name)
      if (ofJob.length === 0) return undefined
      const tree = query.get('tree') ?? ''
      if (run === undefined) {
        const [, fields, from, to] = /^allBuilds\[(.*)\]\{(\d+),(\d+)\}$/.exec(tree)!
        const shown = ofJob.toReversed().slice(Number(from), Number(to))
        return { body: { allBuilds: shown.map((build) => only(fields!, restOf(build, url))) } }
      }
      const build = ofJob.find(({ number }) => String(number) === run)
      if (!build) return undefined
      if (asked === 'api/json') return { body: only(tree, restOf(build, url)) }
      // An import fetches the logs of failed builds only.
      return build.failed ? 'boom\n'.slice(Number(query.get('start'))) : ''
    },
  })
  const toldBy: Record<Teller, (build: Build) => Delivery[]> = {
    Jenkinsfile: (build) => [{ body: reportOf(build, url) }],
    Notification: (build) => phasesOf(build, url).map((body) => ({ body })),
    'Generic Event': (build) => eventsOf(build, url).map((body) => ({ body })),
  }
  return {
    ...stub,
    provider: 'jenkins',
    config: { server: url, user: 'gold', api_token: 'secret' },
    built: toldBy[teller],
  }
}

const pathOf = ({ job, number }: Build) => `job/Star/job/${job}/${number}/`
const millis = (at: string) => Date.parse(at)
const lengthOf = ({ started, finished }: Build) => millis(finished) - millis(started)
const resultOf = ({ failed }: Build) => (failed ? 'FAILURE' : 'SUCCESS')
/** As the GitHub pull request builder sets them. */
const parametersOf = ({ pull }: Build) => (pull === undefined ? {} : { ghprbPullId: String(pull), ghprbTargetBranch: 'main' })

const restOf = (build: Build, url: string) => ({
  _class: 'org.jenkinsci.plugins.workflow.job.WorkflowRun',
  number: build.number,
  url: `${url}/${pathOf(build)}`,
  building: false,
  inProgress: false,
  result: resultOf(build),
  timestamp: millis(build.started),
  duration: lengthOf(build),
  artifacts: [{ displayPath: 'game.zip', fileName: 'game.zip', relativePath: 'out/game.zip' }],
  actions: [
    {
      _class: 'hudson.model.ParametersAction',
      parameters: Object.entries(parametersOf(build)).map(([name, value]) => ({ name, value })),
    },
    {},
    {
      _class: 'hudson.plugins.git.util.BuildData',
      lastBuiltRevision: { SHA1: build.sha, branch: [{ SHA1: build.sha, name: 'refs/remotes/origin/main' }] },
    },
  ],
})

/** The end of the Jenkinsfile that we suggest. */
const reportOf = (build: Build, url: string) => ({
  job_name: `Star/${build.job}`,
  build_number: String(build.number),
  status: resultOf(build),
  build_url: `${url}/${pathOf(build)}`,
  // Jenkins is still running it.
  duration_ms: lengthOf(build) - 1,
  changelist: null,
  commit: build.sha,
  branch: 'origin/main',
  logs_tail: build.failed ? 'boom\n' : '',
})

function phasesOf(build: Build, url: string) {
  const told = {
    full_url: `${url}/${pathOf(build)}`,
    number: build.number,
    queue_id: build.id,
    url: pathOf(build),
    scm: { url: 'https://github.com/owl/star.git', branch: 'origin/main', commit: build.sha, changes: [], culprits: [] },
    parameters: parametersOf(build),
    log: '',
    notes: '',
    artifacts: {},
  }
  const job = { name: build.job, display_name: build.job, url: `job/Star/job/${build.job}/` }
  const ended = { status: resultOf(build), duration: lengthOf(build) }
  return [
    { ...job, build: { ...told, phase: 'STARTED', timestamp: millis(build.started), duration: 0 } },
    { ...job, build: { ...told, ...ended, phase: 'COMPLETED', timestamp: millis(build.finished) } },
    { ...job, build: { ...told, ...ended, phase: 'FINALIZED', timestamp: millis(build.finished) + 1500 } },
  ]
}

function eventsOf(build: Build, url: string) {
  const { building: _, result, duration, ...run } = restOf(build, url)
  const event = (type: string, time: string, data: object) => ({
    id: `${build.id} ${type}`,
    type,
    time,
    source: 'job/Star/',
    dataType: run._class,
    url: pathOf(build),
    data: { ...run, ...data },
  })
  return [
    event('run.started', build.started, { building: true, result: null, duration: 0, artifacts: [], actions: [] }),
    event('run.completed', build.finished, { building: true, result, duration }),
    event('run.finalized', build.finished, { building: false, result, duration }),
  ]
}

/** What is left of a value by Jenkins' `tree`: `number,actions[parameters[name]]`. */
function only(tree: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => only(tree, one))
  const told = value as Record<string, unknown>
  return Object.fromEntries(
    fieldsOf(tree).flatMap(({ name, inner }) =>
      told[name] === undefined ? [] : [[name, inner === undefined ? told[name] : only(inner, told[name])]],
    ),
  )
}

function fieldsOf(tree: string): { name: string; inner?: string }[] {
  const fields: { name: string; inner?: string }[] = []
  let [depth, start] = [0, 0]
  for (let at = 0; at <= tree.length; at++) {
    if (tree[at] === '[') depth++
    if (tree[at] === ']') depth--
    if (depth > 0 || (at < tree.length && tree[at] !== ',')) continue
    const [, name, inner] = /^(\w+)(?:\[(.*)\])?$/.exec(tree.slice(start, at))!
    fields.push({ name: name!, ...(inner !== undefined && { inner }) })
    start = at + 1
  }
  return fields
}
