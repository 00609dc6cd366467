/** Seeded, so that a run can be repeated: the same seed makes the same requests. */
export type Random = () => number

export const below = (random: Random, end: number): number => Math.floor(random() * end)
export const pick = <T>(random: Random, values: readonly T[]): T => values[below(random, values.length)]!
export const chance = (random: Random, share: number): boolean => random() < share

const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\u2028\u2029',
  '\u202e\ufeff\u200b',
  '😀'.repeat(30),
  'é'.repeat(300),
  'x'.repeat(3_000),
  'ß'.repeat(40_000),
  '%00',
  '%',
  '%ED%A0%80',
  '../../etc/passwd',
  "' or 1=1 --",
  '<script>alert(1)</script>',
  'null',
  'undefined',
  'NaN',
  'true',
  '__proto__',
  'constructor',
  'toString',
  '[]',
  '{}',
  '-1',
  '0',
  '1',
  '1e999',
  '0x10',
  '٣',
  '1.5',
  '2147483647',
  '2147483648',
  '9223372036854775808',
  '2026-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:60Z',
  '+275760-09-13T00:00:00Z',
  '2026-10-01T00:00:00+99:99',
  '2026-10-01',
  'acct_1',
  'acct_99999999999',
  'a@b.example',
  '00000000-0000-0000-0000-000000000000',
  'http://127.0.0.1:1/',
  'https://user:pass@h.example/',
  'javascript:alert(1)',
  '\\',
  '"',
  '\r\nx-injected: 1',
]

const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.1,
  1e21,
  -1e21,
  1e308,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 63,
  4102444800000,
  5e-324,
]

export function text(random: Random): string {
  if (chance(random, 0.7)) return pick(random, TEXTS)
  const length = chance(random, 0.05) ? 6_000 : below(random, 40)
  return Array.from({ length }, () => String.fromCharCode(below(random, chance(random, 0.8) ? 0x250 : 0x10000))).join('')
}

export const number = (random: Random): number =>
  chance(random, 0.8) ? pick(random, NUMBERS) : (random() - 0.5) * 10 ** below(random, 25)

/** Any JSON value, some of them deep. */
export function value(random: Random, depth = 0): unknown {
  if (depth === 0 && chance(random, 0.01)) return deep(pick(random, [40, 100, 1_000]))
  switch (below(random, depth > 3 ? 5 : 7)) {
    case 0:
      return null
    case 1:
      return chance(random, 0.5)
    case 2:
      return number(random)
    case 3:
    case 4:
      return text(random)
    case 5:
      return Array.from({ length: below(random, 6) }, () => value(random, depth + 1))
    default:
      return Object.fromEntries(Array.from({ length: below(random, 5) }, () => [text(random), value(random, depth + 1)]))
  }
}

const deep = (levels: number): unknown => {
  let made: unknown = 1
  for (let level = 0; level < levels; level++) made = level % 2 ? [made] : { a: made }
  return made
}

/** The same with one of its parts replaced, removed or repeated; the more often called, the stranger. */
export function mutated(random: Random, given: unknown): unknown {
  if (typeof given !== 'object' || given === null || chance(random, 0.1)) return value(random)
  if (Array.isArray(given)) {
    if (given.length === 0 || chance(random, 0.2)) return [...given, value(random)]
    const index = below(random, given.length)
    return given.with(index, mutated(random, given[index]))
  }
  const names = Object.keys(given)
  if (names.length === 0 || chance(random, 0.1)) return { ...given, [text(random)]: value(random) }
  const name = pick(random, names)
  const { [name]: part, ...rest } = given as Record<string, unknown>
  return chance(random, 0.1) ? rest : { ...rest, [name]: mutated(random, part) }
}

interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  minimum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
}

/** A value that a schema mostly accepts. */
export function fitting(random: Random, schema: Schema): unknown {
  if ('const' in schema) return schema.const
  if (schema.enum) return pick(random, schema.enum)
  if (schema.anyOf) return fitting(random, pick(random, schema.anyOf))
  const type = Array.isArray(schema.type) ? pick(random, schema.type) : schema.type
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => schema.required?.includes(name) || chance(random, 0.6))
          .map(([name, inner]) => [name, fitting(random, inner)]),
      )
    case 'array':
      return Array.from({ length: below(random, 4) }, () => fitting(random, schema.items ?? {}))
    case 'integer':
    case 'number':
      return (schema.minimum ?? 0) + below(random, 5)
    case 'boolean':
      return chance(random, 0.5)
    case 'null':
      return null
    case 'string':
      return pick(random, ['night', 'https://h.example/', 'lead@example.com', 'Europe/Oslo', 'x'.repeat(schema.minLength ?? 12)])
    default:
      return value(random)
  }
}
