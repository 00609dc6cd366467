import { describe, expect, it } from 'vitest'
import type { Rule } from '../rule.ts'
import type { Group } from './group.ts'
import { normalize } from './normalize.ts'
import { rank } from './rank.ts'
import { segment } from './segment.ts'

const ruleOf = (id: string, more: Partial<Rule> = {}): Rule => ({
  id,
  tool: id,
  category: 'compile_error',
  role: 'root',
  need: [id],
  match: new RegExp(id),
  score: 50,
  examples: [],
  ...more,
})
const groupAt = (index: number, rule: Rule, groups: Record<string, string> = {}): Group => {
  const lead = { rule, index, groups }
  return { lead, hits: [lead], start: index, end: index }
}
/** The lines of the groups, best first. */
const order = (lines: string[], ...groups: Group[]) => {
  const log = normalize(lines.join('\n'))
  return rank(log, segment(log), groups).map(({ lead }) => lead.index)
}
const [alpha, beta] = [ruleOf('alpha'), ruleOf('beta')]

describe('with a known failing step', () => {
  const STEPS = [
    '$ one', // 0
    'alpha in a step that passed',
    'The command "one" exited with 0.',
    '$ two', // 3
    'beta in a step of which nothing is known',
    '$ three', // 5
    'alpha in the first step that failed',
    'The command "three" exited with 1.',
    '$ four', // 8
    'alpha in a later step that failed',
    'The command "four" exited with 2.',
    '$ five', // 11
    'beta after all that',
  ]

  it('its lines count most, then other failed steps, then what came after, before, and what passed', () => {
    const found = [1, 4, 6, 9].map((index) => groupAt(index, index % 2 ? alpha : beta))
    const after = groupAt(12, ruleOf('beta', { score: 60 }))
    expect(order(STEPS, ...found, after)).toEqual([6, 9, 12, 4, 1])
  })

  it('its lines outweigh a rule that is thirty points better elsewhere, and no more than that', () => {
    const surer = (score: number) => order(STEPS, groupAt(6, alpha), groupAt(12, ruleOf('beta', { score })))[0]
    expect([surer(79), surer(81)]).toEqual([6, 12])
  })

  it('a passed step is ten points less likely than an unknown one', () => {
    const surer = (score: number) => order(STEPS, groupAt(1, ruleOf('alpha', { score })), groupAt(4, beta))[0]
    expect([surer(59), surer(61)]).toEqual([4, 1])
    // Its last line still belongs to it.
    expect(order(STEPS, groupAt(2, alpha), groupAt(4, beta))).toEqual([4, 2])
  })
})

describe('without one', () => {
  it('the later of two kinds is more likely, by the start of each kind', () => {
    const lines = Array.from({ length: 600 }, (_, i) => `line ${i}`)
    expect(order(lines, groupAt(10, alpha), groupAt(400, beta), groupAt(590, alpha))).toEqual([400, 10, 590])
  })

  it('the earlier of equals comes first', () => {
    expect(order(['alpha', 'alpha'], groupAt(1, alpha), groupAt(0, alpha))).toEqual([0, 1])
  })
})

describe('roles', () => {
  it('a root comes before its consequences, and those before wrappers', () => {
    const [root, followup, wrapper] = (['root', 'followup', 'wrapper'] as const).map((role, i) =>
      groupAt(i, ruleOf(role, { role, score: 50 + 15 * i })),
    )
    expect(order(['root', 'followup', 'wrapper'], wrapper!, followup!, root!)).toEqual([0, 1, 2])
  })

  it('a wrapper that is forty points better equals a root', () => {
    const surer = (score: number) =>
      order(['root', 'wrapper'], groupAt(0, alpha), groupAt(1, ruleOf('w', { role: 'wrapper', score })))[0]
    expect([surer(89), surer(91)]).toEqual([0, 1])
  })

  it('a line that the build service marks as an error, and one with a project file, count a little more', () => {
    const marked = ['##[error]alpha', 'plain beta']
    expect(order(marked, groupAt(0, alpha), groupAt(1, beta))).toEqual([0, 1])
    expect(order(['alpha', 'beta'], groupAt(0, alpha, { file: 'src/hero.c' }), groupAt(1, beta))).toEqual([0, 1])
    expect(order(['alpha', 'beta'], groupAt(0, alpha, { file: 'node_modules/x/hero.js' }), groupAt(1, beta))).toEqual([1, 0])
  })
  it('an external header counts as a project file if a project file includes it', () => {
    const first = (including: string) => {
      const header = groupAt(1, alpha, { file: '/usr/include/c++/13/new' })
      const lines = [`In file included from ${including}:3:`, 'alpha', 'alpha']
      return order(lines, { ...header, start: 0 }, groupAt(2, alpha, { file: 'src/hero.c' }))[0]
    }
    expect([first('src/hero.c'), first('/usr/include/c++/13/vector')]).toEqual([1, 2])
  })
})
