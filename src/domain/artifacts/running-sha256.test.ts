import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { addBytes, hashOf } from './running-sha256.ts'

const bytesOf = (length: number) => Buffer.from(Array.from({ length }, (_, i) => (i * 167 + (i >> 5)) % 256))
const expected = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test('the hash of a file is that of its bytes, wherever a piece of it ends', async () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1_000]) {
    const bytes = bytesOf(length)
    for (const end of new Set([0, 1, 31, 55, 64, 65, 127, length].map((at) => Math.min(at, length)))) {
      const state = await addBytes(await addBytes(null, bytes.subarray(0, end)), bytes.subarray(end))
      expect(hashOf(state).toString('hex'), `${length} bytes, cut at ${end}`).toBe(expected(bytes))
    }
  }
})

test('a piece of megabytes is hashed in turns', async () => {
  const bytes = bytesOf(1_300_001)
  let turns = 0
  let isDone = false
  const others = () => {
    turns++
    if (!isDone) setImmediate(others)
  }
  setImmediate(others)
  const state = await addBytes(null, bytes)
  isDone = true
  expect(hashOf(state).toString('hex')).toBe(expected(bytes))
  expect(turns).toBeGreaterThan(0)
  expect(state.length).toBe(104)
})
