import { expect, test } from 'vitest'
import { until } from '../../test/support/until.ts'
import { isAskedLately, noteRequest } from '../db/attention.ts'
import { Slots } from './slots.ts'

const open = (rests: boolean) => {
  let freed = 0
  const slots = new Slots({ count: 1, rests, onFree: () => freed++ })
  return { slots, freed: () => freed }
}

test('a slot stays empty for a moment after a job while people wait for responses', async () => {
  const { slots, freed } = open(true)
  slots.take()
  noteRequest()
  slots.leave(40)
  expect([slots.free, freed()]).toEqual([0, 0])
  await until(() => slots.free === 1)
  expect(freed()).toBe(1)
})

test('a slot is free at once while nobody waits, and always one of jobs that wait for servers', async () => {
  await until(() => !isAskedLately())
  for (const rests of [true, false]) {
    const { slots, freed } = open(rests)
    if (!rests) noteRequest()
    slots.take()
    slots.leave(40)
    expect([slots.free, freed()]).toEqual([1, 1])
  }
})
