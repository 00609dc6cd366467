import { expect, test } from 'vitest'
import { workOf } from '../../../../test/support/work.ts'
import type { ChangeFact } from '../../facts.ts'
import { Unreadable } from '../../reading.ts'
import { push } from './push.ts'

const commit = (id: string, more: object = {}) => ({
  id,
  message: `Change ${id}`,
  timestamp: '2026-03-01T11:00:00+02:00',
  ...more,
})
const changes = (body: object) => push({ ref: 'refs/heads/main', commits: [], ...body }) as ChangeFact[]

test('a push records every commit, whether new to the repository or only to the branch', () => {
  const facts = changes({ commits: [commit('a1', { distinct: true }), commit('b2', { distinct: false })] })
  expect(facts.map((fact) => [fact.identifier, fact.branch, fact.timestamp])).toEqual([
    ['a1', 'main', '2026-03-01T09:00:00.000Z'],
    ['b2', 'main', '2026-03-01T09:00:00.000Z'],
  ])
})

test('a push keeps slashes in the name of a branch', () => {
  expect(changes({ ref: 'refs/heads/art/dragon', commits: [commit('a1')] })[0]?.branch).toBe('art/dragon')
})

test('a push without file lists has unknown files, with empty ones it has none', () => {
  expect(changes({ commits: [commit('a1')] })[0]?.files).toBeNull()
  expect(changes({ commits: [commit('a1', { added: [], modified: [], removed: [] })] })[0]?.files).toEqual([])
})

test('a push has the action of each file', () => {
  const lists = { added: ['T_New.png'], modified: ['Main.umap'], removed: ['SM_Old.fbx', 7, null] }
  expect(changes({ commits: [commit('a1', lists)] })[0]?.files).toEqual([
    { path: 'T_New.png', action: 'add' },
    { path: 'Main.umap', action: 'edit' },
    { path: 'SM_Old.fbx', action: 'delete' },
  ])
})

test('a push identifies the author by login, then id, then address; the id only for the pusher', () => {
  const author = { name: 'Ada', email: 'ada@example.com', username: 'ada' }
  const byAda = changes({ commits: [commit('a1', { author })], sender: { login: 'ada', id: 7 } })[0]
  expect(byAda).toMatchObject({ author: 'Ada <ada@example.com>', author_uids: ['ada', '7', 'ada@example.com'] })
  const byBob = changes({ commits: [commit('a1', { author })], sender: { login: 'bob', id: 8 } })[0]
  expect(byBob?.author_uids).toEqual(['ada', 'ada@example.com'])
})

test('a forced push orphans the previous head, before anything that comes back', () => {
  const facts = changes({ forced: true, before: 'a1', after: 'b2', commits: [commit('b2'), commit('a1')] })
  expect(facts.map((fact) => [fact.kind, fact.identifier])).toEqual([
    ['orphan', 'a1'],
    ['change', 'b2'],
    ['change', 'a1'],
  ])
})

test('a forced push to a new branch orphans nothing', () => {
  expect(changes({ forced: true, before: '0'.repeat(40), commits: [commit('b2')] }).map((fact) => fact.kind)).toEqual(['change'])
})

test('a push of a tag or a deletion has no changes, even if it lists commits', () => {
  expect(changes({ ref: 'refs/tags/v1', commits: [commit('a1')] })).toEqual([])
  expect(changes({ deleted: true, before: 'a1', commits: [commit('a1')] })).toMatchObject([
    { kind: 'branch_deleted', branch: 'main', head: 'a1' },
  ])
  expect(changes({ after: '0'.repeat(40), commits: [commit('a1')] })).toMatchObject([{ kind: 'branch_deleted', branch: 'main' }])
})

test('a push includes the head that a truncated list leaves out', () => {
  const facts = changes({ commits: [commit('a1')], head_commit: commit('b2') })
  expect(facts.map((fact) => fact.identifier)).toEqual(['a1', 'b2'])
})

test('a listed head adds nothing, however incomplete it is', () => {
  const reported = { commits: [commit('a1', { message: 'Fix the door', added: ['Door.png'] })] }
  expect(changes({ ...reported, head_commit: { id: 'a1' } })).toEqual(changes(reported))
})

test('a push without commits, or with one without id, is unreadable', () => {
  expect(() => push({ ref: 'refs/heads/main' })).toThrow(Unreadable)
  expect(() => changes({ commits: [{ message: 'lost' }] })).toThrow(Unreadable)
})

test('a push of 2,048 commits is read within a second', () => {
  const paths = Array.from({ length: 40 }, (_, index) => `Content/Props/SM_Prop${index}.uasset`)
  const commits = Array.from({ length: 2048 }, (_, index) => commit(index.toString(16).padStart(40, '0'), { modified: paths }))
  expect(workOf(() => expect(changes({ commits })).toHaveLength(2048))).toBeLessThan(1000)
})
