import { exceeds, READABLE } from '../net/json-complexity.ts'
import { Unreadable } from './reading.ts'

/** Names and values of a form; tools send a handful. */
const FIELDS_MAX = 10_000

/** The body by its content type: JSON, or a form whose `payload` field may contain the JSON. Lines and other text stay in `raw`. */
export function parseBody(raw: Buffer, contentType: string | undefined): unknown {
  if (raw.length === 0) return undefined
  // A published trigger for Perforce posts a form, and calls it JSON.
  if (isForm(contentType) || raw.toString('latin1', 0, PAYLOAD.length) === PAYLOAD) return readForm(raw)
  refuseTooManyValues(raw)
  if (/ndjson|^text\/plain/i.test(contentType ?? '')) return tryJson(raw.toString('utf8'))
  // Anything that does not start like JSON is not decoded: 25 MB would become twice as much text.
  if (!/^[\s{["\d\-tfn]/.test(raw.toString('latin1', 0, 1))) throw notJson()
  const text = raw.toString('utf8')
  const json = tryJson(text)
  // Several JSON values, one per line, are not a JSON document; providers that expect lines read them from the raw bytes.
  if (json === undefined && !isLines(text)) throw notJson()
  return json
}

const PAYLOAD = 'payload='

const isForm = (contentType: string | undefined) => /^application\/x-www-form-urlencoded/i.test(contentType ?? '')

const notJson = () => new Unreadable('The body is not valid JSON.')

function refuseTooManyValues(raw: Buffer) {
  const { values, depth } = READABLE
  if (exceeds(raw, READABLE)) throw new Unreadable(`The body holds more than ${values} values, or nests deeper than ${depth}.`)
}

function readForm(raw: Buffer): unknown {
  if (!hasAtMost(raw, '&', FIELDS_MAX)) throw new Unreadable(`The form has more than ${FIELDS_MAX} fields.`)
  const fields = Object.fromEntries(new URLSearchParams(raw.toString('utf8')))
  if (fields.payload === undefined) return fields
  // Counted after decoding: every quote of the JSON is encoded, and would count as a value before.
  refuseTooManyValues(Buffer.from(fields.payload))
  const json = tryJson(fields.payload)
  if (json === undefined) throw new Unreadable('The field payload is not valid JSON.')
  return json
}

function hasAtMost(raw: Buffer, sign: string, most: number): boolean {
  let count = 0
  for (let i = raw.indexOf(sign); i !== -1; i = raw.indexOf(sign, i + 1)) if (++count > most) return false
  return true
}

const tryJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Line by line: all of them at once would take many times the memory of the body. */
function isLines(text: string): boolean {
  let count = 0
  for (let begin = 0; begin < text.length; ) {
    const end = text.indexOf('\n', begin)
    const line = text.slice(begin, end === -1 ? undefined : end)
    begin = end === -1 ? text.length : end + 1
    if (line.trim() === '') continue
    if (tryJson(line) === undefined) return false
    count++
  }
  return count > 1
}
