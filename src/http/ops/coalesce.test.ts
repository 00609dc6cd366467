import { expect, test } from 'vitest'
import { coalesce } from './coalesce.ts'

test('concurrent callers share one call, also while it is slow, until the result is old', async () => {
  let [now, made] = [0, 0]
  let finish = () => {}
  const ask = coalesce(
    1_000,
    async () => {
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      return ++made
    },
    () => now,
  )
  const first = Array.from({ length: 100 }, ask)
  now = 60_000
  const late = ask()
  finish()
  expect(await Promise.all([...first, late])).toEqual(Array(101).fill(1))
  now = 60_999
  expect(await ask()).toBe(1)
  now = 61_000
  const next = ask()
  finish()
  expect(await next).toBe(2)
})

test('a failure is returned to all callers and retried when it is old', async () => {
  let [now, tries] = [0, 0]
  const ask = coalesce(
    1_000,
    async () => {
      if (++tries === 1) throw new Error('away')
      return 'there'
    },
    () => now,
  )
  await expect(ask()).rejects.toThrow('away')
  await expect(ask()).rejects.toThrow('away')
  expect(tries).toBe(1)
  now = 1_000
  expect(await ask()).toBe('there')
})
