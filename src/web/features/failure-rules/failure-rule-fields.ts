import type { FailureRule } from '../../../contract/app/rules.ts'

type Definition = FailureRule['definition']

/** A rule as form fields: all text. */
export interface RuleFields {
  id: string
  tool: string
  category: string
  role: string
  need: string
  match: string
  score: string
  fix: string
  /** Fields without an input, as JSON. */
  more: string
  log: string
}

export const EMPTY: RuleFields = {
  id: '',
  tool: '',
  category: 'build_script_error',
  role: 'root',
  need: '',
  match: '',
  score: '80',
  fix: '',
  more: '',
  log: '',
}

export function fieldsOf({ id, tool, category, role, need, match, score, fix, examples, ...more }: Definition): RuleFields {
  return {
    id,
    tool,
    category,
    role,
    need: need.join('\n'),
    match,
    score: String(score),
    fix: fix ?? '',
    more: Object.keys(more).length > 0 ? JSON.stringify(more, null, 2) : '',
    log: examples[0]?.log ?? '',
  }
}

/** The definition without its examples; the server validates it. */
export function definitionOf({ id, tool, category, role, need, match, score, fix, more }: RuleFields): Record<string, unknown> {
  return {
    ...objectOf(more),
    id: id.trim(),
    tool: tool.trim(),
    category,
    role,
    need: need.split('\n').filter((line) => line !== ''),
    match,
    score: Number(score),
    ...(fix.trim() === '' ? {} : { fix: fix.trim() }),
  }
}

function objectOf(text: string): object {
  if (text.trim() === '') return {}
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read
  } catch {}
  throw new Error('More fields must be a JSON object, such as {"near": 2}.')
}
