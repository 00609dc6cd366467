import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Tail } from './tail.ts'

const CAPACITY = 2 * 1024 * 1024

test('the last output can be read by its offset', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 700_000 }), { maxLength: 12 }), (lengths) => {
      const tail = new Tail()
      const pieces = lengths.map((length, i) => Buffer.alloc(length, i + 1))
      for (const piece of pieces) tail.push(piece)
      const all = Buffer.concat(pieces)
      expect([tail.end, tail.start]).toEqual([all.length, Math.max(0, all.length - CAPACITY)])
      expect(tail.read(tail.start, tail.end).equals(all.subarray(tail.start))).toBe(true)
      const middle = Math.floor((tail.start + tail.end) / 2)
      expect(tail.read(middle, tail.end).equals(all.subarray(middle))).toBe(true)
    }),
    { numRuns: 40 },
  )
})

test('the end of a piece larger than the capacity is kept', () => {
  const tail = new Tail()
  tail.push(Buffer.from('before'))
  const piece = Buffer.alloc(CAPACITY + 1_000, 'a piece whose length divides nothing')
  tail.push(piece)
  expect(tail.read(tail.start, tail.end).equals(piece.subarray(-CAPACITY))).toBe(true)
})
