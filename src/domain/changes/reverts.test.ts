import { describe, expect, test } from 'vitest'
import { revertedBy, withoutReverts } from './reverts.ts'

describe('a change that reverts another', () => {
  test.each([
    [
      'Revert "Paint"\n\nThis reverts commit 0123456789abcdef0123456789abcdef01234567.',
      '0123456789abcdef0123456789abcdef01234567',
    ],
    ['Undo changelist 4711', '4711'],
    ['Backed out change 4711: it broke the cook', '4711'],
    ['[Backout] - CL4711', '4711'],
    ['Back out CL 4711', '4711'],
    ['Revert CL#4711 for now', '4711'],
    ['Undo //game/main/...@4711', '4711'],
    ['Reverting change 4711', '4711'],
  ])('%j', (description, name) => {
    expect(revertedBy({ identifier: '5000', description })).toBe(name)
  })

  test.each(['Undo button for the editor', 'Revert to the old look', 'Fix change 12', 'Backout menu'])(
    '%j is not a revert',
    (description) => {
      expect(revertedBy({ identifier: '5000', description })).toBeUndefined()
    },
  )

  const change = (identifier: string, description = '') => ({ identifier, description })
  const left = (...newestFirst: ReturnType<typeof change>[]) => withoutReverts(newestFirst).map(({ identifier }) => identifier)

  test('is dropped together with it, within one range only', () => {
    expect(left(change('3', 'Undo CL 1'), change('2'), change('1'))).toEqual(['2'])
    expect(left(change('3', 'Undo CL 1'), change('2'))).toEqual(['3', '2'])
  })

  test('and is reverted in turn leaves the first', () => {
    expect(left(change('3', 'Undo CL 2'), change('2', 'Undo CL 1'), change('1'))).toEqual(['1'])
  })

  test('matches a cherry-pick on another branch, and an abbreviated commit', () => {
    const picked = change('bbbb'.repeat(10), 'Paint\n\n(cherry picked from commit aaaabbbbccccddddaaaabbbbccccddddaaaabbbb)')
    expect(left(change('c', 'This reverts commit aaaabbbb.'), picked)).toEqual([])
  })

  test('must name a number in full, not a prefix', () => {
    expect(left(change('9', 'Undo changelist 10'), change('103'))).toEqual(['9', '103'])
    expect(left(change('9', 'Undo changelist 1234567'), change('12345678'))).toEqual(['9', '12345678'])
  })

  test('leaves a change that restores the reverted one', () => {
    expect(left(change('9', 'Paint (cherry picked from changelist 50)'), change('8', 'Undo changelist 50'))).toEqual(['9', '8'])
  })
})
