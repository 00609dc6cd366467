import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import type { ChangeFact } from '../../facts.ts'
import { Unreadable } from '../../reading.ts'
import { perforce } from './index.ts'

const delivery = (body: unknown) => deliveryTo('perforce', body)

const change = (body: object) => perforce.read(delivery(body))[0] as ChangeFact

test('a changelist is an integer or a string of digits, under any of its names', () => {
  for (const body of [
    { changelist: 12345 },
    { changelist: '12345' },
    { changelist: ' 012345\n' },
    { change: '12345' },
    { change_number: 12345 },
  ])
    expect(change(body)).toMatchObject({ source_type: 'Changelist', identifier: '12345' })
})

test.each([
  ['nothing', undefined],
  ['null', null],
  ['an empty form', {}],
  ['zero', { changelist: 0 }],
  ['a negative number', { changelist: -7 }],
  ['a fraction', { changelist: 1.5 }],
  ['a number beyond 2^53', { changelist: 2 ** 60 }],
  ['text', { changelist: 'default' }],
  ['digits with a tail', { changelist: '12345; drop' }],
  ['a list', { changelist: ['12345'] }],
  ['a boolean', { changelist: true }],
])('%s is not a changelist', (_, body) => {
  expect(() => perforce.read(delivery(body))).toThrow(Unreadable)
  expect(perforce.deliveryKey?.(delivery(body))).toBeUndefined()
})

test('the same changelist is the same delivery, however it is written', () => {
  expect(perforce.deliveryKey?.(delivery({ changelist: '0042', user: 'ada' }))).toBe('42')
  expect(perforce.deliveryKey?.(delivery({ change: 42 }))).toBe('42')
})

test('a bare number leaves the details to the server', () => {
  expect(change({ changelist: 7, timestamp: '2026-03-01T11:00:00Z' })).toMatchObject({
    author: '',
    description: '',
    timestamp: '2026-03-01T11:00:00.000Z',
    files: null,
    incomplete: true,
  })
  expect(change({ changelist: 7, user: 'ada', description: '', files: '' })).toMatchObject({ files: null, incomplete: true })
})

test('a trigger that sends everything needs no server', () => {
  const reported = change({
    changelist: 7,
    user: 'DICE\\ada',
    desc: 'Paint the dragon\n',
    files: [{ path: '//depot/T_Dragon.png', action: 'add' }],
  })
  expect(reported).toEqual({
    kind: 'change',
    source_type: 'Changelist',
    identifier: '7',
    author: 'DICE\\ada',
    author_uids: ['DICE\\ada', 'ada'],
    description: 'Paint the dragon',
    timestamp: null,
    branch: '',
    files: [{ path: '//depot/T_Dragon.png', action: 'add' }],
  })
})

test('a change has a page if the trigger sends one, or the review site is known', () => {
  const urlOf = (body: object, swarm: unknown) => (perforce.read({ ...delivery(body), config: { swarm } })[0] as ChangeFact).url
  expect(urlOf({ changelist: 7, url: 'https://p4.example/7' }, 'https://swarm.example')).toBe('https://p4.example/7')
  expect(urlOf({ changelist: 7 }, 'https://swarm.example/')).toBe('https://swarm.example/changes/7')
  for (const nowhere of ['', undefined, 'javascript:alert(1)']) expect(urlOf({ changelist: 7 }, nowhere)).toBeUndefined()
})

test('files are a list of paths, or one path per line', () => {
  const files = [
    { path: '//depot/a b.png', action: 'edit' },
    { path: '//depot/c.fbx', action: 'edit' },
  ]
  expect(change({ changelist: 7, files: ['//depot/a b.png', '//depot/c.fbx', 7, null, {}] }).files).toEqual(files)
  expect(change({ changelist: 7, files: '//depot/a b.png\r\n//depot/c.fbx\n' }).files).toEqual(files)
})

test('a revision is not part of a name, an encoded hash sign is', () => {
  const named = (files: unknown) => change({ changelist: 1, files }).files?.map(({ path, action }) => [path, action])
  expect(
    named(['//depot/a.uasset#3', '//depot/b.uasset#head', '//depot/c#none', '//depot/d%23 1.png', '//depot/e.png#']),
  ).toEqual([
    ['//depot/a.uasset', 'edit'],
    ['//depot/b.uasset', 'edit'],
    ['//depot/c', 'edit'],
    ['//depot/d%23 1.png', 'edit'],
    ['//depot/e.png#', 'edit'],
  ])
  expect(named([{ path: '//depot/a.uasset#3', action: 'add' }])).toEqual([['//depot/a.uasset', 'add']])
  expect(named('//depot/a b.uasset#3 - delete change 7 (binary)\n... //depot/c.png#1 move/add\nadd\t//depot/d.png#1')).toEqual([
    ['//depot/a b.uasset', 'delete'],
    ['//depot/c.png', 'move/add'],
    ['//depot/d.png', 'add'],
  ])
})

test('every body is handled', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue(), fc.record({ changelist: fc.constant(7), user: fc.jsonValue(), files: fc.jsonValue() })),
      (body) => {
        perforce.deliveryKey?.(delivery(body))
        try {
          perforce.read(delivery(body))
        } catch (error) {
          expect(error).toBeInstanceOf(Unreadable)
        }
      },
    ),
  )
})

describe('a report', () => {
  test.each([
    [{}, false],
    [{ status: 'submitted' }, false],
    [{ status: 'committed', event_type: 'UPDATED' }, false],
    [{ event_type: 'CHANGE_COMMIT' }, false],
    [{ status: 'shelved' }, true],
    [{ status: 'pending' }, true],
    [{ event_type: 'SHELVE_COMMIT' }, true],
  ])('with %j is of a pending changelist: %s', (body, pending) => {
    expect(change({ change: '7', ...body }).pending ?? false).toBe(pending)
  })

  test('of an event before the submit, or of a deleted shelf, is ignored: the number may still change', () => {
    for (const body of [
      { event_type: 'CHANGE_SUBMIT' },
      { event_type: 'CHANGE_CONTENT' },
      { event_type: 'SHELVE_DELETE' },
      { status: 'archived' },
    ])
      expect(perforce.read(delivery({ change: 7, ...body }))).toEqual([])
  })

  test('of a shelf is another delivery in each version, and another one than that of the submit', () => {
    const key = (body: object) => perforce.deliveryKey?.(delivery({ change: '7', ...body }))
    const keys = [
      {},
      { status: 'shelved', version: 1 },
      { status: 'shelved', version: 2 },
      { status: 'shelved', timestamp: '2026-03-01T11:00:00Z' },
      { status: 'shelved' },
    ]
    expect(new Set(keys.map(key)).size).toBe(5)
    expect(key({ status: 'submitted', version: 3 })).toBe('7')
  })
})
