import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { workOf } from '../../../test/support/work.ts'
import type { Definition } from './definition.ts'
import { linearPattern } from './linear-pattern.ts'
import { diagnoseWithOwn, problemOf, readOwnRules } from './own-rules.ts'
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
  test('is parsed as written', () => {
    expect(readOwnRules(LIGHTMAP)).toEqual([LIGHTMAP])
    expect(readOwnRules([LIGHTMAP, { ...LIGHTMAP, id: 'baker.other' }])).toHaveLength(2)
  })

  test('in the documentation is a valid example', () => {
    const page = readFileSync(new URL('../../../docs/failure-rules.md', import.meta.url), 'utf8')
    expect(readOwnRules(JSON.parse(/```json\n([^`]+)```/.exec(page)![1]!))).toHaveLength(1)
  })

  test('of noise shows a silenced line', () => {
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
    [{ match: 'BAKE-(' }, 'match is no regular expression: missing closing ): `BAKE-(`.'],
    [{ match: 'BAKE-\0' }, 'match must not hold NUL or broken characters.'],
    [{ match: '(BAKE)-\\1' }, 'match must not refer back to a group (\\1, \\k<name>).'],
    [{ match: '(?<code>BAKE)-\\k<code>' }, 'match must not refer back'],
    [{ match: '(?<=x)BAKE-' }, 'match must not look ahead or behind'],
    [{ match: 'BAKE-(?!1)' }, 'match must not look ahead or behind'],
    [{ match: `BAKE-${'(?:abcdefghij){1000}'}` }, 'match is too large'],
    [{ block: { more: '(?<!x)hint' } }, 'block.more must not look ahead or behind'],
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
  ])('with %j is refused with one line', (changes, message) => {
    expect(() => read(changes)).toThrow(message)
    expect(() => read(changes)).toThrow(/^[^\n]*$/)
  })

  test('lacking a field, in a list, twice, or empty is refused with its position', () => {
    const { score, ...rest } = LIGHTMAP
    expect(() => readOwnRules(rest)).toThrow('score is missing.')
    expect(() => readOwnRules([LIGHTMAP, rest])).toThrow('[1].score is missing.')
    expect(() => readOwnRules([LIGHTMAP, LIGHTMAP])).toThrow('[1].id is there twice: baker.missing-lightmap.')
    expect(() => readOwnRules('x')).toThrow('The rule must be an object.')
  })

  test('may contain an escaped backslash before a number', () => {
    const examples = [{ log: 'BAKE-1 C:\\1: gone', line: 1 }]
    expect(read({ match: '^BAKE-1 C:\\\\1', examples })).toHaveLength(1)
  })

  test('may contain special characters in a class, and characters by their code', () => {
    expect(read({ match: '^BAKE-\\d+ [(?=!<]*(?<file>\\S+): [\\u0000-\\uffff]+' })).toHaveLength(1)
  })
})

describe('a pattern of a studio', () => {
  test.each([
    ['^(a+)+$', 'a'],
    ['(?:a|b|ab)*c', 'ab'],
    ['^([\\u0061-\\u007a]+)*$', 'a'],
    ['^(?:[\\u0061\\u0062]|\\u0061)+!$', 'a'],
    ['(.*)*x{1,50}y', 'x'],
    ['(?<msg>.*.*.*)=(?<file>.*)', '='],
  ])('%s runs in linear time on lines made to keep it busy', (source, part) => {
    const pattern = linearPattern(source)
    const line = `${part.repeat(2_000).slice(0, 1_999)}\u0007`
    expect(workOf(() => pattern.exec(line))).toBeLessThan(1_000)
  })

  test('returns its groups, and nothing for an unmatched one', () => {
    expect({ ...linearPattern('(?<file>a)|(?<msg>b)').exec('b')!.groups }).toMatchObject({ msg: 'b' })
    expect(linearPattern('(?<file>a)|(?<msg>b)').exec('b')!.groups!.file ?? undefined).toBeUndefined()
  })
})

describe('a time limit', () => {
  test('interrupts a pattern in the middle of a line', () => {
    const endless = () => within(50, () => /^(a+)+$/.test(`${'a'.repeat(60)}!`))
    expect(workOf(() => expect(endless).toThrow(TookTooLong))).toBeLessThan(2_000)
  })

  test('passes on results and exceptions of the work', () => {
    expect(within(1_000, () => 7)).toBe(7)
    expect(() => within(1_000, () => JSON.parse('{'))).toThrow(SyntaxError)
  })
})

describe('own rules', () => {
  const own = readOwnRules(LIGHTMAP)
  const log = 'start\nBAKE-17 Maps/Sky.map: no lightmap\n  hint: rebuild\nend'

  test('find what built-in ones do not know', () => {
    expect(diagnoseWithOwn(log, {}).clues.rule).toBe('unknown')
    expect(diagnoseWithOwn(log, { own })).toMatchObject({
      category: 'cook_asset_error',
      confidence: 'high',
      suggested_fix: 'Bake Maps/Sky.map again.',
      evidence: [{ line: 2 }, { line: 3 }],
    })
  })

  test('that run long are skipped, and a step says so', () => {
    // A hundred rules that search for groups at every one of 256,000 characters.
    const slow = Array.from({ length: 100 }, (_, n) => ({ ...own[0]!, id: `baker.r${n}`, match: '(?<msg>.*)BAKE(?<file>.*)-' }))
    const hostile = `${`${'BAKE-'.repeat(399)}\n`.repeat(128)}main.cpp:3:7: error: expected ';' before 'x'`
    const finding = diagnoseWithOwn(hostile, { own: slow })
    expect(finding).toMatchObject({ ...diagnoseWithOwn(hostile, {}), steps: expect.any(Array) })
    expect(finding.category).toBe('compile_error')
    expect(finding.steps[0]).toEqual({
      name: 'own_rules',
      status: 'skipped',
      detail: 'Own rules were left out: It took longer than 1000 ms.',
      evidence: [],
    })
  })

  test('that are no longer supported are disabled, and a step names each', () => {
    const old = { ...own[0]!, id: 'baker.old', match: 'BAKE-(?=1)' } as Definition
    expect(problemOf(own[0]!)).toBeNull()
    expect(problemOf(old)).toMatch(/^A pattern of it must not look ahead or behind/)
    const finding = diagnoseWithOwn(log, { own: [old, ...own] })
    expect(finding.category).toBe('cook_asset_error')
    expect(finding.steps[0]).toMatchObject({
      name: 'own_rules',
      status: 'skipped',
      detail: expect.stringMatching(/^The rule baker\.old is switched off\. A pattern of it must not look ahead/),
    })
    expect(diagnoseWithOwn(log, { own: [old] }).clues.rule).toBe('unknown')
  })
})
