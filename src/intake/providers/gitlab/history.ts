import type { ChangedFile, ChangeFact, Fact, Repository } from '../../facts.ts'
import { type Asked, filesOnly, type History, type HistoryReply, pageAfter } from '../../history/history.ts'
import { at, type Json, link, number, object, objects, text, time, word } from '../../reading.ts'
import { factsOf } from '../../reports/readable.ts'
import { deployment, release } from './deployments.ts'
import { pipeline } from './pipeline.ts'
import { repositoryOf } from './project.ts'
import { change } from './push.ts'
import { issue, mergeRequest } from './references.ts'

const PAGE = 100
/** Each pipeline takes two requests: the pipeline, and its jobs. */
const PIPELINES = 20
const OVER: readonly unknown[] = ['success', 'failed', 'canceled', 'skipped']
/** Pipelines that somebody or something started with variables. */
const STARTED: readonly unknown[] = ['api', 'web', 'trigger', 'schedule', 'pipeline', 'chat']

const projectPath = (config: Readonly<Json>) =>
  `/api/v4/projects/${encodeURIComponent((text(config.gitlab_project) ?? '').replace(/^\/+|\/+$/g, ''))}`

const listed = ({ config, cursor }: Asked, path: string, query: Record<string, string>, size = PAGE) => ({
  path: `${projectPath(config)}/${path}?${new URLSearchParams({ ...query, per_page: String(size), page: String(number(cursor.page) ?? 1) })}`,
})
const total = ({ headers }: HistoryReply) => number(headers['x-total'])

export const history: History = {
  headers: (config) => ({ 'private-token': text(config.api_token) ?? '' }),
  settings: ['gitlab_project'],
  about: {
    path: projectPath,
    read: (body) => ({
      project: {
        id: at(body, 'id'),
        path_with_namespace: at(body, 'path_with_namespace'),
        web_url: at(body, 'web_url'),
      },
      branch: text(at(body, 'default_branch')) ?? null,
    }),
  },
  parts: [
    {
      name: 'issues',
      needs: 'read_api',
      page: (asked) =>
        listed(asked, listOf(asked.cursor), {
          scope: 'all',
          updated_after: asked.since,
          order_by: 'created_at',
          sort: 'desc',
          // Not everybody here may read a confidential issue.
          ...(listOf(asked.cursor) === 'issues' && { confidential: 'false' }),
        }),
      read({ headers, body }, { cursor, about }) {
        const list = listOf(cursor)
        const more = pageAfter(headers)
        const next = more ? { list, ...more } : list === 'issues' ? { list: 'merge_requests' } : undefined
        return { facts: factsOf(objects(body), (item) => referenceFact(item, list, about)), ...(next && { next }) }
      },
    },
    {
      name: 'changes',
      needs: 'read_api',
      page: (asked) =>
        listed(asked, 'repository/commits', {
          since: asked.since,
          until: asked.until,
          ref_name: text(asked.about.branch) ?? 'HEAD',
        }),
      read({ headers, body }, { about }) {
        const next = pageAfter(headers)
        return { facts: objects(body).flatMap((commit) => commitFact(commit, about)), ...(next && { next }) }
      },
    },
    {
      name: 'builds',
      needs: 'read_api',
      count: { request: (asked) => pipelines(asked, 1), read: total },
      page: (asked) => pipelines(asked, PIPELINES),
      details: ({ body, details }, { config }) =>
        objects(body)
          .filter(isOver)
          .flatMap((listing) => {
            const path = projectPath(config)
            const [run, merge] = [`${path}/pipelines/${word(listing.id)}`, mergeRequestOf(listing)]
            return [
              { path: run },
              { path: `${run}/jobs?per_page=${PAGE}` },
              ...(merge === undefined ? [] : [{ path: `${path}/merge_requests/${merge}` }]),
              ...(STARTED.includes(listing.source) && details.get(run) !== undefined ? [{ path: `${run}/variables` }] : []),
            ]
          }),
      read(reply, asked) {
        const next = pageAfter(reply.headers)
        const runs = objects(reply.body).filter(isOver)
        return { facts: factsOf(runs, (run) => pipelineFact(run, reply, asked)), ...(next && { next }) }
      },
    },
    {
      name: 'deployments',
      needs: 'read_api',
      // The server refuses `updated_after` in any other order. One that changes meanwhile moves to a page that was read.
      page: (asked) => listed(asked, 'deployments', { updated_after: asked.since, order_by: 'updated_at', sort: 'desc' }),
      read({ headers, body }) {
        const next = pageAfter(headers)
        return { facts: factsOf(objects(body), deploymentFact), ...(next && { next }) }
      },
    },
    {
      name: 'releases',
      needs: 'read_api',
      page: (asked) => listed(asked, 'releases', { order_by: 'released_at', sort: 'desc' }),
      read({ headers, body }, { since, until, about }) {
        const next = pageAfter(headers)
        const all = objects(body)
        const wanted = all.filter(({ released_at }) => (time(released_at) ?? '') >= since)
        return {
          facts: factsOf(wanted, (one) => releaseFact(one, until, about)),
          ...(next && wanted.length === all.length && { next }),
        }
      },
    },
    {
      name: 'files',
      needs: 'read_api',
      ofChanges: true,
      page: (asked) => listed(asked, `repository/commits/${text(asked.cursor.identifier)}/diff`, {}),
      read({ headers, body }, { cursor }) {
        const identifier = text(cursor.identifier)!
        const next = pageAfter(headers)
        return { facts: [filesOnly(identifier, objects(body).flatMap(fileIn))], ...(next && { next: { identifier, ...next } }) }
      },
    },
  ],
}

