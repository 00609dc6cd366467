import { describe, expect, test } from 'vitest'
import { revertedBy, withoutReverts } from './reverts.ts'

describe('a change that takes another back', () => {
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
    '%j is none',
    (description) => {
      expect(revertedBy({ identifier: '5000', description })).toBeUndefined()
    },
  )

  const change = (identifier: string, description = '') => ({ identifier, description })
  const left = (...newestFirst: ReturnType<typeof change>[]) => withoutReverts(newestFirst).map(({ identifier }) => identifier)

  test('goes with it, inside a range only', () => {
    expect(left(change('3', 'Undo CL 1'), change('2'), change('1'))).toEqual(['2'])
    expect(left(change('3', 'Undo CL 1'), change('2'))).toEqual(['3', '2'])
  })

  test('and is taken back in turn, which leaves the first', () => {
    expect(left(change('3', 'Undo CL 2'), change('2', 'Undo CL 1'), change('1'))).toEqual(['1'])
  })

  test('is known by the change it was picked from on another branch, and by the beginning of a commit', () => {
    const picked = change('bbbb'.repeat(10), 'Paint\n\n(cherry picked from commit aaaabbbbccccddddaaaabbbbccccddddaaaabbbb)')
    expect(left(change('c', 'This reverts commit aaaabbbb.'), picked)).toEqual([])
  })

  test('names it in full: a number is no beginning of another', () => {
    expect(left(change('9', 'Undo changelist 10'), change('103'))).toEqual(['9', '103'])
    expect(left(change('9', 'Undo changelist 1234567'), change('12345678'))).toEqual(['9', '12345678'])
  })

  test('leaves what brings it again', () => {
    expect(left(change('9', 'Paint (cherry picked from changelist 50)'), change('8', 'Undo changelist 50'))).toEqual(['9', '8'])
  })
})
