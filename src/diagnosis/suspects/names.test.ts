import { describe, expect, it } from 'vitest'
import { bareName, canonical, segmentsOf, stemOf } from './names.ts'

it('spellings of one name agree', () => {
  expect(canonical('Render_Errors-Test')).toBe(canonical('RenderErrorsTest'))
})

it('segments omit dots and doubled separators', () => {
  expect(segmentsOf('//depot/./main\\Source/../a.c')).toEqual(['depot', 'main', 'Source', 'a.c'])
})

describe('a name without its extensions', () => {
  it.each([
    'Hero.cpp',
    'Hero.h',
    'Hero.generated.h',
    'Hero.gen.cpp',
    'Hero.Build.cs',
    'Hero.prefab.meta',
    'Hero.test.ts',
    'Hero.d.ts',
  ])('of %s is Hero', (base) => expect(bareName(base)).toBe('Hero'))
  it('keeps the dot of hidden files and of names with dots', () => {
    expect(bareName('.eslintrc')).toBe('.eslintrc')
    expect(bareName('phx.new_task.exs')).toBe('phx.new_task')
  })
})

describe('the stem that tests and code share', () => {
  it.each([
    'Hero',
    'HeroTest',
    'HeroTests',
    'HeroSpec',
    'TestHero',
    'test_hero',
    'hero_test',
    'hero_spec',
    'hero-unittest',
    'HeroTestCase',
  ])('of %s is hero', (bare) => expect(stemOf(bare)).toBe('hero'))
  it.each(['Latest', 'contest', 'Testament'])('leaves %s unchanged', (bare) => expect(stemOf(bare)).toBe(bare.toLowerCase()))
})
