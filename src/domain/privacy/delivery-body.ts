import { scrub } from './scrub.ts'

/** A delivery's body as people may see it: addresses reduced, secrets removed, in any format. */

const REMOVED = '[removed]'
const SECRET_WORDS = new Set([
  'token',
  'secret',
  'password',
  'passwd',
  'pwd',
  'passphrase',
  'credential',
  'credentials',
  'authorization',
  'signature',
])
const SECRET_PAIRS = /(?:^|_)(?:api|access|private|signing|secret|auth)_?key$/

/** `apiToken`, `webhook_secret`, `X-Api-Key`: the last word decides. */
export function isSecretName(name: string): boolean {
  const snake = name
    .slice(-100)
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '_')
  return SECRET_WORDS.has(snake.slice(snake.lastIndexOf('_') + 1)) || SECRET_PAIRS.test(snake)
}

/** The beginning of a large body is enough to show. */
export const READ_MAX = 1024 * 1024

export function shownBody(body: Buffer, contentType: string | undefined): string {
  const text = body.subarray(0, READ_MAX).toString('utf8')
  if (/^application\/x-www-form-urlencoded/i.test(contentType ?? '')) return shownForm(text)
  return shownJson(text) ?? shownLines(text) ?? scrub(text)
}

function shownForm(text: string): string {
  const fields = [...new URLSearchParams(text)].map(([name, value]): [string, string] => [
    name,
    isSecretName(name) ? REMOVED : (shownJson(value) ?? scrub(value)),
  ])
  return fields.map(([name, value]) => `${name}=${value}`).join('\n')
}

function shownJson(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? JSON.stringify(cleaned(value)) : undefined
  } catch {
    return undefined
  }
}

function shownLines(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const shown = lines.length > 1 ? lines.map(shownJson) : []
  return shown.length > 0 && !shown.includes(undefined) ? shown.join('\n') : undefined
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return scrub(value)
  if (Array.isArray(value)) return value.map(cleaned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [scrub(name), isSecretName(name) && inner !== null ? REMOVED : cleaned(inner)]),
  )
}
