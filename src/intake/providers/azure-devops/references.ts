import type { Fact } from '../../facts.ts'
import { at, type Json, link, mailIn, object, text, time, Unreadable, word } from '../../reading.ts'
import { pageOf, repositoryOf } from './repository.ts'

const STATES: ReadonlyMap<string, string> = new Map([
  ['completed', 'merged'],
  ['abandoned', 'closed'],
])

/** "Merged" only means that a merge was tried: the status says whether it worked. */
export function pullRequest(body: Json, resource: Json): Fact[] {
  const [repository, id, status] = [repositoryOf(resource.repository), word(resource.pullRequestId), text(resource.status)]
  if (repository === undefined || id === undefined) throw new Unreadable('A pull request must have an id and a repository.')
  const page = pageOf(resource)
  const state = STATES.get(status ?? '') ?? (resource.isDraft === true ? 'draft' : status)
  return [
    {
      kind: 'reference',
      key: `${repository.name}!${id}`,
      title: text(resource.title),
      state,
      url: link(at(resource, '_links', 'web', 'href')) ?? (page === undefined ? undefined : `${page}/pullrequest/${id}`),
      deleted: false,
      at: time(body.createdDate),
    },
  ]
}

/** An update has its own id; the work item is named separately, with its whole state as a revision. */
export function workItem(body: Json, resource: Json): Fact[] {
  const id = word(resource.workItemId) ?? word(at(resource, 'revision', 'id')) ?? word(resource.id)
  if (id === undefined) throw new Unreadable('A work item must have an id.')
  const fields = object(at(resource, 'revision', 'fields')) ?? object(resource.fields) ?? {}
  const deleted = body.eventType === 'workitem.deleted'
  return [
    {
      kind: 'reference',
      key: `AB#${id}`,
      title: text(newest(fields['System.Title'])),
      state: text(newest(fields['System.State'])),
      url: urlOf(resource, id),
      assignee_uid: assignee(fields),
      deleted,
      // A deleted item has the time of its last edit.
      at: (deleted ? undefined : time(newest(fields['System.ChangedDate']))) ?? time(body.createdDate),
    },
  ]
}

/** Some updates have only what changed. */
const newest = (field: unknown) => (object(field) && Object.hasOwn(field as Json, 'newValue') ? at(field, 'newValue') : field)

/** `Name <mail>`, `Name <DOMAIN\login>`, or an identity. Nobody, if the whole state has nobody. */
function assignee(fields: Json): string | null | undefined {
  const told = newest(fields['System.AssignedTo'])
  const named = text(told)
  if (named !== undefined) return mailIn(named) ?? /<([^<>]+)>$/.exec(named)?.[1] ?? named
  const isWhole = text(fields['System.Title']) !== undefined
  return text(at(told, 'uniqueName')) ?? (isWhole ? null : undefined)
}

function urlOf(resource: Json, id: string): string | undefined {
  const links = [resource, resource.revision].map((part) => link(at(part, '_links', 'html', 'href')))
  const [base, rest] = (link(resource.url) ?? '').split('/_apis/', 2)
  return links.find((found) => found !== undefined) ?? (rest === undefined ? undefined : `${base}/_workitems/edit/${id}`)
}
