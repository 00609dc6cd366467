import { expect, test } from 'vitest'
import { DATA_BYTES, fitted, rowsThatFit, shortRows } from './budget.ts'
import { type Cut, shrink } from './shrink.ts'

test('links and cursors are never cut, other texts are', () => {
  const long = `https://studio.example/${'a'.repeat(200)}`
  const cuts = new Map<string, Cut>()
  const row = { web: long, title: long, pagination: { next_cursor: long } }
  expect(shrink(row, { text: 30, items: 3 }, cuts)).toEqual({ ...row, title: `${long.slice(0, 30)}…` })
  expect([...cuts.keys()]).toEqual(['title'])
})

test('a page contains at least one row, even if a single row exceeds the limit', () => {
  const large = { text: 'x'.repeat(DATA_BYTES) }
  expect(rowsThatFit([large, large], {})).toBe(1)
  expect(rowsThatFit([{ id: 1 }, large], {})).toBe(1)
  expect(rowsThatFit([{ id: 1 }, { id: 2 }], { note: 'x'.repeat(DATA_BYTES) })).toBe(1)
  expect(rowsThatFit([{ id: 1 }, { id: 2 }], {})).toBe(2)
  expect(rowsThatFit([], {})).toBe(0)
})

test('a reply that fits stays whole, and a row says when one of its texts was shortened', () => {
  expect(fitted({ text: 'x'.repeat(DATA_BYTES - 2000) }).cuts).toEqual([])
  expect(shortRows([{ text: 'short' }]).shortened).toBe(false)
  expect(shortRows([{ text: 'x'.repeat(501) }]).shortened).toBe(true)
})

test('rows leave room for the rest of the reply', () => {
  const row = { text: 'x'.repeat(5_000) }
  expect(rowsThatFit([row, row, row], {})).toBe(3)
  expect(rowsThatFit([row, row, row], { note: 'x'.repeat(DATA_BYTES - 12_000) })).toBe(2)
})

test('a cut text ends with a whole character', () => {
  expect(shrink('up 🚀🚀', { text: 4, items: 3 }, new Map())).toBe('up …')
  expect(shrink('up 🚀🚀', { text: 5, items: 3 }, new Map())).toBe('up 🚀…')
})
