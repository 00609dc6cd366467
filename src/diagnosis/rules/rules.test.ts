import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Rule } from '../rule.ts'
import { group } from '../stages/group.ts'
import { match, ruleBook } from '../stages/match.ts'
import { normalize } from '../stages/normalize.ts'
import { RULES } from './index.ts'

const book = ruleBook(RULES)
const baseOf = (path: string) => path.split(/[\\/]/).at(-1)

describe('every rule', () => {
  it('is listed, whichever file it is in', async () => {
    const files = ['engines', 'languages', 'tools'].flatMap((folder) =>
      readdirSync(new URL(`./${folder}/`, import.meta.url)).map((file) => `./${folder}/${file}`),
    )
    const lists = await Promise.all(files.map(async (file) => Object.values<Rule[]>(await import(file)).flat()))
    expect(new Set(lists.flat().map(({ id }) => id))).toEqual(new Set(RULES.map(({ id }) => id)))
  })

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
    const log = normalize(example.log)
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
