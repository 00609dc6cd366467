import { expect, test } from 'vitest'
import type { Arrival } from '../domain/integrations/deliveries.ts'
import { type Lines, type PendingDelivery, takeBatch, type Way } from './lines.ts'

let place = 0
/** A delivery about these; only what a line looks at. */
const about = (...keys: string[]) =>
  ({
    keys,
    place: ++place,
    reading: { facts: [], arrival: { body: Buffer.alloc(10) } as Partial<Arrival> },
  }) as unknown as PendingDelivery

function open(waiting: Partial<Record<Way, PendingDelivery[]>>) {
  const lines: Lines = {
    patience: 1,
    lines: new Map(
      Object.entries(waiting).map(([way, waiting]) => [way as Way, { way: way as Way, waiting: [...waiting], writers: 0 }]),
    ),
    writing: new Map(),
    deferred: [],
    isDeferring: false,
    deferredAt: 0,
  }
  return { lines, take: (way: Way) => takeBatch(lines, lines.lines.get(way)!) }
}

test('builds of one job share a batch, and two reports of a build do not', () => {
  const [first, second, again] = [about('build 1', 'job a'), about('build 2', 'job a'), about('build 1', 'job a')]
  const { take } = open({ builds: [first, second, again] })
  expect(take('builds')).toEqual([first, second])
  expect(take('builds')).toEqual([again])
})

test('a delivery that is written alone does not overtake an earlier one of its job in another line, nor that one it', () => {
  const [first, other, second, third] = [about('job a'), about('build 9', 'job b'), about('build 1', 'job a'), about('job a')]
  const { lines, take } = open({ alone: [first, third], builds: [other, second] })
  expect(take('builds')).toEqual([other])
  expect(take('alone')).toEqual([first])
  lines.writing.set('job a', 1)
  expect([take('builds'), take('alone')]).toEqual([[], []])
  lines.writing.clear()
  expect(take('alone')).toEqual([])
  expect(take('builds')).toEqual([second])
  expect(take('alone')).toEqual([third])
})
