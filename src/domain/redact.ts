import { sanitizeText } from './sanitize.ts'

/** Things that open doors, in the shapes tools give them; what is left of a line still tells why a build failed. */
const SECRETS: readonly [pattern: RegExp, shown: string][] = [
  [/-----BEGIN [A-Z ]{1,40}-----[\s\S]{0,8000}?(?:-----END [A-Z ]{1,40}-----|$)/g, '[key]'],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk-|whsec_|AKIA|ASIA|eyJ)[A-Za-z0-9_.=+/-]{12,500}/g, '[secret]'],
  [
    /((?:password|passwd|pwd|secret|token|api[_-]?key|authorization|bearer)["']?\s{0,3}[:= ]\s{0,3}["']?)[^\s"',;]{4,500}/gi,
    '$1[secret]',
  ],
  [/(\w{2,20}:\/\/[^\s:@/]{0,100}:)[^\s@/]{1,200}@/g, '$1[secret]@'],
  [/\b[0-9a-f]{48,}\b/gi, '[secret]'],
]

/** A text that may be shown to a machine outside: no address, nothing that opens a door. */
export const redact = (text: string): string =>
  sanitizeText(SECRETS.reduce((shown, [pattern, to]) => shown.replace(pattern, to), text))
