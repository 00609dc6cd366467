import { describe, expect, test } from 'vitest'
import type { Correction } from './corrections.ts'
import { diagnose } from './diagnose.ts'
import { passedLines } from './stages/passed.ts'

const log = (...lines: string[]) => lines.join('\n')
const LICENSE = 'Editor: seat 4711 is not available for this floating client'
const vague = (seat: number) =>
  log('Starting the editor', LICENSE.replace('4711', String(seat)), 'Build step failed', `Exit code ${seat}`)
const COMPILE = log('$ make game', LICENSE, "src/hero.c:3:1: error: 'hits' undeclared", 'make: *** [game] Error 1')

const correction = (given: Partial<Correction>): Correction => ({
  id: 7,
  own: false,
  line: null,
  template: null,
  fingerprint: null,
  category: null,
  cause: null,
  ...given,
})
const own = (given: Partial<Correction>) => correction({ own: true, ...given })

describe('a correction of the build itself', () => {
  test('moves the evidence to the corrected line', () => {
    const finding = diagnose(vague(1), { corrections: [own({ line: 2, category: 'license_seat' })] })
    expect(finding).toMatchObject({
      category: 'license_seat',
      confidence: 'high',
      evidence: [{ line: 2, text: LICENSE.replace('4711', '1') }],
      correction: { id: 7, own: true, template: expect.any(String) },
    })
    expect(finding.correction!.fingerprint).toBe(diagnose(vague(1)).fingerprint)
    expect(finding.fingerprint).not.toBe(diagnose(vague(1)).fingerprint)
  })

  test('keeps the failure the same when only its category or cause is corrected', () => {
    const found = diagnose(COMPILE)
    const finding = diagnose(COMPILE, { corrections: [own({ category: 'build_system', cause: 'Generated code is stale.' })] })
    expect(finding).toMatchObject({ category: 'build_system', diagnosis: 'Generated code is stale.', evidence: found.evidence })
    expect([finding.fingerprint, finding.cause_keys]).toEqual([found.fingerprint, found.cause_keys])
  })

  test('applies to a build without a log', () => {
    const finding = diagnose('', { corrections: [own({ category: 'infra_agent', cause: 'The agent lost power.' })] })
    expect(finding).toMatchObject({ category: 'infra_agent', confidence: 'high', diagnosis: 'The agent lost power.' })
    expect(diagnose('', { corrections: [correction({ cause: 'x', fingerprint: 'infrastructure' })] }).confidence).toBe('low')
  })
})

describe('a correction of another build', () => {
  const made = diagnose(vague(1), { corrections: [own({ line: 2, category: 'license_seat' })] }).correction!
  const remembered = correction({ line: 2, category: 'license_seat', template: made.template, fingerprint: made.fingerprint })

  test('applies to the same line with other numbers', () => {
    const finding = diagnose(vague(99), { corrections: [remembered] })
    expect(finding).toMatchObject({ category: 'license_seat', evidence: [{ line: 2 }], correction: { id: 7, own: false } })
  })

  test('does not apply beside another cause that is certain', () => {
    expect(diagnose(COMPILE, { corrections: [remembered] })).toEqual(diagnose(COMPILE))
  })

  test('does not apply to a line that passed builds print too', () => {
    const passed = passedLines(vague(5))
    expect(diagnose(vague(99), { corrections: [remembered], passed }).correction).toBeUndefined()
  })

  test('without a line applies to the same finding only', () => {
    const cause = 'Somebody removed hits.'
    const corrections = [correction({ fingerprint: diagnose(COMPILE).fingerprint, cause })]
    expect(diagnose(COMPILE, { corrections }).diagnosis).toBe(cause)
    expect(diagnose(COMPILE.replaceAll('hero.c', 'tree.c'), { corrections }).correction).toBeUndefined()
  })

  test('is not recognized by a line that any failure can print', () => {
    expect(diagnose(vague(1), { corrections: [own({ line: 4 })] }).correction!.template).toBeNull()
  })

  test('the newest one for a line counts', () => {
    const newer = { ...remembered, id: 8, category: 'network' as const }
    expect(diagnose(vague(3), { corrections: [newer, remembered] })).toMatchObject({ category: 'network', correction: { id: 8 } })
  })
})
