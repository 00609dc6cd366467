import { openStub, page } from './stub.ts'
import type { Build, Tool, World } from './world.ts'

const PAGE = 1

/**
 * TeamCity's REST API of builds: JSON only on request, builds of one configuration, with the default filter only those of the default branch
 * that ran, pages by `nextHref`, which may be empty and still go on.
 */
export async function openTeamCity({ builds }: World): Promise<Tool> {
  const { url, ...stub } = await openStub({
    isAllowed: ({ authorization }) => authorization === 'Bearer secret',
    answer(path, query, { accept }) {
      if (path === '/downloadBuildLog.html') return 'boom\n'
      if (accept !== 'application/json') return '<xml/>'
      if (path === '/app/rest/buildTypes')
        return {
          body: {
            buildType: [
              ...['Game', 'Cook'].map((name) => ({ id: `Star_${name}`, name, projectName: 'Star' })),
              { id: 'Other_Cook', name: 'Cook', projectName: 'Other' },
            ],
          },
        }
      if (path !== '/app/rest/builds') return undefined
      const locator = query.get('locator')!
      const [, type] = /buildType:\(id:Star_(\w+)\)/.exec(locator) ?? []
      const [, since] = /sinceDate:(\d{8}T\d{6}\+0000)/.exec(locator) ?? []
      if (!locator.includes('defaultFilter:false') || type === undefined || since === undefined) return undefined
      const start = Number(/start:(\d+)/.exec(locator)?.[1] ?? 0)
      const found = builds.toReversed().filter(({ job, finished }) => job === type && compact(finished) >= since)
      // The first page of all is empty.
      if (start === 0) return { body: { count: 0, nextHref: `/tc${path}?${next(query, 1)}` } }
      const { items, next: more } = page(found, Math.ceil(start / PAGE), PAGE)
      return { body: { build: items.map(shown), ...(more && { nextHref: `/tc${path}?${next(query, start + PAGE)}` }) } }
    },
  })
  return {
    ...stub,
    provider: 'teamcity',
    config: { server: url, api_token: 'secret' },
    built: (build) => ({ body: { eventType: 'BUILD_FINISHED', payload: shown(build) } }),
  }
}

function next(query: URLSearchParams, start: number): URLSearchParams {
  const locator = query.get('locator')!.replace(/,start:\d+/, '')
  return new URLSearchParams({ locator: `${locator},start:${start}`, fields: query.get('fields')! })
}

const compact = (time: string) => time.replace(/[-:]/g, '').replace('Z', '+0000')

const shown = ({ id, number, job, sha, failed, started, finished, pull }: Build) => ({
  id,
  buildTypeId: `Star_${job}`,
  number: String(number),
  state: 'finished',
  status: failed ? 'FAILURE' : 'SUCCESS',
  branchName: pull === undefined ? 'main' : `pull/${pull}`,
  webUrl: `https://teamcity.example/buildConfiguration/Star_${job}/${id}`,
  queuedDate: compact(started),
  startDate: compact(started),
  finishDate: compact(finished),
  buildType: { id: `Star_${job}`, name: job, projectName: 'Star' },
  revisions: { count: 1, revision: [{ version: sha, vcsBranchName: 'refs/heads/main' }] },
  agent: { name: 'win-1' },
})
