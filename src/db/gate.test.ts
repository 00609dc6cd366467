import { expect, test, vi } from 'vitest'
import { until } from '../../test/support/until.ts'
import { rateLimited } from '../contract/errors.ts'
import { Gate } from './gate.ts'

/** Work that runs until the test ends it. */
function pending() {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { end: () => end(), work: () => ended }
}
const HOUR = 3_600_000
const refusal = () => rateLimited(1)

test('a gate runs up to its limit at once, and the others in the order of arrival', async () => {
  const gate = new Gate({ atOnce: 2, timeout: HOUR, refusal })
  const begun: number[] = []
  const works = [0, 1, 2, 3].map(pending)
  const entered = works.map(({ work }, i) =>
    gate.enter(7, () => {
      begun.push(i)
      return work()
    }),
  )
  await until(() => begun.length === 2)
  works[1]!.end()
  await until(() => begun.length === 3)
  expect(begun).toEqual([0, 1, 2])
  for (const { end } of works) end()
  await Promise.all(entered)
  expect(begun).toEqual([0, 1, 2, 3])
})

test('a gate counts what still runs after something else of its key ended', async () => {
  const gate = new Gate({ atOnce: 2, timeout: HOUR, refusal })
  const running = pending()
  const entered = gate.enter(7, running.work)
  await gate.enter(7, async () => {})
  const begun: string[] = []
  const later = ['first', 'second'].map((name) =>
    gate.enter(7, async () => {
      begun.push(name)
      await running.work()
    }),
  )
  await until(() => begun.length > 0)
  expect(begun).toEqual(['first'])
  running.end()
  await Promise.all([entered, ...later])
})

test('a gate blocks nobody because of another key, nor after a failure', async () => {
  const gate = new Gate({ atOnce: 1, timeout: HOUR, refusal })
  const first = pending()
  const entered = gate.enter(1, first.work)
  expect(await gate.enter(2, async () => 'through')).toBe('through')
  first.end()
  await entered
  await expect(gate.enter(1, async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await gate.enter(1, async () => 'through')).toBe('through')
})

test('a gate refuses work that has waited too long, and still runs the next', async () => {
  const gate = new Gate({ atOnce: 1, timeout: 1, refusal })
  const held = pending()
  const first = gate.enter(1, held.work)
  await expect(gate.enter(1, held.work)).rejects.toMatchObject({ status: 429 })
  held.end()
  await first
  expect(await gate.enter(1, async () => 'through')).toBe('through')
})

test('a gate leaves a slot empty for as long as it was used while others wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    const gate = new Gate({ atOnce: 1, timeout: HOUR, rest: 2, refusal })
    const held = pending()
    const begun: number[] = []
    const entered = [0, 1].map((i) =>
      gate.enter(1, () => {
        begun.push(i)
        return held.work()
      }),
    )
    await vi.advanceTimersByTimeAsync(50)
    held.end()
    await vi.advanceTimersByTimeAsync(99)
    expect(begun).toEqual([0])
    await vi.advanceTimersByTimeAsync(1)
    expect(begun).toEqual([0, 1])
    await Promise.all(entered)
    // Nobody waits any more.
    expect(await gate.enter(1, async () => 'through')).toBe('through')
  } finally {
    vi.useRealTimers()
  }
})
