import { Unreadable } from './facts.ts'

/** The body as its type says: JSON, or a form whose `payload` field may hold the JSON. Lines and other text stay with `raw`. */
export function readBody(raw: Buffer, contentType: string | undefined): unknown {
  if (raw.length === 0) return undefined
  const text = raw.toString('utf8')
  if (/^application\/x-www-form-urlencoded/i.test(contentType ?? '')) return readForm(text)
  if (/ndjson|^text\/plain/i.test(contentType ?? '')) return tryJson(text)
  const json = tryJson(text)
  // Several JSON values, one a line, are no JSON document; who expects lines reads them from the raw bytes.
  if (json === undefined && !isLines(text)) throw new Unreadable('The body is not valid JSON.')
  return json
}

function readForm(text: string): unknown {
  const fields = Object.fromEntries(new URLSearchParams(text))
  if (fields.payload === undefined) return fields
  const json = tryJson(fields.payload)
  if (json === undefined) throw new Unreadable('The field payload is not valid JSON.')
  return json
}

const tryJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isLines = (text: string) => {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.length > 1 && lines.every((line) => tryJson(line) !== undefined)
}
