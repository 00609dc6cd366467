import type { ChangeFact } from '../../facts.ts'
import type { History } from '../../history/history.ts'
import { at, type Json, number, objects, text } from '../../reading.ts'
import { factsOf } from '../../reports/readable.ts'
import { buildComplete } from './builds.ts'
import { change } from './push.ts'
import { repositoryOf } from './repository.ts'

const PAGE = 100
const VERSION = 'api-version=7.1'

export const history: History = {
  headers: (config) => ({ authorization: `Basic ${Buffer.from(`:${text(config.api_token) ?? ''}`).toString('base64')}` }),
  about: {
    path: `/_apis/git/repositories?${VERSION}`,
    read: (body) => ({
      repositories: objects(at(body, 'value')).flatMap(({ id, name, remoteUrl, defaultBranch, project, isDisabled }) =>
        text(defaultBranch) === undefined || isDisabled === true
          ? []
          : [{ id, name, remoteUrl, defaultBranch, project: { name: at(project, 'name') } }],
      ),
    }),
  },
  parts: [
    {
      name: 'changes',
      needs: 'Code (read)',
      page({ cursor, since, until, about }) {
        const repository = repositoryAt(about, cursor)
        const query = new URLSearchParams({
          'searchCriteria.itemVersion.version': branchOf(repository),
          'searchCriteria.fromDate': since,
          'searchCriteria.toDate': until,
          'searchCriteria.$skip': String(number(cursor.skip) ?? 0),
          // Commits are listed without their parents: one more tells what the last of the page follows.
          'searchCriteria.$top': String(PAGE + 1),
        })
        return { path: `/_apis/git/repositories/${encodeURIComponent(text(repository.id) ?? '')}/commits?${query}&${VERSION}` }
      },
      read({ body }, { cursor, about }) {
        const repository = repositoryAt(about, cursor)
        const listed = objects(at(body, 'value'))
        const facts = listed.slice(0, PAGE).flatMap((commit, at) => commitFact(commit, listed[at + 1], repository))
        if (listed.length > PAGE)
          return { facts, next: { repository: number(cursor.repository) ?? 0, skip: (number(cursor.skip) ?? 0) + PAGE } }
        const next = (number(cursor.repository) ?? 0) + 1
        return next < objects(about.repositories).length ? { facts, next: { repository: next }, isOtherBranch: true } : { facts }
      },
    },
    {
      name: 'builds',
      needs: 'Build (read)',
      page({ cursor, since }) {
        const token = text(cursor.token)
        const query = new URLSearchParams({
          statusFilter: 'completed',
          queryOrder: 'queueTimeDescending',
          minTime: since,
          $top: String(PAGE),
          ...(token !== undefined && { continuationToken: token }),
        })
        return { path: `/_apis/build/builds?${query}&${VERSION}` }
      },
      read({ headers, body }) {
        const token = text(headers['x-ms-continuationtoken'])
        const facts = factsOf(objects(at(body, 'value')), (build) => buildComplete({}, build))
        return { facts, ...(token !== undefined && { next: { token } }) }
      },
    },
  ],
}

/** The repositories of the project are read one after the other. */
const repositoryAt = (about: Json, cursor: Json): Json => objects(about.repositories)[number(cursor.repository) ?? 0] ?? {}

const branchOf = ({ defaultBranch }: Json) => (text(defaultBranch) ?? '').replace(/^refs\/heads\//, '')

function commitFact(commit: Json, older: Json | undefined, repository: Json): ChangeFact[] {
  const identifier = text(commit.commitId)
  if (identifier === undefined) return []
  const follows = text(at(commit, 'parents', 0)) ?? text(older?.commitId)
  const told = repositoryOf(repository)
  return [
    {
      ...change(identifier, commit, { repository }),
      branch: branchOf(repository),
      ...(told && { repository: told }),
      ...(follows !== undefined && { follows }),
    },
  ]
}
