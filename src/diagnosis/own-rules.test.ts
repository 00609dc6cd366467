import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { workOf } from '../../test/work.ts'
import { ruleOf } from './definition.ts'
import { diagnoseWithOwn, readOwnRules } from './own-rules.ts'
import { TookTooLong, within } from './within.ts'

const LIGHTMAP = {
  id: 'baker.missing-lightmap',
  tool: 'Baker',
  category: 'cook_asset_error',
  role: 'root',
  need: ['BAKE-'],
  match: '^(?<code>BAKE-\\d+) (?<file>\\S+): (?<msg>.*)',
  score: 90,
  block: { more: '^  hint: ', max: 3 },
  fix: 'Bake {file} again.',
  examples: [{ log: 'baking…\nBAKE-17 Maps/Sky.map: no lightmap\n  hint: rebuild', line: 2, file: 'Sky.map' }],
}
const read = (changes: object) => readOwnRules({ ...LIGHTMAP, ...changes })

describe('a definition', () => {
  test('is read as it is written', () => {
    expect(readOwnRules(LIGHTMAP)).toEqual([LIGHTMAP])
    expect(readOwnRules([LIGHTMAP, { ...LIGHTMAP, id: 'baker.other' }])).toHaveLength(2)
  })

  test('stands in the documentation as an example that holds', () => {
    const page = readFileSync(new URL('../../docs/failure-rules.md', import.meta.url), 'utf8')
    expect(readOwnRules(JSON.parse(/```json\n([^`]+)```/.exec(page)![1]!))).toHaveLength(1)
  })

  test('of noise shows a line that is silenced', () => {
    expect(read({ role: 'noise' })).toHaveLength(1)
  })

  test.each([
    [{ colour: 'red' }, 'colour is not known here; known: id, tool, category,'],
    [{ block: { more: 'x', untill: 'y' } }, 'block.untill is not known here'],
    [{ examples: [{ log: 'x', line: 1, lines: 2 }] }, 'examples[0].lines is not known here'],
    [{ id: 'Baker' }, 'id must be two names with a dot between'],
    [{ category: 'bad_luck' }, 'category must be one of: compile_error,'],
    [{ role: 'cause' }, 'role must be one of: root, wrapper, followup, noise.'],
    [{ need: ['BA'] }, 'need[0] must have 3 to 100 characters.'],
    [{ need: [] }, 'need must have 1 to 20 entries.'],
    [{ need: ['BAKE-', 'OVEN-'] }, 'need[1] stands in none of the examples.'],
    [{ score: 101 }, 'score must be a whole number from 0 to 100.'],
    [{ match: `BAKE-${'x'.repeat(500)}` }, 'match must have 1 to 500 characters.'],
    [{ match: 'BAKE-(' }, 'match is no regular expression: Unterminated group.'],
    [{ match: 'BAKE-\0' }, 'match must not hold NUL or broken characters.'],
    [{ match: '(BAKE)-\\1' }, 'match must not refer back to a group (\\1, \\k<name>).'],
    [{ match: '(?<code>BAKE)-\\k<code>' }, 'match must not refer back'],
    [{ match: '(?<=x)BAKE-' }, 'match must not look behind'],
    [{ block: { more: '(?<!x)hint' } }, 'block.more must not look behind'],
    [{ match: '(?<path>BAKE-)' }, 'match names a group “path”; understood are file, line, code, test, msg.'],
    [{ block: { more: 'x', until: 'y' } }, 'block must have only one of more, until and through.'],
    [{ fix: 'Bake {asset}.' }, 'fix has a gap {asset}; filled in are {file},'],
    [{ examples: [] }, 'examples must have 1 to 20 entries.'],
    [{ examples: [{ log: 'BAKE-x', line: 1 }] }, 'examples[0] is not matched'],
    [{ examples: [{ ...LIGHTMAP.examples[0], line: 3 }] }, 'examples[0].line is 3, but the rule finds line 2.'],
    [
      { examples: [{ ...LIGHTMAP.examples[0], file: 'Sea.map' }] },
      'examples[0].file is Sea.map, but the rule finds Maps/Sky.map.',
    ],
  ])('with %j is refused in one line', (changes, message) => {
    expect(() => read(changes)).toThrow(message)
    expect(() => read(changes)).toThrow(/^[^\n]*$/)
  })

  test('lacking a field, in a list, twice, or none at all is refused by its place', () => {
    const { score, ...rest } = LIGHTMAP
    expect(() => readOwnRules(rest)).toThrow('score is missing.')
    expect(() => readOwnRules([LIGHTMAP, rest])).toThrow('[1].score is missing.')
    expect(() => readOwnRules([LIGHTMAP, LIGHTMAP])).toThrow('[1].id is there twice: baker.missing-lightmap.')
    expect(() => readOwnRules('x')).toThrow('The rule must be an object.')
  })

  test('may hold an escaped backslash before a number', () => {
    const examples = [{ log: 'BAKE-1 C:\\1: gone', line: 1 }]
    expect(read({ match: '^BAKE-1 C:\\\\1', examples })).toHaveLength(1)
  })

  test('with a pattern that a line could keep busy is refused', () =>
    expect(() => read({ match: '^(a+)+$' })).toThrow(/^match takes too long on some lines \("a{30}…"\): /))

  test('is refused for what its block could do as well', () =>
    expect(() => read({ block: { more: '^(\\s+)+$' } })).toThrow('block.more takes too long on some lines'))
})

describe('a time limit', () => {
  test('breaks off a pattern in the middle of a line', () => {
    const endless = () => within(50, () => /^(a+)+$/.test(`${'a'.repeat(60)}!`))
    expect(workOf(() => expect(endless).toThrow(TookTooLong))).toBeLessThan(2_000)
  })

  test('passes on what the work returns and throws', () => {
    expect(within(1_000, () => 7)).toBe(7)
    expect(() => within(1_000, () => JSON.parse('{'))).toThrow(SyntaxError)
  })
})

describe('own rules', () => {
  const rules = [ruleOf(readOwnRules(LIGHTMAP)[0]!)]
  const log = 'start\nBAKE-17 Maps/Sky.map: no lightmap\n  hint: rebuild\nend'

  test('find what ours do not know', () => {
    expect(diagnoseWithOwn(log, {}).clues.rule).toBe('unknown')
    expect(diagnoseWithOwn(log, { rules })).toMatchObject({
      category: 'cook_asset_error',
      confidence: 'high',
      suggested_fix: 'Bake Maps/Sky.map again.',
      evidence: [{ line: 2 }, { line: 3 }],
    })
  })

  test('that run long are left out, and a step says so', () => {
    const slow = { ...rules[0]!, match: /^(B|BAKE|A|K|E|-)+$/ }
    const hostile = `${'BAKE-'.repeat(300)}!\nmain.cpp:3:7: error: expected ';' before 'x'`
    const finding = diagnoseWithOwn(hostile, { rules: [slow] })
    expect(finding).toMatchObject({ ...diagnoseWithOwn(hostile, {}), steps: expect.any(Array) })
    expect(finding.category).toBe('compile_error')
    expect(finding.steps[0]).toEqual({
      name: 'own_rules',
      status: 'skipped',
      detail: 'Own rules were left out: It took longer than 1000 ms.',
      evidence: [],
    })
  })
})
