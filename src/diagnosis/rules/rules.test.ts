import { describe, expect, it } from 'vitest'
import { group } from '../stages/group.ts'
import { match, ruleBook } from '../stages/match.ts'
import { normalise } from '../stages/normalise.ts'
import { RULES } from './index.ts'

const book = ruleBook(RULES)
const baseOf = (path: string) => path.split(/[\\/]/).at(-1)

describe('every rule', () => {
  it('has a unique id of its toolchain and its error', () => {
    const ids = RULES.map((rule) => rule.id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z\d-]+\.[a-z\d-]+$/)
  })

  it('names literals without which its pattern cannot match', () => {
    for (const rule of RULES) expect(rule.need.length, rule.id).toBeGreaterThan(0)
  })

  it('has examples, unless it only silences', () => {
    for (const rule of RULES) if (rule.role !== 'noise') expect(rule.examples.length, rule.id).toBeGreaterThan(0)
  })

  const cases = RULES.flatMap((rule) => rule.examples.map((example) => ({ id: rule.id, rule, example })))
  it.each(cases)('$id finds the line of its example', ({ rule, example }) => {
    const log = normalise(example.log)
    const hits = match(log, book).filter((hit) => hit.rule.id === rule.id)
    const [found] = group(log, hits)
    expect(found, 'no match').toBeDefined()
    expect(found!.lead.index + 1).toBe(example.line)
    if (example.file) {
      const { groups, index } = found!.lead
      const named = Object.values(groups).some((value) => value && baseOf(value.trim()) === example.file)
      expect(named || log.text[index]!.includes(example.file), `names ${example.file}`).toBe(true)
    }
  })
})