const listOf = (cursor: Json) => (cursor.list === 'merge_requests' ? 'merge_requests' : 'issues')

/** Not by the time of an update: a pipeline that is repeated meanwhile would push another one off its page. */
const pipelines = (asked: Asked, size: number) =>
  listed(asked, 'pipelines', { updated_after: asked.since, order_by: 'id', sort: 'desc' }, size)

const isOver = ({ id, status }: Json) => word(id) !== undefined && OVER.includes(status)

/** Listed pipelines have the merge request only in their ref. */
const mergeRequestOf = ({ ref }: Json) => /^refs\/merge-requests\/(\d+)\//.exec(text(ref) ?? '')?.[1]

/** An item is read as if its webhook had been sent. */
function referenceFact(item: Json, list: 'issues' | 'merge_requests', about: Json): Fact[] {
  const body = {
    project: about.project,
    object_attributes: { ...item, action: 'update', url: item.web_url },
    assignees: item.assignees,
  }
  return list === 'issues' ? issue(body) : mergeRequest(body)
}

function commitFact(commit: Json, about: Json): ChangeFact[] {
  const [identifier, branch] = [text(commit.id), text(about.branch)]
  if (identifier === undefined || branch === undefined) return []
  const { author_name: name, author_email: email, message, committed_date } = commit
  const told = { author: { name, email }, message, timestamp: committed_date }
  const repository: Repository | undefined = repositoryOf(about)
  const follows = text(at(commit, 'parent_ids', 0))
  return [
    {
      ...change(identifier, told, about),
      branch,
      ...(repository && { repository }),
      ...(follows !== undefined && { follows }),
      files: null,
    },
  ]
}

/** A deployment is read as if the webhook of its last status had been sent. */
const deploymentFact = ({ id, status, sha, environment, updated_at }: Json) =>
  deployment({
    deployment_id: id,
    status,
    environment: at(environment, 'name'),
    commit_url: `/${text(sha) ?? ''}`,
    status_changed_at: updated_at,
  })

/** A release is read as if the webhook of its last edit had been sent. */
const releaseFact = ({ tag_name, released_at, commit }: Json, until: string, about: Json) =>
  release({ action: 'update', tag: tag_name, released_at, commit, project: about.project }, new Date(until))

/** A pipeline is read as if its webhook had been sent. */
function pipelineFact(listing: Json, { details }: HistoryReply, { config, about }: Asked): Fact[] {
  const path = projectPath(config)
  const run = `${path}/pipelines/${word(listing.id)}`
  const whole = object(details.get(run))
  if (whole === undefined || !isOver(whole)) return []
  // The newest is listed first.
  const jobs = objects(details.get(`${run}/jobs?per_page=${PAGE}`)).toReversed()
  const merge = object(details.get(`${path}/merge_requests/${mergeRequestOf(listing)}`))
  const isMerge = mergeRequestOf(listing) !== undefined
  return pipeline({
    project: about.project,
    object_attributes: {
      ...whole,
      url: link(whole.web_url),
      ...(isMerge && { ref: merge?.source_branch }),
      // One that was skipped has no end.
      finished_at: whole.finished_at ?? whole.updated_at,
      variables: details.get(`${run}/variables`),
    },
    ...(isMerge && { merge_request: { ...merge, iid: mergeRequestOf(listing) } }),
    commit: at(jobs[0], 'commit'),
    builds: jobs,
  })
}

/** A push tells a renamed file as added, and nothing of its old name. */
function fileIn({ new_path, old_path, new_file, renamed_file, deleted_file }: Json): ChangedFile[] {
  const path = text(deleted_file === true ? old_path : new_path)
  if (path === undefined) return []
  return [{ path, action: deleted_file === true ? 'delete' : new_file === true || renamed_file === true ? 'add' : 'edit' }]
}
