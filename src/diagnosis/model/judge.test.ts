import { describe, expect, it } from 'vitest'
import { FAILURE_CATEGORIES } from '../../contract/sets.ts'
import { diagnose } from '../diagnose.ts'
import { BUCKETS } from './features.ts'
import learned from './weights.json' with { type: 'json' }

describe('the trained model', () => {
  it('knows only categories of the contract', () => {
    expect(learned.classes.filter((name) => !FAILURE_CATEGORIES.some((category) => category === name))).toEqual([])
  })

  it('has a byte for each bucket and category, and no words', () => {
    expect(Buffer.from(learned.weights, 'base64')).toHaveLength(BUCKETS * learned.classes.length)
    expect(Object.keys(learned).sort()).toEqual(['bias', 'classes', 'scale', 'weights'])
    expect(JSON.stringify(learned).length).toBeLessThan(300_000)
  })
})

describe('a failed build', () => {
  const quiet = 'compiling\nall done\nExiting batchmode successfully now!\n'

  it('is never diagnosed as a log without a failure', () => {
    expect(diagnose(quiet).category).toBe('none')
    expect(diagnose(quiet, { failed: true })).toMatchObject({ category: expect.not.stringMatching('none'), confidence: 'low' })
  })

  it('with a compiler error failed, whatever came afterwards', () => {
    const error = "Assets/Crane.cs(31,17): error CS1061: 'Hook' does not contain a definition for 'Swing'"
    expect(diagnose(`${error}\nBuild Finished, Result: Failure.\n${quiet}`)).toMatchObject({
      category: 'compile_error',
      evidence: [{ line: 1 }],
    })
    expect(diagnose(`Build Finished, Result: Failure.\n${quiet}`).category).not.toBe('none')
  })
})

describe('the category', () => {
  it('is unknown where no rule knows the failure and its words say nothing', () => {
    const raw = '$ ./latest-contest.sh\nthe tide went out\nThe command "./latest-contest.sh" exited with 1.'
    expect(diagnose(raw)).toMatchObject({ category: 'unknown', confidence: 'low' })
  })

  it('is the purpose of the command if that says more than the words', () => {
    const raw = '$ ./lint-ships.sh\nthe tide went out\nThe command "./lint-ships.sh" exited with 1.'
    expect(diagnose(raw)).toMatchObject({ category: 'lint_or_doc', confidence: 'low' })
  })

  it('needs a trace of the tool that prints such lines', () => {
    const cross = '❌ 3 of 12 checks did not pass'
    expect(diagnose(cross).category).not.toBe('compile_error')
    expect(diagnose(`▸ Compiling Hero.swift\n${cross}`).category).toBe('compile_error')
  })
})

describe('the confidence', () => {
  it('mentions that the cause may be missing if the beginning is', () => {
    const error = "Hero.cpp(40): error C2065: 'Hits': undeclared identifier"
    const cut = `${'linking the world, please wait\n'.repeat(9000)}${error}`.slice(-256_000)
    expect(diagnose(cut)).toMatchObject({
      confidence: 'low',
      diagnosis: expect.stringContaining('the beginning of the log is missing'),
    })
  })

  it('is lower for a vague match with a close second', () => {
    const raw = [
      '$ ./pack',
      './pack: line 3: zip: command not found',
      'x',
      'Error: no hero',
      'y',
      'Traceback (most recent call last):',
      'KeyError: 1',
    ]
    expect(diagnose(raw.join('\n')).confidence).not.toBe('high')
  })
})
