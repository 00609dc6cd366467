import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Literals } from './literals.ts'

const found = (literals: string[], line: string) => {
  const ids = new Set(new Literals(literals).scan(line))
  return [...ids].map((id) => literals[id]!).sort()
}

it('finds literals that overlap, share a prefix or contain one another', () => {
  expect(found(['error', 'error C', 'ror', 'or C2', 'fatal'], 'fatal error C2065')).toEqual([
    'error',
    'error C',
    'fatal',
    'or C2',
    'ror',
  ])
})

it('finds exactly what String.includes finds', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '✖', '误'), minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(
      fc.uniqueArray(word, { minLength: 1, maxLength: 8 }),
      fc.string({ unit: fc.constantFrom('a', 'b', 'c', '✖', '误', '✓'), maxLength: 40 }),
      (literals, line) => {
        expect(found(literals, line)).toEqual(literals.filter((literal) => line.includes(literal)).sort())
      },
    ),
  )
})

it('finds existing literals among a thousand different characters', () => {
  const literals = Array.from({ length: 1000 }, (_, i) => `${String.fromCharCode(0x4e00 + i)}!`)
  for (const literal of [literals[0]!, literals[500]!, literals[999]!]) expect(found(literals, `a ${literal}`)).toContain(literal)
  expect(found(literals, `a ${literals[999]!.slice(0, 1)}`)).toEqual([])
})
