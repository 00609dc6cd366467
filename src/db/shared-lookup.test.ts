import { expect, test } from 'vitest'
import { SharedLookup } from './shared-lookup.ts'

/** Lookups that end on command; each is answered with its number. */
function open() {
  const lookups = new SharedLookup<number>()
  const ends: ((error?: Error) => void)[] = []
  const look = () =>
    new Promise<number>((resolve, reject) => {
      const number = ends.length + 1
      ends.push((error) => (error ? reject(error) : resolve(number)))
    })
  return { ends, ask: (key = 'a') => lookups.ask(key, look) }
}

test('those that ask while a lookup runs share the next one, which begins after all of them', async () => {
  const { ends, ask } = open()
  const first = ask()
  const second = ask()
  const third = ask()
  const other = ask('b')
  expect(ends).toHaveLength(2)
  ends[0]!()
  expect(await first).toBe(1)
  const fourth = ask()
  expect(ends).toHaveLength(3)
  ends[1]!()
  ends[2]!()
  expect(await Promise.all([second, third, other])).toEqual([3, 3, 2])
  ends[3]!()
  expect(await fourth).toBe(4)
  const later = ask()
  expect(ends).toHaveLength(5)
  ends[4]!()
  expect(await later).toBe(5)
})

test('a lookup that fails fails for those that share it, and the next one begins', async () => {
  const { ends, ask } = open()
  const first = ask()
  const shared = [ask(), ask()]
  ends[0]!(new Error('away'))
  await expect(first).rejects.toThrow('away')
  ends[1]!()
  expect(await Promise.all(shared)).toEqual([2, 2])
})
