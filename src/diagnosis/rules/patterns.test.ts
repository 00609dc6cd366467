import { describe, expect, it } from 'vitest'
import { attacksOn, linesAround, patternsOf } from '../../../test/hostile/attacks.ts'
import { findStall } from '../../../test/hostile/stall.ts'
import { workOf } from '../../../test/support/work.ts'
import { diagnose } from '../diagnose.ts'
import type { Rule } from '../rule.ts'
import { RULES } from './index.ts'

const hostile = (rule: Rule): string[] => [
  ...patternsOf(rule).flatMap(([, pattern]) => [...attacksOn(pattern)]),
  ...linesAround(rule.need),
]

describe('no pattern', () => {
  it.each(RULES.map((rule) => ({ id: rule.id, rule })))('of $id can be made slow', ({ rule }) => {
    expect(findStall(rule)).toBeUndefined()
  })
})

describe('a log of 256,000 hostile characters', () => {
  it('takes at most about twice as long as half of it', () => {
    const lines = RULES.flatMap((rule) => hostile(rule).map((line) => line.slice(0, 200)))
    const text = (length: number) => {
      let log = ''
      for (let i = 0; log.length < length; i++) log += `${lines[(i * 7) % lines.length]}\n`
      return log.slice(0, length)
    }
    const [half, whole] = [text(128_000), text(256_000)]
    diagnose(whole)
    const best = (log: string) => Math.min(...[1, 2, 3].map(() => workOf(() => diagnose(log))))
    expect(best(whole)).toBeLessThan(4 * best(half) + 50)
  })
})
