import type { Fact } from '../../facts.ts'
import { at, type Json, text, time, Unreadable, uids, word } from '../../reading.ts'
import { cloudRepository, pageIn } from './repository.ts'

/** Reviewers are not assignees. The commits inside are cut to 12 characters. */
export function pullRequest(body: Json): Fact[] {
  const pull = body.pullrequest
  const state = text(at(pull, 'state'))?.toLowerCase()
  return reference(body, pull, '!', state === 'open' && at(pull, 'draft') === true ? 'draft' : state)
}

export const issue = (body: Json): Fact[] => {
  const told = at(body, 'issue', 'assignee')
  const [assignee] = uids(at(told, 'account_id'), at(told, 'uuid'))
  const isNobody = told === null
  return reference(body, body.issue, '#', text(at(body, 'issue', 'state')), assignee ?? (isNobody ? null : undefined))
}

function reference(body: Json, item: unknown, mark: '#' | '!', state: string | undefined, assignee_uid?: string | null): Fact[] {
  const [repository, id] = [cloudRepository(body.repository), word(at(item, 'id'))]
  if (repository === undefined || id === undefined) throw new Unreadable('The repository and the id must be given.')
  return [
    {
      kind: 'reference',
      key: `${repository.name}${mark}${id}`,
      title: text(at(item, 'title')),
      state,
      url: pageIn(item),
      ...(assignee_uid !== undefined && { assignee_uid }),
      deleted: false,
      at: time(at(item, 'updated_on')) ?? time(at(item, 'created_on')),
    },
  ]
}
