import { expect, it } from 'vitest'
import type { Rule } from '../rule.ts'
import { match, ruleBook } from './match.ts'
import { normalize } from './normalize.ts'

const ruleOf = (id: string, role: Rule['role']): Rule => ({
  id,
  tool: id,
  category: 'unknown',
  role,
  need: [id],
  match: new RegExp(id),
  score: 50,
  examples: [],
})
const book = ruleBook([ruleOf('alpha', 'root'), ruleOf('hush', 'noise')])
const hitsIn = (...lines: string[]) => match(normalize(lines.join('\n')), book).length

it('a line of noise matches nothing else, whichever comes first', () => {
  expect(hitsIn('alpha hush', 'hush alpha', 'alpha')).toBe(1)
})

it('a rule that matched thousands of lines is no longer tried; noise lines do not count', () => {
  const many = (line: string) => Array.from({ length: 5000 }, () => line)
  expect(hitsIn(...many('alpha hush'), 'alpha')).toBe(1)
  expect(hitsIn(...many('alpha'))).toBe(4000)
})
