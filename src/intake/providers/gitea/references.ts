import type { Fact } from '../../facts.ts'
import { at, type Json, link, object, text, word } from '../../reading.ts'
import { issue as gitHubIssue, pullRequest as gitHubPullRequest } from '../github/references.ts'

/** Actions with other names than at GitHub. */
const ACTIONS: ReadonlyMap<string, string> = new Map([
  ['synchronized', 'synchronize'],
  ['label_updated', 'labeled'],
  ['label_cleared', 'unlabeled'],
])

export const issue = (body: Json): Fact[] => gitHubIssue(translated(body, 'issue', 'issues'))

export const pullRequest = (body: Json): Fact[] => gitHubPullRequest(translated(body, 'pull_request', 'pulls'))

/** Old versions have the wrong number inside a pull request, and no page of an issue. */
function translated(body: Json, kind: 'issue' | 'pull_request', path: string): Json {
  const action = text(body.action) ?? ''
  const item = object(body[kind])
  const number = word(body.number) ?? word(at(item, 'number'))
  const page = link(at(body, 'repository', 'html_url'))
  const html_url = link(at(item, 'html_url')) ?? (page === undefined ? undefined : `${page}/${path}/${number}`)
  return { ...body, action: ACTIONS.get(action) ?? action, [kind]: item && { ...item, number, html_url } }
}
