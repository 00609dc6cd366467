import type { ChangeFact, Fact } from '../../facts.ts'
import type { Asked, History, HistoryRequest } from '../../history/history.ts'
import { at, type Json, number, objects, text, time, word } from '../../reading.ts'
import { factsOf } from '../../reports/readable.ts'
import { pullRequest } from './cloud-references.ts'
import { change } from './push.ts'
import { cloudRepository, pageIn } from './repository.ts'
import { commitStatus } from './statuses.ts'

const PAGE = 100
/** The most that the list of pull requests permits. */
const PULL_REQUESTS = 50
const STATES = ['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED']

/** Cloud: its pages name the address of the next one. Only its query is used: an address could lead anywhere. */
function listed({ cursor }: Pick<Asked, 'cursor'>, path: string, query: [string, string][]): HistoryRequest {
  return { path: `${path}?${text(cursor.query) ?? new URLSearchParams(query)}` }
}

function next(body: unknown): { next: { query: string } } | undefined {
  const address = text(at(body, 'next')) ?? ''
  const query = URL.canParse(address) ? new URL(address).search.slice(1) : ''
  return query === '' ? undefined : { next: { query } }
}

const isSince = (since: string, name: string) => (one: Json) => (time(one[name]) ?? '') >= since

export const history: History = {
  headers: ({ api_token }) => ({ accept: 'application/json', authorization: `Bearer ${text(api_token) ?? ''}` }),
  about: {
    path: '',
    read: (body) => ({
      repository: { uuid: at(body, 'uuid'), full_name: at(body, 'full_name'), links: { html: { href: pageIn(body) } } },
      branch: text(at(body, 'mainbranch', 'name')) ?? null,
    }),
  },
  parts: [
    {
      name: 'issues',
      needs: 'Pull requests: read',
      page: (asked) =>
        listed(asked, '/pullrequests', [
          ...STATES.map((state): [string, string] => ['state', state]),
          ['q', `updated_on >= "${asked.since}"`],
          ['sort', '-created_on'],
          ['pagelen', String(PULL_REQUESTS)],
        ]),
      read: ({ body }, { about: { repository } }) => ({
        facts: factsOf(objects(at(body, 'values')), (pullrequest) => pullRequest({ repository, pullrequest })),
        ...next(body),
      }),
    },
    {
      name: 'changes',
      needs: 'Repositories: read',
      page: (asked) =>
        listed(asked, `/commits/${encodeURIComponent(text(asked.about.branch) ?? 'HEAD')}`, [['pagelen', String(PAGE)]]),
      read({ body }, { since, about }) {
        const wanted = objects(at(body, 'values')).filter(isSince(since, 'date'))
        // Newest first, but a rebase may bring an old date: a whole page of old ones is the last.
        return { facts: wanted.flatMap((commit) => commitFact(commit, about)), ...(wanted.length > 0 && next(body)) }
      },
    },
    {
      name: 'builds',
      needs: 'Pipelines: read',
      page: (asked) =>
        listed(asked, '/pipelines/', [
          ['sort', '-created_on'],
          ['pagelen', String(PAGE)],
          ['page', String(number(asked.cursor.page) ?? 1)],
        ]),
      read({ body }, { since, cursor, about }) {
        const all = objects(at(body, 'values'))
        const wanted = all.filter(isSince(since, 'created_on'))
        const page = number(cursor.page) ?? 1
        // Its pages don't name the next one.
        const isMore =
          wanted.length === all.length && page * (number(at(body, 'pagelen')) ?? PAGE) < (number(at(body, 'size')) ?? 0)
        return { facts: factsOf(wanted, (one) => pipelineFacts(one, about)), ...(isMore && { next: { page: page + 1 } }) }
      },
    },
  ],
}

function commitFact(commit: Json, { repository, branch }: Json): ChangeFact[] {
  const [identifier, name] = [text(commit.hash), text(branch)]
  if (identifier === undefined || name === undefined) return []
  const [told, follows] = [cloudRepository(repository), text(at(commit, 'parents', 0, 'hash'))]
  return [
    {
      ...change(identifier, commit, pageIn(repository)),
      branch: name,
      ...(told && { repository: told }),
      ...(follows !== undefined && { follows }),
    },
  ]
}

const RESULTS: Record<string, string> = { SUCCESSFUL: 'SUCCESSFUL', FAILED: 'FAILED', ERROR: 'FAILED', STOPPED: 'STOPPED' }

/** A pipeline is read as if the webhook of its last status had been sent. */
function pipelineFacts(pipeline: Json, { repository }: Json): Fact[] {
  const [state, commit] = [RESULTS[text(at(pipeline, 'state', 'result', 'name')) ?? ''], at(pipeline, 'target', 'commit', 'hash')]
  const [page, build] = [pageIn(repository), word(pipeline.build_number)]
  if (state === undefined || page === undefined || build === undefined) return []
  return commitStatus({
    repository,
    commit_status: {
      state,
      commit: { hash: commit },
      // Of a pull request it is the source.
      refname: at(pipeline, 'target', 'ref_name') ?? at(pipeline, 'target', 'source'),
      url: `${page}/pipelines/results/${build}`,
      created_on: pipeline.created_on,
      updated_on: pipeline.completed_on,
    },
  })
}
