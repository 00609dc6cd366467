import { afterEach, expect, test } from 'vitest'
import { type Reservation, reserve, waitsForMemory } from './body-memory.ts'

const MIB = 1024 * 1024
const LARGE = 25 * MIB
const LONG_MS = 60_000

const taken: Reservation[] = []
afterEach(() => {
  for (const { release } of taken.splice(0)) release()
})

const take = async (account: number, bytes: number, waitMs = 0) => {
  const reservation = await reserve(account, bytes, waitMs)
  taken.push(reservation)
  return reservation
}

/** Reserves as much as possible. */
async function fill(account: number): Promise<{ own: Reservation[]; status: number }> {
  const own: Reservation[] = []
  for (;;) {
    try {
      own.push(await take(account, LARGE))
    } catch (error) {
      return { own, status: (error as { status: number }).status }
    }
  }
}

/** Which of several have begun, by name, in their order. */
function watch() {
  const began: string[] = []
  const begin = (name: string, account: number, bytes = LARGE) => void take(account, bytes, LONG_MS).then(() => began.push(name))
  return { began, begin }
}
const settled = () => new Promise(setImmediate)

test('an account that floods leaves memory for the next, and is the one that is refused', async () => {
  const first = await fill(1)
  expect({ count: first.own.length, status: first.status }).toEqual({ count: 5, status: 429 })
  expect((await fill(2)).own.length).toBeGreaterThanOrEqual(2)
  expect((await fill(3)).own.length).toBeGreaterThanOrEqual(1)
  // Small ones are still accepted; a large one that finds no memory did not cause the shortage.
  await fill(4)
  await take(5, 100_000)
  await expect(take(6, LARGE)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
  for (const { release } of taken.splice(0)) release()
  expect((await fill(1)).own).toHaveLength(5)
})

test('a body of unknown length reserves what has arrived, and releases it once', async () => {
  const others = (await fill(1)).own
  const growing = await take(2, 0)
  let chunks = 0
  expect(() => {
    for (; ; chunks++) growing.grow(MIB)
  }).toThrow(expect.objectContaining({ status: 503 }))
  expect(chunks).toBeGreaterThan(50)
  growing.release()
  growing.release()
  for (const { release } of others) release()
  expect((await fill(3)).own).toHaveLength(5)
})

test('what does not fit waits for the memory of its account, in its order, and accounts take turns', async () => {
  const [first, another] = (await fill(1)).own
  const [second] = (await fill(2)).own
  const { began, begin } = watch()
  begin('1a', 1)
  // It would fit, and does not overtake.
  begin('1b', 1, 1)
  begin('2a', 2)
  await settled()
  expect([began, waitsForMemory(1), waitsForMemory(2), waitsForMemory(3)]).toEqual([[], true, true, false])
  second!.release()
  first!.release()
  another!.release()
  await settled()
  expect(began.toSorted()).toEqual(['1a', '1b', '2a'])
  expect(began.indexOf('1a')).toBeLessThan(began.indexOf('1b'))
  expect([waitsForMemory(1), waitsForMemory(2)]).toEqual([false, false])
})

test('what waited too long is refused, and those behind it go on', async () => {
  await fill(1)
  const { began, begin } = watch()
  const late = take(1, LARGE, 20)
  begin('small', 1, 1)
  await expect(late).rejects.toMatchObject({ status: 429 })
  await settled()
  expect(began).toEqual(['small'])
})

test('an account may have half of the places where requests wait, and then another half of the rest', async () => {
  await fill(1)
  await fill(2)
  const waits = Array.from({ length: 1_024 }, () => take(1, LARGE, LONG_MS).catch(() => {}))
  await expect(take(1, LARGE, LONG_MS)).rejects.toMatchObject({ status: 429 })
  const others = Array.from({ length: 512 }, () => take(2, LARGE, LONG_MS).catch(() => {}))
  await expect(take(2, LARGE, LONG_MS)).rejects.toMatchObject({ status: 429 })
  const all = Promise.all([...waits, ...others])
  let done = false
  void all.then(() => {
    done = true
  })
  while (!done) {
    for (const { release } of taken.splice(0)) release()
    await settled()
  }
})
