import { openStub } from './stub.ts'
import type { Build, Deployment, Issue, Tool, World } from './world.ts'
import { minutesAfter } from './world.ts'

const REPOSITORY = {
  id: 'aaaa-1',
  name: 'star',
  defaultBranch: 'refs/heads/main',
  remoteUrl: 'https://owl@dev.azure.com/owl/Game/_git/star',
  project: { id: 'p1', name: 'Game' },
}
const TOOLS = { ...REPOSITORY, id: 'aaaa-2', name: 'tools', remoteUrl: 'https://dev.azure.com/owl/Game/_git/tools' }
const PAGE = 3

/**
 * Azure DevOps' REST API of one project: Basic with an empty user, an api-version on every request, commits by `$skip` and `$top` without
 * their parents, builds and deployments by a continuation token, work items by their ids.
 */
export async function openAzureDevOps(
  { commits, builds, deployments, issues }: World,
  tools: World['commits'] = [],
): Promise<Tool> {
  const { url, ...stub } = await openStub({
    isAllowed: ({ authorization }) => authorization === `Basic ${Buffer.from(':secret').toString('base64')}`,
    answer(whole, query, _, sent) {
      if (query.get('api-version') === null || !whole.startsWith('/owl/Game/_apis/')) return { status: 400, body: {} }
      const path = whole.slice('/owl/Game/_apis'.length)
      const asked = (name: string) => query.get(`searchCriteria.${name}`)!
      if (path === '/git/repositories') return { body: { value: [{ id: 'empty', name: 'empty' }, TOOLS, REPOSITORY] } }
      if (path === '/git/repositories/aaaa-2/commits')
        return { body: { count: tools.length, value: tools.map(commitOf).toReversed() } }
      if (path === '/git/repositories/aaaa-1/commits') {
        if (asked('itemVersion.version') !== 'main') return undefined
        const [skip, top] = [Number(asked('$skip')), Number(asked('$top'))]
        const found = commits.toReversed().filter(({ date }) => date >= asked('fromDate') && date <= asked('toDate'))
        return { body: { value: found.slice(skip, skip + top).map(commitOf) } }
      }
      const continued = (all: object[], size = PAGE) => {
        const start = Number(query.get('continuationToken') ?? 0)
        const more = start + size < all.length
        return {
          body: { value: all.slice(start, start + size) },
          ...(more && { headers: { 'x-ms-continuationtoken': String(start + size) } }),
        }
      }
      if (path === '/build/builds')
        return continued(
          builds
            .toReversed()
            .filter(({ started }) => started >= query.get('minTime')!)
            .map(buildOf),
        )
      if (path === '/release/deployments')
        return continued(
          deployments
            .toReversed()
            .filter(({ at }) => at >= query.get('minModifiedTime')!)
            .flatMap(attemptsOf),
          1,
        )
      if (path === '/wit/wiql') {
        const { query: wiql } = JSON.parse(sent) as { query: string }
        const [, since, before = 'Infinity'] =
          /^select \[System\.Id\] from WorkItems where \[System\.TeamProject\] = @project and \[System\.ChangedDate\] >= '([^']+)'(?: and \[System\.Id\] < (\d+))? order by \[System\.Id\] desc$/.exec(
            wiql,
          ) ?? []
        // Without the precision of a time only days may be compared.
        if (since === undefined || query.get('timePrecision') !== 'true') return { status: 400, body: { message: 'VS403437' } }
        const found = issues.toReversed().filter(({ updated, number }) => updated >= since && number < Number(before))
        return { body: { workItems: found.slice(0, Number(query.get('$top'))).map(({ number: id }) => ({ id })) } }
      }
      if (path === '/wit/workitemsbatch') {
        const { ids, fields } = JSON.parse(sent) as { ids: number[]; fields: string[] }
        if (ids.length === 0 || ids.length > 200) return { status: 400, body: {} }
        return { body: { value: issues.filter(({ number }) => ids.includes(number)).map((issue) => itemOf(issue, fields)) } }
      }
      if (path === '/git/pullrequests') {
        if (asked('status') !== 'all' || query.get('$skip') !== '0') return { body: { value: [] } }
        return { body: { value: [PULL] } }
      }
      if (/^\/build\/builds\/\d+\/timeline$/.test(path))
        return { body: { records: [{ type: 'Task', result: 'failed', log: { id: 4 } }] } }
      if (/^\/build\/builds\/\d+\/logs\/4$/.test(path)) return 'boom\n'
      return undefined
    },
  })
  return {
    ...stub,
    provider: 'azure_devops',
    config: { server: `${url}/owl/Game`, api_token: 'secret' },
    pushed: (pushed) => ({
      body: {
        eventType: 'git.push',
        resource: {
          commits: pushed.map(commitOf).toReversed(),
          refUpdates: [
            {
              name: 'refs/heads/main',
              oldObjectId: pushed[0]!.parent ?? '0'.repeat(40),
              newObjectId: pushed.at(-1)!.sha,
            },
          ],
          repository: pushed.some((commit) => tools.includes(commit)) ? TOOLS : REPOSITORY,
        },
      },
    }),
    built: (build) => ({ body: { eventType: 'build.complete', resource: buildOf(build) } }),
    deployed: (deployment) =>
      attemptsOf(deployment)
        .toReversed()
        .flatMap(({ release, releaseEnvironment, deploymentStatus, startedOn, completedOn }) => [
          {
            body: {
              eventType: 'ms.vss-release.deployment-started-event',
              createdDate: startedOn,
              resource: { environment: { ...releaseEnvironment, status: 'inProgress', release } },
            },
          },
          {
            body: {
              eventType: 'ms.vss-release.deployment-completed-event',
              createdDate: completedOn,
              resource: { deployment: { status: deploymentStatus, release, environment: releaseEnvironment } },
            },
          },
        ]),
    filed: (issue) => ({
      body: {
        eventType: 'workitem.updated',
        createdDate: issue.updated,
        resource: {
          id: 2,
          workItemId: issue.number,
          fields: { 'System.State': { oldValue: 'New', newValue: stateOf(issue) } },
          revision: itemOf(issue),
          _links: { html: { href: `https://dev.azure.com/owl/p1/_workitems/edit/${issue.number}` } },
        },
      },
    }),
    more: [
      {
        body: {
          eventType: 'git.pullrequest.created',
          createdDate: PULL.creationDate,
          resource: { ...PULL, repository: REPOSITORY },
        },
      },
    ],
  }
}

