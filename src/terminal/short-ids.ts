/** A UUID, or the id of a message, which is one with a prefix. */
const UUID = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-|msg_[0-9a-f]{20})([0-9a-f]{12})$/
const SHORTEST = 8

/** The end of an id: its beginning is the time, which many records share. */
export const isEndOf = (id: string, end: string) => UUID.test(id) && id.replaceAll('-', '').endsWith(end)

/** Whether a text may be the end of an id in a list. */
export const isShortId = (text: string) => /^[0-9a-f]{8,12}$/.test(text)

/** Shortens long ids to as much of their end as distinguishes them; others stay. */
export function shortened(ids: readonly string[]): string[] {
  const ends = ids.map((id) => UUID.exec(id)?.[1])
  const known = new Set(ids)
  for (let length = SHORTEST; length <= 12; length++) {
    const short = new Set([...known].map((id) => UUID.exec(id)?.[1]?.slice(-length) ?? id))
    if (short.size === known.size) return ids.map((id, index) => ends[index]?.slice(-length) ?? id)
  }
  return [...ids]
}
