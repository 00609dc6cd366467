import type { Fact, ReferenceFact } from '../../facts.ts'
import { at, type Json, link, text, time, word } from '../../reading.ts'
import { pathOf } from './project.ts'

/** The Test button sends an issue without an action. */
export function issue(body: Json): Fact[] {
  const told = at(body, 'object_attributes')
  const fact = text(at(told, 'action')) === undefined ? undefined : reference(body, '#')
  if (fact === undefined) return []
  // Not everybody here may read a confidential issue. One that was public before is no longer shown.
  if (at(told, 'confidential') === true || at(body, 'event_type') === 'confidential_issue')
    return [{ kind: 'reference', key: fact.key, deleted: true, at: fact.at }]
  return [{ ...fact, deleted: false }]
}

export function mergeRequest(body: Json): Fact[] {
  const told = at(body, 'object_attributes')
  const fact = text(at(told, 'action')) === undefined ? undefined : reference(body, '!')
  if (fact === undefined) return []
  const isDraft = at(told, 'draft') === true || at(told, 'work_in_progress') === true
  return [{ ...fact, ...(isDraft && fact.state === 'opened' && { state: 'draft' }), deleted: false }]
}

/** Undefined for an item without a number or a state, as some group hooks send it. */
function reference(body: Json, mark: '#' | '!'): ReferenceFact | undefined {
  const told = at(body, 'object_attributes')
  const [path, iid, state] = [pathOf(body), word(at(told, 'iid')), text(at(told, 'state'))]
  if (path === undefined || iid === undefined || state === undefined) return undefined
  return {
    kind: 'reference',
    key: `${path}${mark}${iid}`,
    title: text(at(told, 'title')),
    state: state === 'reopened' ? 'opened' : state,
    url: link(at(told, 'url')),
    assignee_uid: assignee(body),
    at: time(at(told, 'updated_at')),
  }
}

/** `null` for nobody; a payload without the field leaves the assignee unchanged. */
function assignee(body: Json): string | null | undefined {
  const login = text(at(body, 'assignees', 0, 'username')) ?? text(at(body, 'assignee', 'username'))
  const isNobody = Array.isArray(body.assignees)
    ? body.assignees.length === 0
    : at(body, 'object_attributes', 'assignee_id') === null
  return login ?? (isNobody ? null : undefined)
}
