import { expect, test } from 'vitest'
import { until } from '../../test/support/until.ts'
import { rateLimited } from '../contract/errors.ts'
import { Gate } from './gate.ts'

/** Work that goes on until it is told to end. */
function pending() {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { end: () => end(), work: () => ended }
}
const HOUR = 3_600_000
const refusal = () => rateLimited(1)

test('lets as many in at once as it says, the others in the order in which they came', async () => {
  const gate = new Gate({ atOnce: 2, patience: HOUR, refusal })
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

test('keeps nobody back because of another key, nor after a failure', async () => {
  const gate = new Gate({ atOnce: 1, patience: HOUR, refusal })
  const first = pending()
  const entered = gate.enter(1, first.work)
  expect(await gate.enter(2, async () => 'through')).toBe('through')
  first.end()
  await entered
  await expect(gate.enter(1, async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await gate.enter(1, async () => 'through')).toBe('through')
})

test('refuses who comes when too many wait, and who has waited too long', async () => {
  const crowded = new Gate({ atOnce: 1, waiting: 1, patience: HOUR, refusal })
  const held = pending()
  const entered = [crowded.enter(1, held.work), crowded.enter(1, held.work)]
  await expect(crowded.enter(1, held.work)).rejects.toMatchObject({ status: 429 })
  const hasty = new Gate({ atOnce: 1, patience: 1, refusal })
  const other = pending()
  const first = hasty.enter(1, other.work)
  await expect(hasty.enter(1, other.work)).rejects.toMatchObject({ status: 429 })
  held.end()
  other.end()
  await Promise.all([...entered, first])
})
