import { openStub, page } from './stub.ts'
import { type Build, type Deployment, daysAgo, type Issue, type Release, type Tool, type World } from './world.ts'

const PROJECT = { id: 5, path_with_namespace: 'owl/games/star', web_url: 'https://gitlab.example/owl/games/star' }
/** By its id or by its path. */
const ROOT = /^\/api\/v4\/projects\/(?:5|owl%2Fgames%2Fstar)(?![^/])/
/** Fewer than anybody asks for, so that there are several. */
const PAGE = 3

/**
 * GitLab's REST API of one project, as documented: only with the token, pages by `X-Next-Page`, no totals of commits, pipelines without
 * times in lists, `RateLimit-*`, and 429 when the requests of a minute are used up.
 */
export async function openGitLab({ commits, builds, deployments, releases, issues }: World): Promise<Tool> {
  const { url, ...stub } = await openStub({
    isAllowed: (headers) => headers['private-token'] === 'secret',
    headers: ({ remaining }) => ({
      'ratelimit-limit': '2000',
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(Math.floor(Date.now() / 1000) + 60),
    }),
    refusal: { status: 429, body: 'Retry later', headers: { 'retry-after': '42' } },
    answer(whole, query) {
      if (!ROOT.test(whole)) return undefined
      const path = whole.replace(ROOT, '')
      const paged = <T>(all: readonly T[], told = true) => {
        const number = Number(query.get('page') ?? 1)
        const { items, next } = page(all, number, Math.min(PAGE, Number(query.get('per_page') ?? 20)))
        const headers = { 'x-next-page': String(next ?? ''), ...(told && { 'x-total': String(all.length) }) }
        return { body: items as readonly unknown[], headers }
      }
      if (path === '') return { body: { ...PROJECT, default_branch: 'main' } }
      if (path === '/repository/commits') {
        const [since, until] = [query.get('since')!, query.get('until')!]
        if (query.get('ref_name') !== 'main') return undefined
        const { body, headers } = paged(
          commits.toReversed().filter(({ date }) => date >= since && date <= until),
          false,
        )
        return { body: (body as World['commits']).map(listed), headers }
      }
      const [, sha] = /^\/repository\/commits\/(\w+)\/diff$/.exec(path) ?? []
      const commit = commits.find((one) => one.sha === sha)
      if (commit) {
        const { body, headers } = paged(commit.files)
        return { body: (body as typeof commit.files).map(diffed), headers }
      }
      if (path === '/deployments') {
        if (query.get('order_by') !== 'updated_at') return { status: 400, body: { message: 'updated_at requires order_by' } }
        const { body, headers } = paged(deployments.toReversed().filter(({ at }) => at >= query.get('updated_after')!))
        return { body: (body as Deployment[]).map(deploymentOf), headers }
      }
      if (path === '/releases') {
        const { body, headers } = paged(releases.toReversed())
        return { body: (body as Release[]).map(releaseOf), headers }
      }
      if (path === '/pipelines') {
        if (query.get('order_by') !== 'id' || query.get('updated_before') !== null) return { status: 400, body: {} }
        const { body, headers } = paged(builds.toReversed().filter(({ finished }) => finished >= query.get('updated_after')!))
        return { body: (body as Build[]).map(pipeline), headers }
      }
      const [, id, part] = /^\/pipelines\/(\d+)(\/jobs)?$/.exec(path) ?? []
      const build = builds.find((one) => String(one.id) === id)
      if (build)
        return {
          body:
            part === undefined
              ? {
                  ...pipeline(build),
                  tag: false,
                  started_at: build.started,
                  finished_at: build.finished,
                  duration: 1200,
                }
              : jobsOf(build).toReversed(),
        }
      if (path === '/merge_requests/7') return { body: MERGE }
      if (path === '/merge_requests') return paged([MERGE])
      if (path === '/issues' && query.get('confidential') === 'false') {
        const { body, headers } = paged(issues.toReversed())
        return { body: (body as Issue[]).map(item), headers }
      }
      if (/^\/jobs\/\d+\/trace$/.test(path)) return "src/old.c:54:3: error: 'old' undeclared\n"
      return undefined
    },
  })
  return {
    ...stub,
    provider: 'gitlab',
    config: { server: url, api_token: 'secret', gitlab_project: 'owl/games/star' },
    pushed: (pushed) => ({
      body: {
        object_kind: 'push',
        ref: 'refs/heads/main',
        before: pushed[0]!.parent ?? '0'.repeat(40),
        after: pushed.at(-1)!.sha,
        project: PROJECT,
        total_commits_count: pushed.length,
        commits: pushed.map(({ sha, message, date, files }) => ({
          id: sha,
          message,
          timestamp: date,
          author: { name: 'Ann', email: 'ann@example.com' },
          added: files.filter(({ action }) => action === 'add').map((file) => file.path),
          modified: files.filter(({ action }) => action === 'edit').map((file) => file.path),
          removed: [],
        })),
      },
    }),
    built: (build) => ({
      body: {
        object_kind: 'pipeline',
        object_attributes: {
          ...pipeline(build),
          ref: build.pull === undefined ? 'main' : 'feature',
          url: pipeline(build).web_url,
          tag: false,
          finished_at: build.finished,
          duration: 1200,
        },
        ...(build.pull !== undefined && { merge_request: MERGE }),
        commit: { title: `Work of ${build.number}` },
        project: PROJECT,
        builds: jobsOf(build),
      },
    }),
    deployed: (deployment) =>
      ['running', deploymentOf(deployment).status].map((status, index) => ({
        body: {
          object_kind: 'deployment',
          status,
          status_changed_at: index === 0 ? '2026-01-02 03:04:05 +0100' : deployment.at,
          deployment_id: deployment.id,
          environment: deployment.environment,
          commit_url: `${PROJECT.web_url}/-/commit/${deployment.sha}`,
          project: PROJECT,
        },
      })),
    released: (release) => [
      {
        body: {
          ...releaseOf(release),
          id: release.id,
          object_kind: 'release',
          action: 'create',
          tag: release.tag,
          project: PROJECT,
        },
      },
    ],
    filed: (issue) => ({
      body: {
        object_kind: 'issue',
        project: PROJECT,
        object_attributes: { ...item(issue), action: 'update', url: item(issue).web_url },
        assignees: item(issue).assignees,
      },
    }),
    more: [
      {
        body: {
          object_kind: 'merge_request',
          project: PROJECT,
          object_attributes: { ...MERGE, action: 'open', url: MERGE.web_url },
          assignees: [],
        },
      },
    ],
  }
}

