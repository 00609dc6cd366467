import { rewriteNear } from './near-lines.ts'
import { isReference } from './secret-arguments.ts'
import { SECRET } from './secret-shapes.ts'

/** Credentials after a name that gives them away: `password=…`, `"apiToken": "…"`, `--api-key …`, `?X-Amz-Signature=…`. */

/** Names whose value is always a credential. */
const STRONG =
  'pass(?:word|wd|phrase|code)|[_-]pass|pwd|client_?secret|secret_?(?:access_?)?key|private_?exponent|steamloginsecure|(?:db|user|admin|root|ssh|ftp|smtp|mail|svn|git|key|store)pass'
/** Names that also occur in prose and in code: `unexpected token: else`. */
const WEAK =
  'secret|token|(?:api|access|account|private|signing|shared|auth|encryption|service|license|aes)[_-]?key|authorization|credentials?|signature|hmac|jwt|ticket|cookie|session_?id|hdnt[sl]|hdnea|(?<=[_?&])auth|(?<=[?&;])(?:sig|key|sas)'
/** Names that mostly mean something else: a pass of a renderer or of a test. */
const VAGUE = '(?<![a-z])(?:pass|pw)|_pat|(?<=["\'])auth'
/** A substring of every name, in lower case. */
export const NEAR_NAMES =
  'passw passp passc _pass -pass pass= pass" pass\' pass\\ pass: $pass pwd pw= pw" pw\' pw\\ pw: $pw _pat= _pat" _pat: "auth \'auth exponent secret token key authorization credential signature hmac jwt ticket cookie sessionid session_id loginsecure hdnts hdntl hdnea _auth ?auth &auth ?sig &sig ;sig ?sas &sas ;sas bearer basic'.split(
    ' ',
  )
/** `TOKEN_PROD`, `password2`, `X-Hub-Signature-256`. */
const SUFFIX = '(?:[_-]?(?:\\d{1,3}|value|text|plain|base64|b64|prod|production|staging|dev|test|live|ci|ed25519))?'
/** The value is an attribute or a field of its own: `key="Password" value="…"`, `"name": "TOKEN", "value": "…"`. */
const NEXT_FIELD = '\\\\{0,3}["\'],?[ \\t]{0,3}\\\\{0,3}["\']?value\\\\{0,3}["\']?[ \\t]{0,3}[=:]'
/** `</key><string>`, `PASSWORD;issecret=true]`, and the end of an element's name: only an adjacent end tag makes it one. */
const MARKUP =
  '</key>\\s{0,20}<string>|</name>\\s{0,20}<value>|;is[sS]ecret=true[\\w;=]{0,40}\\]|(?:[ \\t][\\w:-]{1,30}=["\'][^"\'<>\\n]{0,60}["\']){1,3}>|\\\\{0,3}["\']?>'
const NAME = new RegExp(
  `((${STRONG})|${WEAK}|(${VAGUE}))${SUFFIX}(?:(?:(${NEXT_FIELD}|${MARKUP})|(\\\\{0,3}["'\`])?\\]?[ \\t]{0,3}(=>|:=|::|=|:|%3d))([ \\t]{0,3})|(\\\\{0,3}["'])?([ \\t]{1,9}))(\\\\{0,3}["'\`])?`,
  'gi',
)
const SCHEME =
  /(?:basic|bearer|digest|token|bot|key|geniekey|splunk|dpop|sso-key|negotiate|ntlm|apikey|oauth|hawk|hmac|signature|sharedkey(?:lite)?|aws4-hmac-sha256)[ \t]+/iy
const BARE_SCHEME = /\b(?:bearer|basic)[ \t]{1,3}/gi

