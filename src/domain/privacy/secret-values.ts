import { isReference } from './secret-arguments.ts'
import { SECRET } from './secret-shapes.ts'

/** Credentials after a name that gives them away: `password=…`, `"apiToken": "…"`, `--api-key …`, `?X-Amz-Signature=…`. */

/** Names whose value is always a credential. */
const STRONG = 'pass(?:word|wd|phrase|code)|[_-]pass|pwd|client_?secret|secret_?(?:access_?)?key'
/** Names that also occur in prose and in code: `unexpected token: else`. */
const WEAK =
  'secret|token|(?:api|access|account|private|signing|shared|auth|encryption|service|license)[_-]?key|authorization|credentials?|signature|hmac|jwt|ticket|cookie|session_?id|hdnt[sl]|hdnea|(?<=[_?&])auth|(?<=[?&;])(?:sig|key|sas)'
/** A substring of every name, in lower case. */
export const NEAR_NAMES =
  'passw passp passc _pass -pass pwd secret token key authorization credential signature hmac jwt ticket cookie sessionid session_id hdnts hdntl hdnea _auth ?auth &auth ?sig &sig ;sig ?sas &sas ;sas bearer basic'.split(
    ' ',
  )
const NAME = new RegExp(
  `((${STRONG})|${WEAK})(?:(\\\\{0,3}["'\`])?\\]?[ \\t]{0,3}(=>|:=|=|:|%3d)([ \\t]{0,3})|([ \\t]{1,3}))(\\\\{0,3}["'\`])?`,
  'gi',
)
const SCHEME =
  /(?:basic|bearer|digest|token|negotiate|ntlm|apikey|oauth|hawk|hmac|signature|sharedkey(?:lite)?|aws4-hmac-sha256)[ \t]+/iy
const BARE_SCHEME = /\b(?:bearer|basic)[ \t]{1,3}/gi

const NOTHING = /^(?:null|nil|none|undefined|true|false|\[secret\]|\[removed\]|\*+)$/i
const PATH = /^(?:[/~.]|[A-Za-z]:[\\/])/
/** How much of a value is needed to judge it. */
const JUDGED = 64

const isEnd = (code: number) =>
  // White space, quotes, and what separates pairs: & , ; < >
  code <= 32 ||
  code === 34 ||
  code === 39 ||
  code === 96 ||
  code === 38 ||
  code === 44 ||
  code === 59 ||
  code === 60 ||
  code === 62

/** The end of the value that starts here, within its quotes if it has any; reads no further than `most`. */
function endOf(text: string, from: number, most: number, open?: string): number {
  let at = from
  if (open !== undefined) {
    // Escaped quotes contain no further escapes.
    const escapes = open.length === 1
    while (at < text.length && at - from < most && text[at] !== open.at(-1) && text[at] !== '\n')
      at += escapes && text[at] === '\\' ? 2 : 1
    at = Math.min(at, text.length)
    return escapes ? at : withoutEscape(text, from, at)
  }
  while (at < text.length && at - from < most && !isEnd(text.charCodeAt(at)) && !text.startsWith('%26', at)) at++
  return withoutEscape(text, from, at)
}

/** The backslashes before a quote belong to it. */
function withoutEscape(text: string, from: number, end: number): number {
  let at = end
  while (at > from && text[at - 1] === '\\' && /["'`]/.test(text[end] ?? '')) at--
  return at
}

const endOfLine = (text: string, from: number): number => {
  let at = from
  while (at < text.length && !/[\r\n"'`\\]/.test(text[at]!)) at++
  return at
}

const looksRandom = (value: string, least = 8) => value.length >= least && /\d/.test(value) && /[A-Za-z]/.test(value)

/**
 * The name, whether it is a strong one, the closing quote, the separator after it; or the space after a flag; the opening quote of the
 * value.
 */
type Named = [
  whole: string,
  name: string,
  strong?: string,
  quote?: string,
  sign?: string,
  space?: string,
  flag?: string,
  open?: string,
]

function isCredential(text: string, at: number, value: string, [, name, strong, quote, sign, space, flag]: Named): boolean {
  if (value === '' || NOTHING.test(value) || value.startsWith('=')) return false
  // `PWD=/home/build` is the working directory of a shell.
  if (name.toLowerCase() === 'pwd' && PATH.test(value)) return false
  // After a space it is the value of a flag, or prose.
  if (flag !== undefined) return isFlag(text, at) && !value.startsWith('-') && !isReference(value)
  if (strong !== undefined || quote !== undefined || sign?.toLowerCase() === '%3d') return true
  if (isParameter(text, at)) return name.toLowerCase() !== 'key' || value.length >= 20
  if (sign === '=' && space === '') return value.length >= 4 && !value.includes('(')
  return looksRandom(value) && !value.includes('(')
}

/** Whether the word that ends in a name at this offset starts with a dash: `--db-password`. */
function isFlag(text: string, at: number): boolean {
  let from = at
  while (from > 0 && at - from < 40 && /[\w-]/.test(text[from - 1]!)) from--
  return text[from] === '-' && /[\s"'`]/.test(text[from - 1] ?? ' ')
}

/** Whether the word that ends in a name at this offset is a parameter of a URL: `?X-Amz-Signature=`. */
function isParameter(text: string, at: number): boolean {
  let from = at
  while (from > 0 && at - from < 40 && /[\w-]/.test(text[from - 1]!)) from--
  return /[?&;]/.test(text[from - 1] ?? '')
}

/** Removes the values of names that sound like a credential. */
export function redactValues(text: string): string {
  let out = ''
  let copied = 0
  const cut = (from: number, to: number) => {
    out += text.slice(copied, from) + SECRET
    copied = to
  }
  NAME.lastIndex = 0
  for (let found = NAME.exec(text); found !== null; found = NAME.exec(text)) {
    const named = found as unknown as Named
    const [, name, , , , , flag, open] = named
    const from = NAME.lastIndex
    const whole = flag === undefined ? wholeLine(text, from, name) : -1
    if (whole > from && text.slice(from, whole) !== SECRET) {
      cut(from, whole)
      NAME.lastIndex = whole
      continue
    }
    const judged = text.slice(from, endOf(text, from, JUDGED, open))
    if (isCredential(text, found.index, judged, named)) {
      const end = endOf(text, from, Number.POSITIVE_INFINITY, open)
      cut(from, end)
      NAME.lastIndex = end
    } else NAME.lastIndex = flag === undefined ? from : found.index + name.length
  }
  return redactSchemes(copied === 0 ? text : out + text.slice(copied))
}

/** A cookie, or credentials after their scheme, extend to the end of the line; -1 if there are none. */
function wholeLine(text: string, from: number, name: string): number {
  if (/^cookie$/i.test(name)) return endOfLine(text, from)
  if (!/^authorization$/i.test(name)) return -1
  SCHEME.lastIndex = from
  return SCHEME.test(text) ? endOfLine(text, from) : -1
}

/** `Bearer …` without its header name. */
const redactSchemes = (text: string): string => {
  let out = ''
  let copied = 0
  BARE_SCHEME.lastIndex = 0
  for (let found = BARE_SCHEME.exec(text); found !== null; found = BARE_SCHEME.exec(text)) {
    const from = BARE_SCHEME.lastIndex
    if (!looksRandom(text.slice(from, endOf(text, from, JUDGED)), 16)) continue
    const end = endOf(text, from, Number.POSITIVE_INFINITY)
    out += text.slice(copied, from) + SECRET
    copied = end
    BARE_SCHEME.lastIndex = end
  }
  return copied === 0 ? text : out + text.slice(copied)
}
