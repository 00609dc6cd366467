import { expect, test } from 'vitest'
import { type Reservation, reserve } from './body-memory.ts'

const MIB = 1024 * 1024
const LARGE = 25 * MIB

/** Reserves as much as possible. */
function fill(account: number): { taken: Reservation[]; status: number } {
  const taken: Reservation[] = []
  for (;;) {
    try {
      taken.push(reserve(account, LARGE))
    } catch (error) {
      return { taken, status: (error as { status: number }).status }
    }
  }
}

test('an account that floods leaves memory for the next, and is the one that is refused', () => {
  const first = fill(1)
  expect({ count: first.taken.length, status: first.status }).toEqual({ count: 5, status: 429 })
  const second = fill(2)
  expect(second.taken.length).toBeGreaterThanOrEqual(2)
  const third = fill(3)
  expect(third.taken.length).toBeGreaterThanOrEqual(1)
  // Small ones are still accepted; a large one that finds no memory did not cause the shortage.
  const fourth = fill(4)
  const small = reserve(5, 100_000)
  expect(() => reserve(6, LARGE)).toThrow(expect.objectContaining({ status: 503, headers: { 'retry-after': '10' } }))
  for (const { release } of [...first.taken, ...second.taken, ...third.taken, ...fourth.taken, small]) release()
  const again = fill(1)
  expect(again.taken).toHaveLength(5)
  for (const { release } of again.taken) release()
})

test('a body of unknown length reserves what has arrived, and releases it once', () => {
  const others = fill(1).taken
  const growing = reserve(2, 0)
  let chunks = 0
  expect(() => {
    for (; ; chunks++) growing.grow(MIB)
  }).toThrow(expect.objectContaining({ status: 503 }))
  expect(chunks).toBeGreaterThan(50)
  growing.release()
  growing.release()
  for (const { release } of others) release()
  const all = fill(3).taken
  expect(all).toHaveLength(5)
  for (const { release } of all) release()
})
