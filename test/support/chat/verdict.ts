/** A vendor's view of a message: why it would be refused, what is shown, and who is notified. */
export interface Verdict {
  violations: string[]
  /** All shown text, as written. */
  text: string
  /** `here`, `everyone`, or a person's id at the vendor. */
  pings: string[]
}

/** A body is unchecked at first. */
// biome-ignore lint/suspicious/noExplicitAny: read like its vendor would, which refuses missing parts
export type Body = any

export type Judge = (body: Body, bytes: number) => Verdict

/** Collects problems. Lengths count UTF-16 units, which are never fewer than code points. */
export function openCase() {
  const violations: string[] = []
  const hold = (holds: unknown, rule: string) => {
    if (!holds) violations.push(rule)
  }
  const length = (text: unknown, name: string, max: number, min = 1) =>
    hold(
      typeof text === 'string' && text.trim().length >= min && text.length <= max && text.isWellFormed(),
      `${name}: a text of ${min} to ${max} characters, not ${typeof text === 'string' ? text.length : typeof text}`,
    )
  const count = (list: unknown, name: string, max: number, min = 0) =>
    hold(Array.isArray(list) && list.length >= min && list.length <= max, `${name}: a list of ${min} to ${max}`)
  const address = (url: unknown, name: string, max = 2048) =>
    hold(typeof url === 'string' && url.length <= max && /^https?:\/\/\S+$/.test(url), `${name}: an address`)
  /** Nothing that reorders or controls, except line breaks. */
  const clean = (text: string) =>
    hold(!/[\0-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text), 'control characters')
  return { violations, hold, length, count, address, clean }
}

export const listOf = (value: unknown): Body[] => (Array.isArray(value) ? value : [])
