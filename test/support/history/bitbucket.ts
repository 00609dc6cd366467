import { openStub, page } from './stub.ts'
import type { Build, Tool, World } from './world.ts'

const PAGE_URL = 'https://bitbucket.org/owl/star'
const REPOSITORY = { uuid: '{r1}', full_name: 'owl/star', links: { html: { href: PAGE_URL } } }
const ROOT = '/2.0/repositories/owl/star'
/** Fewer than anybody asks for. */
const PAGE = 4

/** Bitbucket Cloud's REST API of one repository: a token, commits by an address of the next page, pipelines by their number. */
export async function openBitbucket({ commits, builds }: World): Promise<Tool> {
  const { url, ...stub } = await openStub({
    isAllowed: ({ authorization }) => authorization === 'Bearer secret',
    answer(whole, query, { accept }) {
      const path = whole.replace(ROOT, '')
      const number = Number(query.get('page') ?? 1)
      if (path === '') return { body: { ...REPOSITORY, mainbranch: { name: 'main' } } }
      if (path === '/commits/main') {
        // It refuses other lengths with another page.
        const { items, next } = page(commits.toReversed(), number, PAGE)
        const address = next && { next: `https://api.bitbucket.org${ROOT}/commits/main?ctx=abc&page=${next}` }
        if (number > 1 && query.get('ctx') !== 'abc') return { status: 400, body: {} }
        return { body: { values: items.map(commitOf), pagelen: PAGE, ...address } }
      }
      if (path === '/pipelines/') {
        if (query.get('sort') !== '-created_on') return { status: 400, body: {} }
        const { items } = page(builds.toReversed(), number, PAGE)
        return { body: { values: items.map(pipelineOf), page: number, pagelen: PAGE, size: builds.length } }
      }
      const [, uuid] = /^\/pipelines\/%7B(p\d+)%7D\/steps\/$/.exec(path) ?? []
      if (uuid !== undefined) return { body: { values: [stepOf('Test', 'SUCCESSFUL', uuid), stepOf('Cook', 'FAILED', uuid)] } }
      const [, log] = /^\/pipelines\/%7Bp\d+%7D\/steps\/%7BCook-(p\d+)%7D\/log$/.exec(path) ?? []
      if (log !== undefined) return accept === 'application/json' ? { status: 406, body: {} } : `boom ${log}\n`
      if (path === '/pullrequests') {
        const isAsked = query.getAll('state').length === 4 && /^updated_on >= "\d{4}-/.test(query.get('q') ?? '')
        return isAsked ? { body: { values: [PULL], pagelen: 50 } } : { status: 400, body: {} }
      }
      return undefined
    },
  })
  return {
    ...stub,
    provider: 'bitbucket',
    config: { server: `${url}${ROOT}`, api_token: 'secret' },
    pushed: (pushed) => ({
      headers: { 'x-event-key': 'repo:push' },
      body: {
        repository: REPOSITORY,
        push: {
          changes: [
            {
              new: { type: 'branch', name: 'main', target: { hash: pushed.at(-1)!.sha } },
              old: pushed[0]!.parent === undefined ? null : { type: 'branch', name: 'main', target: { hash: pushed[0]!.parent } },
              truncated: false,
              commits: pushed.map(commitOf).toReversed(),
            },
          ],
        },
      },
    }),
    built: (build) =>
      ['INPROGRESS', build.failed ? 'FAILED' : 'SUCCESSFUL'].map((state, at) => ({
        headers: { 'x-event-key': at === 0 ? 'repo:commit_status_created' : 'repo:commit_status_updated' },
        body: {
          repository: REPOSITORY,
          commit_status: {
            state,
            type: 'build',
            key: String(build.id),
            name: `Pipeline #${build.number}`,
            commit: { hash: build.sha },
            refname: refOf(build),
            url: `${PAGE_URL}/pipelines/results/${build.number}`,
            created_on: build.started,
            updated_on: at === 0 ? build.started : build.finished,
          },
        },
      })),
    more: [{ headers: { 'x-event-key': 'pullrequest:updated' }, body: { repository: REPOSITORY, pullrequest: PULL } }],
  }
}

const stepOf = (name: string, result: string, pipeline: string) => ({
  uuid: `{${name}-${pipeline}}`,
  name,
  state: { name: 'COMPLETED', result: { name: result } },
})

const PULL = {
  id: 7,
  title: 'Feature',
  state: 'OPEN',
  updated_on: '2026-01-02T03:04:05.678901+00:00',
  links: { html: { href: `${PAGE_URL}/pull-requests/7` } },
}

const refOf = ({ pull }: Build) => (pull === undefined ? 'main' : 'feature')

const commitOf = ({ sha, parent, message, date }: World['commits'][number]) => ({
  hash: sha,
  message,
  date,
  author: { raw: 'Ann <ann@example.com>', user: { account_id: 'a1', uuid: '{u1}', display_name: 'Ann' } },
  parents: parent === undefined ? [] : [{ hash: parent }],
  links: { html: { href: `${PAGE_URL}/commits/${sha}` } },
})

const pipelineOf = (build: Build) => ({
  uuid: `{p${build.id}}`,
  build_number: build.number,
  state: { name: 'COMPLETED', result: { name: build.failed ? 'ERROR' : 'SUCCESSFUL' } },
  created_on: build.started,
  completed_on: build.finished,
  target:
    build.pull === undefined
      ? { type: 'pipeline_ref_target', ref_name: 'main', commit: { hash: build.sha } }
      : { type: 'pipeline_pullrequest_target', source: 'feature', destination: 'main', commit: { hash: build.sha } },
})
