/** What a vendor makes of a message: why it would not take it, what is read there, and who is pinged by it. */
export interface Verdict {
  violations: string[]
  /** Everything that is shown, as it was written. */
  text: string
  /** `here`, `everyone`, or what the vendor calls somebody. */
  pings: string[]
}

/** A body is anything until it was looked at. */
// biome-ignore lint/suspicious/noExplicitAny: read the way its owner would, who refuses what is not there
export type Body = any

export type Judge = (body: Body, bytes: number) => Verdict

/** Collects what is wrong. Lengths count UTF-16 units, which is more than code points and never less. */
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
  /** Nothing that reorders or controls, but lines. */
  const clean = (text: string) =>
    hold(!/[\0-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text), 'control characters')
  return { violations, hold, length, count, address, clean }
}

export const listOf = (value: unknown): Body[] => (Array.isArray(value) ? value : [])
