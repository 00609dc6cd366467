import { expect, test } from 'vitest'
import type { Fact } from '../../facts.ts'
import { Unreadable } from '../../reading.ts'
import { issue, pullRequest } from './references.ts'

const only = (facts: Fact[]) => {
  expect(facts).toHaveLength(1)
  return facts[0]!
}

const repository = { full_name: 'owl/starfall' }
const reported = (action: string, more: object = {}) =>
  issue({ action, repository, issue: { number: 7, state: 'open', ...more } })
const pull = (action: string, more: object) =>
  only(pullRequest({ action, repository, pull_request: { number: 8, state: 'open', ...more } }))

test('an issue or pull request has the key that people write', () => {
  expect(only(reported('opened', { title: 'Dragon clips' }))).toMatchObject({
    key: 'owl/starfall#7',
    title: 'Dragon clips',
    state: 'open',
  })
})

test('a deleted or transferred issue or pull request is gone under its key', () => {
  expect(only(reported('deleted'))).toMatchObject({ key: 'owl/starfall#7', deleted: true })
  expect(only(reported('transferred'))).toMatchObject({ deleted: true })
  expect(only(reported('closed'))).toMatchObject({ deleted: false })
})

test('an issue or pull request has an assignee, has none, or does not say', () => {
  expect(only(reported('assigned', { assignee: { login: 'ada' } }))).toMatchObject({ assignee_uid: 'ada' })
  expect(only(reported('unassigned', { assignee: null, assignees: [] }))).toMatchObject({ assignee_uid: null })
  expect(only(reported('edited'))).toMatchObject({ assignee_uid: undefined })
})

test('an issue or pull request is merged rather than closed, and a draft rather than open', () => {
  expect(pull('closed', { state: 'closed', merged: true })).toMatchObject({ key: 'owl/starfall#8', state: 'merged' })
  expect(pull('closed', { state: 'closed', draft: true })).toMatchObject({ state: 'closed' })
  expect(pull('opened', { draft: true })).toMatchObject({ state: 'draft' })
})

test('an issue or pull request with an unsafe URL gets no link', () => {
  expect(only(reported('opened', { html_url: 'javascript:alert(1)' }))).toMatchObject({ url: undefined })
})

test('an issue or pull request with an unknown action is ignored, without a number it is unreadable', () => {
  expect(reported('bewitched')).toEqual([])
  expect(() => reported('opened', { number: null })).toThrow(Unreadable)
})
