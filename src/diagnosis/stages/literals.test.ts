import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Literals } from './literals.ts'

const found = (literals: string[], line: string) => {
  const ids = new Set<number>()
  new Literals(literals).scan(line, (id) => ids.add(id))
  return [...ids].map((id) => literals[id]!).sort()
}

it('finds literals that overlap, begin alike or sit inside one another', () => {
  expect(found(['error', 'error C', 'ror', 'or C2', 'fatal'], 'fatal error C2065')).toEqual([
    'error',
    'error C',
    'fatal',
    'or C2',
    'ror',
  ])
})

it('finds exactly what String.includes finds', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '✖'), minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(
      fc.uniqueArray(word, { minLength: 1, maxLength: 8 }),
      fc.string({ unit: fc.constantFrom('a', 'b', 'c', '✖'), maxLength: 40 }),
      (literals, line) => {
        expect(found(literals, line)).toEqual(literals.filter((literal) => line.includes(literal)).sort())
      },
    ),
  )
})