const MERGE = {
  iid: 7,
  title: 'Feature',
  state: 'opened',
  source_branch: 'feature',
  target_branch: 'main',
  updated_at: '2026-01-02T03:04:05.678Z',
  web_url: `${PROJECT.web_url}/-/merge_requests/7`,
  assignees: [],
}

const listed = ({ sha, parent, message, date }: World['commits'][number]) => ({
  id: sha,
  message,
  author_name: 'Ann',
  author_email: 'ann@example.com',
  authored_date: '2020-01-01T00:00:00Z',
  committed_date: date,
  parent_ids: parent === undefined ? [] : [parent],
})

const diffed = ({ path, action }: World['commits'][number]['files'][number]) => ({
  new_path: path,
  old_path: path,
  new_file: action === 'add',
  renamed_file: false,
  deleted_file: false,
  diff: '@@',
})

const deploymentOf = ({ id, environment, sha, isLive, at }: Deployment) => ({
  id,
  iid: id - 299,
  ref: 'main',
  sha,
  status: isLive ? 'success' : 'failed',
  created_at: at,
  updated_at: at,
  environment: { id: 1, name: environment },
})

/** Without the id that the webhook has. A planned one has a date to come. */
const releaseOf = ({ tag, sha, isDraft, at }: Release) => ({
  tag_name: tag,
  name: `Star ${tag}`,
  released_at: isDraft ? daysAgo(-10) : at,
  commit: { id: sha },
})

/** As lists have it, without times. */
const pipeline = ({ id, number, sha, failed, started, finished, pull, job }: Build) => ({
  id,
  iid: number,
  name: job,
  project_id: 5,
  sha,
  ref: pull === undefined ? 'main' : `refs/merge-requests/${pull}/head`,
  status: failed ? 'failed' : 'success',
  source: pull === undefined ? 'push' : 'merge_request_event',
  created_at: started,
  updated_at: finished,
  web_url: `${PROJECT.web_url}/-/pipelines/${id}`,
})

/** Oldest first. */
const jobsOf = ({ id, failed, started, finished, number }: Build) =>
  ['compile', 'package'].map((name, at) => ({
    id: 10 * id + at,
    name,
    stage: 'build',
    status: failed && at === 1 ? 'failed' : 'success',
    failure_reason: failed && at === 1 ? 'script_failure' : null,
    allow_failure: false,
    started_at: started,
    finished_at: finished,
    duration: 600.5,
    runner: { id: 3, description: 'win-1' },
    artifacts_file: at === 1 ? { filename: 'game.zip', size: 1000 } : null,
    commit: { title: `Work of ${number}` },
  }))

const item = ({ number, title, isOpen, assignee, updated }: Issue) => ({
  iid: number,
  title,
  state: isOpen ? 'opened' : 'closed',
  confidential: false,
  updated_at: updated,
  web_url: `${PROJECT.web_url}/-/issues/${number}`,
  assignees: assignee === null ? [] : [{ username: assignee }],
})
