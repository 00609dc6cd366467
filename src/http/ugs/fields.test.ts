import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { required, text } from '../../contract/field-readers.ts'
import { member, queryOf } from './fields.ts'

test('a plus in a query is a plus: clients do not encode what they put there', () => {
  const request = { url: '/metadata?STREAM=//game/c++&unknown=1' } as FastifyRequest
  expect(queryOf(request, { stream: required(text(100)) })).toEqual({ stream: '//game/c++' })
})

test('a word of a set is read in any case, or by its place in the set', () => {
  const read = member(['Starting', 'Failure', 'Success'])
  expect(['FAILURE', '1', 1].map((given) => read('State', given))).toEqual(['Failure', 'Failure', 'Failure'])
  expect(() => read('State', '3')).toThrow()
})