const PULL = {
  pullRequestId: 7,
  title: 'Feature',
  status: 'active',
  isDraft: false,
  creationDate: '2026-01-02T03:04:05.678Z',
  repository: { id: REPOSITORY.id, name: REPOSITORY.name, project: REPOSITORY.project },
}

const stateOf = ({ isOpen }: Issue) => (isOpen ? 'Active' : 'Closed')

/** A work item without an assignee has no such field. */
const itemOf = (issue: Issue, wanted?: string[]) => ({
  id: issue.number,
  url: `https://dev.azure.com/owl/p1/_apis/wit/workItems/${issue.number}`,
  fields: Object.fromEntries(
    Object.entries({
      'System.Title': issue.title,
      'System.State': stateOf(issue),
      'System.ChangedDate': issue.updated,
      'System.Description': '<div>What to do</div>',
      ...(issue.assignee !== null && {
        'System.AssignedTo': { displayName: 'Ann', uniqueName: `${issue.assignee}@example.com` },
      }),
    }).filter(([name]) => wanted === undefined || wanted.includes(name)),
  ),
})

/** Newest first: each is deployed again after a failure. */
const attemptsOf = ({ id, environment, isLive, at }: Deployment) =>
  [isLive ? 'succeeded' : 'failed', 'failed'].map((deploymentStatus, index) => ({
    id: id * 10 - index,
    attempt: 2 - index,
    release: { id, name: `Release-${id}` },
    releaseEnvironment: { id: 3, name: environment },
    deploymentStatus,
    operationStatus: 'Phase',
    startedOn: minutesAfter(at, -2 - 10 * index),
    completedOn: minutesAfter(at, -10 * index),
    lastModifiedOn: minutesAfter(at, 5),
  }))

const commitOf = ({ sha, message, date }: World['commits'][number]) => ({
  commitId: sha,
  author: { name: 'Ann', email: 'ann@example.com', date },
  committer: { name: 'Ann', email: 'ann@example.com', date },
  comment: message,
})

const buildOf = ({ id, number, job, sha, failed, started, finished, pull }: Build) => ({
  id,
  buildNumber: `2026.${number}`,
  status: 'completed',
  result: failed ? 'failed' : 'succeeded',
  reason: pull === undefined ? 'individualCI' : 'pullRequest',
  triggerInfo: pull === undefined ? {} : { 'pr.number': String(pull) },
  startTime: started,
  finishTime: finished,
  definition: { name: job, path: '\\Nightly' },
  repository: { ...REPOSITORY, type: 'TfsGit' },
  sourceBranch: pull === undefined ? 'refs/heads/main' : `refs/pull/${pull}/merge`,
  sourceVersion: sha,
  _links: { web: { href: `https://dev.azure.com/owl/Game/_build/results?buildId=${id}` } },
})
