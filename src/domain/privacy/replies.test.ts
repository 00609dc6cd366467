import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { nullable, object, own, ownText, text, uuid } from '../../contract/fields.ts'
import { BuildRunDetail, Task } from '../../contract/shapes.ts'
import { scrubberOf } from './replies.ts'

const address = 'kim@example.com'

test('texts are scrubbed at any depth, except own texts, ids and closed sets', () => {
  const shape = object({
    id: uuid,
    word: Type.Enum(['a', 'b']),
    name: ownText,
    data: own(Type.Record(Type.String(), Type.Unknown())),
    text: nullable(text),
    list: Type.Array(object({ text, count: Type.Integer() })),
    one: nullable(object({ text })),
    free: Type.Unknown(),
    fields: Type.Record(Type.String(), Type.String()),
  })
  const value = {
    id: 'u',
    word: 'a',
    name: address,
    data: { deep: address },
    text: address,
    list: [{ text: address, count: 1 }],
    one: { text: address },
    free: [{ deep: address }],
    fields: { [address]: address },
  }
  expect(scrubberOf(shape)!(value as never)).toEqual({
    ...value,
    text: 'kim',
    list: [{ text: 'kim', count: 1 }],
    one: { text: 'kim' },
    free: [{ deep: 'kim' }],
    fields: { kim: 'kim' },
  })
})

test('a value with nothing to remove is returned as is', () => {
  const value = { text: 'plain', one: null }
  expect(scrubberOf(object({ text, one: nullable(object({ text })) }))!(value as never)).toBe(value)
})

test('a list of tasks needs no scrubbing, a build does', () => {
  expect(scrubberOf(Task)).toBeUndefined()
  expect(scrubberOf(BuildRunDetail)).toBeDefined()
})
