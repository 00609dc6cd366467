import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonical } from './names.ts'
import { Sieve } from './sieve.ts'

const sieveOf = (names: string[], folders: string[] = []) => {
  const sieve = new Sieve()
  for (const name of names) sieve.addName(canonical(name))
  for (const folder of folders) sieve.addFolder(canonical(folder))
  return sieve
}

it('recognizes a name with and without its extensions, in any spelling', () => {
  const sieve = sieveOf(['hero_view'])
  for (const path of ['a/HeroView', 'HeroView.cpp', 'a\\b\\hero-view.generated.h']) expect(sieve.sift(path)).toBe('name')
  expect(sieve.sift('a/HeroViews.cpp')).toBe('nothing')
  expect(sieve.sift('HeroView.d/other.cpp')).toBe('nothing')
})

it('recognizes a folder anywhere but at the end', () => {
  const sieve = sieveOf([], ['Combat'])
  expect(sieve.sift('Source/combat/Ai/Hero.cpp')).toBe('folder')
  expect(sieve.sift('Source/Combat')).toBe('nothing')
})

it('never misses a known name', () => {
  const segment = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !/[/\\]/.test(text))
  fc.assert(
    fc.property(fc.array(segment), segment, (folders, base) => {
      expect(sieveOf([base]).sift([...folders, base].join('/'))).toBe('name')
    }),
  )
})
