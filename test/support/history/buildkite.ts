import { createHmac, randomUUID } from 'node:crypto'
import { openStub, page } from './stub.ts'
import { type Build, type Delivery, minutesAfter, type Tool, type World } from './world.ts'

const PAGE = 1
const SECRET = 's3cret'

/**
 * Buildkite's REST API of the builds of a pipeline: newest first, pages by a `Link` header, with the jobs of each build, of those that were
 * retried only the last; logs as JSON unless text is asked for. Its webhooks are signed and leave out the jobs.
 */
export async function openBuildkite({ builds }: World): Promise<Tool> {
  const { url, ...stub } = await openStub({
    isAllowed: ({ authorization }) => authorization === 'Bearer secret',
    headers: () => ({ 'ratelimit-user-limit': '200', 'ratelimit-user-remaining': '150', 'ratelimit-user-reset': '60' }),
    answer(path, query, { accept }) {
      const [, pipeline, number, job] = /^\/pipelines\/(\w+)\/builds(?:\/(\d+)(?:\/jobs\/([\w-]+)\/log)?)?$/.exec(path) ?? []
      const ofPipeline = builds.filter((build) => build.job === pipeline)
      if (ofPipeline.length === 0) return undefined
      if (number === undefined) {
        const [from, to] = [query.get('created_from')!, query.get('created_to')!]
        const asked = Number(query.get('per_page'))
        if (!(asked >= 1 && asked <= 100)) return { status: 422, body: { message: 'per_page is not allowed' } }
        const found = ofPipeline.toReversed().filter(({ started }) => started >= from && started < to)
        const { items, next } = page(found, Number(query.get('page')), PAGE)
        const link = next && `<https://api.buildkite.com/v2/organizations/owl${path}?page=${next}&per_page=${asked}>; rel="next"`
        return { body: items.map((build) => ({ ...buildOf(build), jobs: jobsOf(build) })), ...(link && { headers: { link } }) }
      }
      const build = ofPipeline.find((one) => String(one.number) === number)
      if (!build) return undefined
      if (job === undefined) return { body: { ...buildOf(build), jobs: jobsOf(build) } }
      return accept === 'text/plain' ? 'boom\n' : { body: { content: 'boom\n' } }
    },
  })
  return {
    ...stub,
    provider: 'buildkite',
    config: { server: url, api_token: 'secret' },
    signing_secret: SECRET,
    built: (build) => {
      const about = { build: buildOf(build), pipeline: { slug: build.job, name: build.job } }
      const running = { ...about, build: { ...about.build, state: 'running', blocked: false, finished_at: null } }
      const jobs = jobsOf(build).filter(({ type }) => type === 'script')
      const retried = { ...jobs[0]!, id: `${jobs[0]!.id}-first`, state: 'failed', exit_status: 2, retried: true }
      const told = (state: string) => (job: object) =>
        signed({ event: `job.${state}`, ...running, job: { ...job, state, finished_at: null, exit_status: null } })
      return [
        ...jobs.map(told('scheduled')),
        signed({ event: 'build.running', ...running }),
        ...(build.number === 1 ? [signed({ event: 'job.finished', ...running, job: retried })] : []),
        ...jobs.flatMap((job) => [told('started')(job), signed({ event: 'job.finished', ...running, job })]),
        signed({ event: 'build.finished', ...about }),
      ]
    },
  }
}

function signed(body: object): Delivery {
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', SECRET)
    .update(`${timestamp}.${JSON.stringify(body)}`)
    .digest('hex')
  return {
    headers: { 'x-buildkite-request': randomUUID(), 'x-buildkite-signature': `timestamp=${timestamp},signature=${signature}` },
    body,
  }
}

/** The second build waits at a block step. */
const buildOf = ({ id, job, number, sha, failed, started, finished, pull }: Build) => ({
  id: `b${id}`,
  number,
  state: failed ? 'failed' : 'passed',
  blocked: number === 2,
  web_url: `https://buildkite.com/owl/${job}/builds/${number}`,
  commit: sha,
  branch: 'main',
  message: `Work ${number}`,
  source: 'webhook',
  created_at: started,
  scheduled_at: started,
  started_at: started,
  finished_at: finished,
  meta_data: {},
  pull_request: pull === undefined ? null : { id: String(pull), base: 'main', repository: 'https://github.com/owl/star.git' },
})

const jobsOf = ({ id, started, finished, failed }: Build) => [
  {
    id: `${id}-compile`,
    type: 'script',
    name: 'Compile',
    state: 'passed',
    exit_status: 0,
    started_at: started,
    finished_at: minutesAfter(started, 5),
    agent: { name: 'win-1' },
  },
  { id: `${id}-wait`, type: 'waiter', state: 'passed' },
  {
    id: `${id}-package`,
    type: 'script',
    name: 'Package',
    state: failed ? 'failed' : 'passed',
    exit_status: failed ? 2 : 0,
    started_at: minutesAfter(started, 5),
    finished_at: finished,
    agent: { name: 'win-2' },
  },
]
