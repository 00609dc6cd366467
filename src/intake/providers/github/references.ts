import type { Fact, ReferenceFact } from '../../facts.ts'
import { at, type Json, link, object, text, time, Unreadable, word } from '../../reading.ts'

const SHARED = ['opened', 'edited', 'closed', 'reopened', 'assigned', 'unassigned', 'labeled', 'unlabeled', 'locked', 'unlocked']
const MILESTONES = ['milestoned', 'demilestoned']

/** The issue no longer exists under this key; a transferred one is opened under its new key. */
const GONE = new Set(['deleted', 'transferred'])
const ISSUE_ACTIONS = new Set([...SHARED, ...MILESTONES, ...GONE, 'pinned', 'unpinned', 'typed', 'untyped'])
const PULL_ACTIONS = new Set([
  ...SHARED,
  ...MILESTONES,
  'synchronize',
  'ready_for_review',
  'converted_to_draft',
  'review_requested',
  'review_request_removed',
  'auto_merge_enabled',
  'auto_merge_disabled',
  'enqueued',
  'dequeued',
])

export function issue(body: Json): Fact[] {
  const action = text(at(body, 'action')) ?? ''
  if (!ISSUE_ACTIONS.has(action)) return []
  return [{ ...reference(body, at(body, 'issue')), deleted: GONE.has(action) }]
}

export function pullRequest(body: Json): Fact[] {
  if (!PULL_ACTIONS.has(text(at(body, 'action')) ?? '')) return []
  const pull = at(body, 'pull_request')
  const fact = { ...reference(body, pull), deleted: false }
  if (at(pull, 'merged') === true) return [{ ...fact, state: 'merged' }]
  return [at(pull, 'draft') === true && fact.state === 'open' ? { ...fact, state: 'draft' } : fact]
}

function reference(body: Json, item: unknown): ReferenceFact {
  const repository = text(at(body, 'repository', 'full_name'))
  const number = word(at(item, 'number'))
  if (repository === undefined || number === undefined) throw new Unreadable('The repository and the number must be given.')
  return {
    kind: 'reference',
    key: `${repository}#${number}`,
    title: text(at(item, 'title')),
    state: text(at(item, 'state')),
    url: link(at(item, 'html_url')),
    assignee_uid: assignee(item),
    at: time(at(item, 'updated_at')),
  }
}

/** `null` for nobody; a payload without the field leaves the assignee unchanged. */
function assignee(item: unknown): string | null | undefined {
  const first = object(at(item, 'assignee')) ?? at(item, 'assignees', 0)
  const login = text(at(first, 'login'))
  return login ?? (at(item, 'assignee') === null ? null : undefined)
}
