import type { Fact } from '../../facts.ts'
import { at, type Json, text, time, Unreadable, word } from '../../reading.ts'
import { serverPage, serverRepository } from './repository.ts'

/** A pull request of Data Center belongs to the repository that it is merged into. A deleted one still says that it is open. */
export function serverPullRequest(body: Json): Fact[] {
  const pull = body.pullRequest
  const [repository, id] = [serverRepository(at(pull, 'toRef', 'repository')), word(at(pull, 'id'))]
  if (repository === undefined || id === undefined) throw new Unreadable('A pull request must have an id and a repository.')
  const state = text(at(pull, 'state'))?.toLowerCase()
  const deleted = body.eventKey === 'pr:deleted'
  return [
    {
      kind: 'reference',
      key: `${repository.name}!${id}`,
      title: text(at(pull, 'title')),
      state: state === 'open' && at(pull, 'draft') === true ? 'draft' : state,
      url: serverPage(pull),
      deleted,
      // The time of its last edit is not that of its deletion.
      at: (deleted ? undefined : time(at(pull, 'updatedDate'))) ?? time(body.date),
    },
  ]
}
