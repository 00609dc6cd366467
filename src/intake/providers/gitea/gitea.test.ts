import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import { recorded } from '../../../../test/support/studios/provider-room.ts'
import type { ChangeFact } from '../../facts.ts'
import type { Delivery } from '../../provider.ts'
import { Unreadable } from '../../reading.ts'
import { gitea } from './index.ts'

const delivery = (event: string, body: unknown, more: Partial<Delivery> = {}) =>
  deliveryTo('gitea', body, { headers: { 'x-gitea-event': event }, ...more })
const read = (event: string, body: unknown) => gitea.read(delivery(event, body))

describe('the signature', () => {
  const vector = JSON.parse(readFileSync(new URL('fixtures/vectors/signature.json', import.meta.url), 'utf8'))
  const signed = (headers: Record<string, string>, raw = vector.json_body) =>
    gitea.verify(delivery('push', {}, { headers, raw: Buffer.from(raw) }), [vector.secret])

  test.each(['X-Gitea-Signature', 'X-Forgejo-Signature', 'X-Gogs-Signature', 'X-Hub-Signature-256'])(
    'in %s is accepted',
    (name) => {
      expect(signed({ [name.toLowerCase()]: vector.headers[name] ?? vector.headers['X-Gitea-Signature'] })).toBe(true)
      expect(signed({ [name.toLowerCase()]: createHmac('sha256', 'guessed').update(vector.json_body).digest('hex') })).toBe(false)
    },
  )

  test('of a form is that of the JSON in it', () => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-gitea-signature': vector.headers['X-Gitea-Signature'],
    }
    expect(signed(headers, vector.form_body)).toBe(true)
    expect(signed(headers, `${vector.form_body}x`)).toBe(false)
  })

  test('that is empty or missing is refused, unless there is no secret', () => {
    expect(signed({ 'x-gitea-signature': '', 'x-hub-signature-256': 'sha256=' })).toBe(false)
    expect(signed({})).toBe(false)
    expect(gitea.verify(delivery('push', {}), [])).toBe(true)
  })
})

test('the event is that of Forgejo, Gitea or Gogs, and without one the request is unreadable', () => {
  for (const family of ['forgejo', 'gitea', 'gogs'])
    expect(gitea.event(delivery('', { action: 'closed' }, { headers: { [`x-${family}-event`]: 'issues' } }))).toBe(
      'issues.closed',
    )
  expect(() => gitea.read(delivery('', {}, { headers: { 'x-github-event': 'push' } }))).toThrow(Unreadable)
  expect(() => read('push', [])).toThrow(Unreadable)
  expect(read('fork', {})).toEqual([])
})

describe('a push', () => {
  const commits = ['c3', 'c2', 'c1'].map((id) => ({ id, message: id, added: [], modified: ['a'], removed: [] }))
  const push = (more: object = {}) =>
    read('push', { ref: 'refs/heads/main', before: 'b0', after: 'c3', commits, total_commits: 3, ...more }) as ChangeFact[]

  test('lists its commits newest first', () => {
    expect(push().map(({ identifier, follows }) => [identifier, follows])).toEqual([
      ['c1', 'b0'],
      ['c2', 'c1'],
      ['c3', 'c2'],
    ])
  })

  test('of more commits than it lists does not claim what the first of them follows', () => {
    expect(push({ total_commits: 30 }).map(({ follows }) => follows)).toEqual([undefined, 'c1', 'c2'])
  })

  test('that deletes or creates a branch says so with zeros', () => {
    expect(push({ after: '0'.repeat(40), commits: [] })).toEqual([{ kind: 'branch_deleted', branch: 'main', head: 'b0' }])
    expect(push({ before: '0'.repeat(40) })[0]).toEqual({ kind: 'branch_created', branch: 'main', head: 'c3' })
  })

  test('without file lists has unknown files', () => {
    const [fact] = read('push', recorded('gitea', 'push__zulip').body) as ChangeFact[]
    expect(fact!.files).toBeNull()
  })
})

test('a pull request has the number of its page, also where old versions have another inside', () => {
  expect(read('pull_request', recorded('gitea', 'pull_request__merged_zulip').body)).toMatchObject([
    { key: 'kostekIV/test#4', state: 'merged', url: 'https://try.gitea.io/kostekIV/test/pulls/4' },
  ])
})

test('an issue without a page gets its URL from the repository', () => {
  expect(read('issues', recorded('gitea', 'issues__opened').body)).toMatchObject([
    { key: 'kostekIV/test#3', state: 'open', url: 'https://try.gitea.io/kostekIV/test/issues/3', assignee_uid: null },
  ])
})

test('a run of a workflow is a build', () => {
  const workflow_run = {
    id: 5,
    run_number: 7,
    name: 'Game',
    head_sha: 'a'.repeat(40),
    head_branch: 'main',
    conclusion: 'failure',
  }
  expect(read('workflow_run', { action: 'completed', workflow_run, repository: { id: 1, full_name: 'owl/star' } })).toMatchObject(
    [{ kind: 'build', build: { external_id: 'run:5', job: 'Game', number: '7' }, status: 'failed', branch: 'main' }],
  )
})
