import { openStub, page } from './stub.ts'
import { type Build, minutesAfter, type Tool, type World } from './world.ts'

const SLUG = 'gh/owl/star'
const PAGE = 2
const REPOSITORY = 'https://github.com/owl/star'

/** CircleCI's API v2 of one project: pipelines newest first by a page token, without their workflows, and those without their jobs. */
export async function openCircleCI({ builds }: World): Promise<Tool> {
  const { url, ...stub } = await openStub({
    isAllowed: (headers) => headers['circle-token'] === 'secret',
    answer(path, query) {
      if (path === `/api/v2/project/${SLUG}/pipeline`) {
        const number = Number((query.get('page-token') ?? 'page1').replace('page', ''))
        const { items, next } = page(builds.toReversed(), number, PAGE)
        return { body: { items: items.map(pipelineOf), next_page_token: next === undefined ? null : `page${next}` } }
      }
      const [, pipeline] = /^\/api\/v2\/pipeline\/p(\d+)\/workflow$/.exec(path) ?? []
      const [, workflow] = /^\/api\/v2\/workflow\/w(\d+)(?:-first)?\/job$/.exec(path) ?? []
      const build = builds.find(({ id }) => String(id) === (pipeline ?? workflow))
      if (!build) return undefined
      const items = pipeline === undefined ? jobsOf(build).toReversed() : workflowsOf(build).toReversed()
      return { body: { items, next_page_token: null } }
    },
  })
  return {
    ...stub,
    provider: 'circleci',
    config: { server: url, api_token: 'secret', circleci_project: SLUG },
    built: (build) =>
      workflowsOf(build).flatMap((workflow) => {
        const { project_slug, ...pipeline } = pipelineOf(build)
        const about = {
          project: { slug: 'github/owl/star', name: 'star' },
          organization: { name: 'owl' },
          pipeline,
          workflow: {
            ...workflow,
            url: `https://app.circleci.com/pipelines/github/owl/star/${build.number}/workflows/${workflow.id}`,
          },
        }
        return [
          ...jobsOf(build)
            .filter(({ type }) => type === 'build')
            .map((job) => ({ body: { ...about, id: `${workflow.id} ${job.name}`, type: 'job-completed', job } })),
          { body: { ...about, id: `${workflow.id}`, type: 'workflow-completed' } },
        ]
      }),
  }
}

const pipelineOf = ({ id, number, sha, started, pull }: Build) => ({
  id: `p${id}`,
  number,
  project_slug: SLUG,
  created_at: started,
  vcs: {
    revision: sha,
    branch: pull === undefined ? 'main' : `pull/${pull}`,
    target_repository_url: REPOSITORY,
    origin_repository_url: REPOSITORY,
  },
})

/** Oldest first: one that failed at first runs again. */
const workflowsOf = ({ id, number, job, failed, started, finished }: Build) =>
  [...(number === 1 ? [`w${id}-first`] : []), `w${id}`].map((workflow, at, all) => ({
    id: workflow,
    pipeline_id: `p${id}`,
    pipeline_number: number,
    name: job,
    project_slug: SLUG,
    status: failed || at < all.length - 1 ? 'failed' : 'success',
    created_at: minutesAfter(started, at),
    stopped_at: minutesAfter(finished, at - all.length + 1),
  }))

const jobsOf = ({ started, finished, failed }: Build) => [
  { id: 'j0', name: 'hold', type: 'approval', status: 'success', started_at: null, stopped_at: null },
  {
    id: 'j1',
    name: 'compile',
    type: 'build',
    status: 'success',
    started_at: minutesAfter(started, 1),
    stopped_at: minutesAfter(started, 3),
  },
  {
    id: 'j2',
    name: 'package',
    type: 'build',
    status: failed ? 'failed' : 'success',
    started_at: minutesAfter(started, 3),
    stopped_at: finished,
  },
]
