import { openStub, page } from './stub.ts'
import { type Build, type Deployment, minutesAfter, type Release, type Tool, type World } from './world.ts'

const REPOSITORY = { id: 77, full_name: 'owl/star', html_url: 'https://github.com/owl/star', default_branch: 'main' }
const ROOT = '/repos/owl/star'
const HOUR_S = 3600

/**
 * GitHub's REST API of one repository, as documented: only with the token, at most 100 on a page, pages by `Link`, 1,000 runs of a search,
 * 5,000 requests an hour, 403 when they are used up. A reply that has not changed since its ETag is 304 and costs none of them.
 */
export async function openGitHub({ commits, builds, deployments, releases }: World): Promise<Tool> {
  const { url, ...stub } = await openStub({
    // The storage of logs gets no token.
    isAllowed: ({ authorization }) => authorization === 'Bearer secret' || authorization === undefined,
    headers: ({ remaining }) => ({
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + HOUR_S / 6),
    }),
    hasEtags: true,
    refusal: { status: 403, body: { message: 'API rate limit exceeded for user ID 1.' } },
    answer(whole, query, { authorization, host }) {
      if (whole === '/log' && authorization === undefined) return LOG
      if (authorization === undefined) return { status: 401, body: { message: 'Requires authentication' } }
      const path = whole.replace(ROOT, '')
      const size = Math.min(100, Number(query.get('per_page') ?? 30))
      const paged = <T>(all: T[]) => {
        const { items, next, last } = page(all, Number(query.get('page') ?? 1), size)
        const at = (number: number) => `<https://api.github.com/repositories/77${path}?per_page=${size}&page=${number}>`
        return { items, ...(next && { headers: { link: `${at(next)}; rel="next", ${at(last)}; rel="last"` } }) }
      }
      if (path === '') return { body: REPOSITORY }
      if (path === '/commits') {
        const [since, until] = [query.get('since')!, query.get('until')!]
        const { items, headers } = paged(commits.toReversed().filter(({ date }) => date >= since && date <= until))
        return { body: items.map(listed), ...(headers && { headers }) }
      }
      const commit = commits.find(({ sha }) => path === `/commits/${sha}`)
      if (commit) {
        const files = commit.files.map((file) => ({ filename: file.path, status: file.action === 'add' ? 'added' : 'modified' }))
        return { body: { sha: commit.sha, files } }
      }
      if (path === '/deployments') {
        const { items, headers } = paged(deployments.toReversed())
        return { body: items.map(deploymentOf), ...(headers && { headers }) }
      }
      const deployment = deployments.find(({ id }) => path === `/deployments/${id}/statuses`)
      if (deployment) return { body: statusesOf(deployment).toReversed() }
      if (path === '/releases') {
        const { items, headers } = paged(releases.toReversed())
        return { body: items.map(releaseOf), ...(headers && { headers }) }
      }
      if (path === '/actions/runs') {
        const created = query.get('created')!
        const wanted = builds
          .toReversed()
          .filter(({ started }) => (created.startsWith('>=') ? started >= created.slice(2) : started.startsWith(created)))
        const { items, headers } = paged(wanted.slice(0, 1000))
        return { body: { total_count: wanted.length, workflow_runs: items.map(runOf) }, ...(headers && { headers }) }
      }
      if (/^\/actions\/runs\/\d+\/jobs$/.test(path)) return { body: { jobs: [{ id: 9, conclusion: 'failure' }] } }
      if (path === '/actions/jobs/9/logs') return { status: 302, body: '', headers: { location: `http://${host}/log` } }
      return undefined
    },
  })
  return {
    ...stub,
    provider: 'github',
    config: { server: `${url}${ROOT}`, api_token: 'secret' },
    pushed: (pushed) => ({
      headers: { 'x-github-event': 'push' },
      body: {
        ref: 'refs/heads/main',
        before: pushed[0]!.parent ?? '0'.repeat(40),
        after: pushed.at(-1)!.sha,
        created: pushed[0]!.parent === undefined,
        repository: REPOSITORY,
        sender: { login: 'ann', id: 5 },
        commits: pushed.map(({ sha, message, date, files }) => ({
          id: sha,
          message,
          timestamp: date,
          author: { name: 'Ann', email: 'ann@example.com', username: 'ann' },
          added: files.filter(({ action }) => action === 'add').map((file) => file.path),
          modified: files.filter(({ action }) => action === 'edit').map((file) => file.path),
          removed: [],
        })),
      },
    }),
    deployed: (deployment) =>
      // One that is superseded is ignored.
      statusesOf(deployment)
        .filter(({ state }) => state !== 'inactive')
        .map((deployment_status) => ({
          headers: { 'x-github-event': 'deployment_status' },
          body: { action: 'created', deployment: deploymentOf(deployment), deployment_status, repository: REPOSITORY },
        })),
    // GitHub tells a publication as "created", "published" and "released".
    released: (release) =>
      (release.isDraft ? ['created'] : ['created', 'published', 'released']).map((action) => ({
        headers: { 'x-github-event': 'release' },
        body: { action, release: releaseOf(release), repository: REPOSITORY },
      })),
    built: (build) => ({
      headers: { 'x-github-event': 'workflow_run' },
      body: {
        action: 'completed',
        workflow_run: runOf(build),
        workflow: { name: build.job },
        repository: REPOSITORY,
      },
    }),
  }
}

const deploymentOf = ({ id, environment, sha, at }: Deployment) => ({
  id,
  sha,
  ref: 'main',
  task: 'deploy',
  environment,
  payload: {},
  created_at: minutesAfter(at, -10),
  updated_at: at,
})

const releaseOf = ({ id, tag, isDraft, at }: Release) => ({
  id,
  tag_name: tag,
  target_commitish: 'main',
  draft: isDraft,
  prerelease: tag === 'v1.1',
  // Of the commit.
  created_at: minutesAfter(at, -100),
  published_at: isDraft ? null : at,
})

/** Oldest first: it fails once before it is live. */
const statusesOf = ({ id, environment, isLive, at }: Deployment) =>
  ['queued', 'in_progress', ...(isLive ? ['failure', 'success', 'inactive'] : ['success', 'error'])].map((state, index) => ({
    id: id * 10 + index,
    state,
    environment,
    created_at: minutesAfter(at, index - 4),
    updated_at: minutesAfter(at, index - 4),
  }))

const LOG = "src/old.c:54:3: error: 'old' undeclared\n"

const listed = ({ sha, parent, message, date }: World['commits'][number]) => ({
  sha,
  commit: { message, author: { name: 'Ann', email: 'ann@example.com', date }, committer: { date } },
  author: { login: 'ann', id: 5 },
  parents: parent === undefined ? [] : [{ sha: parent }],
})

const runOf = ({ id, job, number, sha, failed, started, finished, pull }: Build) => ({
  id,
  name: job,
  run_number: number,
  head_sha: sha,
  conclusion: failed ? 'failure' : 'success',
  created_at: started,
  updated_at: finished,
  status: 'completed',
  event: pull === undefined ? 'push' : 'pull_request',
  head_branch: pull === undefined ? 'main' : 'feature',
  run_started_at: started,
  html_url: `https://github.com/owl/star/actions/runs/${id}`,
  repository: REPOSITORY,
  head_repository: REPOSITORY,
  pull_requests: pull === undefined ? [] : [{ number: pull, base: { ref: 'main' } }],
})