/** Empty, masked by the tool that wrote it, or the beginning of a structure. */
const NOTHING =
  /^(?:null|nil|none|undefined|true|false|yes|no|\[secret\]|\[removed\]|\[secure\]|\[masked\]|\[filtered\]|\[\w{0,8}|(?:\w{1,20}_)?redacted.{0,60}|\*{3}.*|\*+|x{3,}|\d{1,2}|[{([]+|Some\(|-)$/i
/** The name of a variable that has it: `server-password: GITHUB_TOKEN`. */
const VARIABLE = /^[A-Z]+(?:_[A-Z]+)+$/
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
 * The name, whether it is a strong or a vague one; markup after it, or the closing quote and the separator; the space after them; or the
 * quote and the space after a flag; the opening quote of the value.
 */
type Named = [
  whole: string,
  name: string,
  strong?: string,
  vague?: string,
  markup?: string,
  quote?: string,
  sign?: string,
  space?: string,
  flagQuote?: string,
  flag?: string,
  open?: string,
]

/** Names that end in one of ours and are no credential: of an assembly, of a library. */
const PUBLIC = /(?:publickey|jsonweb)$/i

function isCredential(text: string, at: number, value: string, named: Named): boolean {
  const [, name, strong, vague, markup, quote, sign, space, flagQuote, flag, open] = named
  if (value === '' || NOTHING.test(value) || value.startsWith('=') || isReference(value)) return false
  if (PUBLIC.test(text.slice(Math.max(0, at - 9), at))) return false
  // `PWD=/home/build` is the working directory of a shell.
  if (name.toLowerCase() === 'pwd' && PATH.test(value)) return false
  if (markup !== undefined) return true
  if (vague !== undefined) return isVagueCredential(text, at, value, named)
  // `"Password" "…"`: a line of Valve's format.
  if (flagQuote !== undefined) return open !== undefined && (strong !== undefined || looksRandom(value))
  // `storePassword '…'` of Gradle.
  if (flag !== undefined && open !== undefined && strong !== undefined && /[a-z][A-Z]/.test(text.slice(at - 1, at + 1)))
    return true
  // After a space it is the value of a flag, or prose.
  if (flag !== undefined) return isFlag(text, at) && !value.startsWith('-')
  // `("Password:")`: the quote closes a text that ends in the name.
  if (sign === ':' && quote === undefined && space === '' && open !== undefined && open === text[at - 1]) return false
  if (sign !== '=' && VARIABLE.test(value)) return false
  // `sshpass: command not found`, `erl_pass:translate/2`.
  if (sign === ':' && quote === undefined && open === undefined && /pass$/i.test(name)) return /^[_-]/.test(name) && space !== ''
  if (strong !== undefined) return true
  if (quote !== undefined || sign?.toLowerCase() === '%3d') return true
  if (isParameter(text, at)) return name.toLowerCase() !== 'key' || value.length >= 20
  if (sign === '=' && space === '') return value.length >= 4 && !value.includes('(')
  return looksRandom(value) && !value.includes('(') && (!/^signature$/i.test(name) || /[-_]/.test(text[at - 1] ?? ''))
}

/** `SSHPASS=`, `$pw = '…'`, `user=kim pass=…`, the `"auth"` of Docker. */
function isVagueCredential(
  text: string,
  at: number,
  value: string,
  [, name, , , , quote, sign, space, , flag, open]: Named,
): boolean {
  if (flag !== undefined) return false
  if (/^auth$/i.test(name)) return quote !== undefined && /^[A-Za-z0-9+/_-]{11,}={0,2}$/.test(value) && looksRandom(value)
  if (/^_pat$/i.test(name)) return sign !== undefined && looksRandom(value, 10)
  const before = text.slice(Math.max(0, at - 60), at)
  if (before.endsWith('$')) return open !== undefined
  if (quote !== undefined && open !== undefined) return looksRandom(value, 6)
  if (sign !== '=' || space !== '') return false
  // In capitals it is a variable, which can end in this name.
  return name === 'PASS' || /\b(?:user|username|login|usr)[=:]/i.test(before) || looksRandom(value, 6)
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
function redactNamed(text: string): string {
  let out = ''
  let copied = 0
  const cut = (from: number, to: number) => {
    out += text.slice(copied, from) + SECRET
    copied = to
  }
  NAME.lastIndex = 0
  for (let found = NAME.exec(text); found !== null; found = NAME.exec(text)) {
    const named = found as unknown as Named
    const [, name, , , markup, , , , , flag, open] = named
    const from = NAME.lastIndex
    const whole = markup?.endsWith('>') ? endOfElement(text, from) : flag === undefined ? wholeLine(text, from, name) : -1
    if (whole > from && text.slice(from, whole) !== SECRET) {
      cut(from, whole)
      NAME.lastIndex = whole
      continue
    }
    const judged = text.slice(from, endOf(text, from, JUDGED, open))
    if (!markup?.endsWith('>') && isCredential(text, found.index, judged, named)) {
      const end = endOf(text, from, Number.POSITIVE_INFINITY, open)
      cut(from, end)
      NAME.lastIndex = end
    } else NAME.lastIndex = flag === undefined ? from : found.index + name.length
  }
  return redactSchemes(copied === 0 ? text : out + text.slice(copied))
}

export const redactValues = rewriteNear(NEAR_NAMES, redactNamed)

/** The text of an element ends at an end tag; -1 if there is none, or if the text is no credential. */
function endOfElement(text: string, from: number): number {
  ELEMENT.lastIndex = from
  const value = ELEMENT.exec(text)?.[0]
  return value === undefined || NOTHING.test(value) || isReference(value) ? -1 : ELEMENT.lastIndex
}
const ELEMENT = /[^<>\n]{1,300}(?=<\\?\/)/y

/** A cookie, or credentials after their scheme, extend to the end of the line; -1 if there are none. */
function wholeLine(text: string, from: number, name: string): number {
  if (/^cookie$/i.test(name)) return endOfLine(text, from)
  if (!/^authorization$/i.test(name)) return -1
  SCHEME.lastIndex = from
  if (!SCHEME.test(text) || text[SCHEME.lastIndex] === '*') return -1
  return endOfLine(text, from)
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
