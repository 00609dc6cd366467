import { openStub } from './stub.ts'
import type { Build, Tool, World } from './world.ts'

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
 * their parents, builds by a continuation token.
 */
export async function openAzureDevOps({ commits, builds }: World, tools: World['commits'] = []): Promise<Tool> {
  const { url, ...stub } = await openStub({
    isAllowed: ({ authorization }) => authorization === `Basic ${Buffer.from(':secret').toString('base64')}`,
    answer(whole, query) {
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
      if (path === '/build/builds') {
        const start = Number(query.get('continuationToken') ?? 0)
        const found = builds.toReversed().filter(({ started }) => started >= query.get('minTime')!)
        const more = start + PAGE < found.length
        return {
          body: { value: found.slice(start, start + PAGE).map(buildOf) },
          ...(more && { headers: { 'x-ms-continuationtoken': String(start + PAGE) } }),
        }
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
  }
}

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
