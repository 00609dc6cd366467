import { expect, test } from 'vitest'
import { continued, markOf, restAfter } from './log-mark.ts'

const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `line ${from + i}\n`).join('')

test('a log continues after its last complete line', () => {
  const had = `${lines(0, 100)}half of a`
  const rest = restAfter(`${lines(0, 100)}half of a line\nmore`, markOf(had)!)
  expect(rest).toBe('half of a line\nmore')
  expect(continued(had, rest!)).toBe(`${lines(0, 100)}half of a line\nmore`)
})

test('a log is found when its beginning is no longer kept', () => {
  expect(restAfter(lines(500, 1_010), markOf(lines(0, 1_000))!)).toBe(lines(1_000, 1_010))
})

test('nothing follows another log, the same lines in two places, or an invalid mark', () => {
  expect(restAfter(lines(0, 40), markOf(lines(1, 41))!)).toBeUndefined()
  expect(restAfter('.\n'.repeat(60), markOf('.\n'.repeat(50))!)).toBeUndefined()
  for (const mark of ['', '0-00000000-00000000', '99-00000000-00000000', 'x'])
    expect(restAfter(lines(0, 9), mark)).toBeUndefined()
  expect(markOf('no whole line')).toBeUndefined()
})
