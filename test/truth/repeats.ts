/** When it was, not what it says: the same for a record that is reported again. */
const IS_TIME = /_(at|since|seconds)$|^at$/
/** How an investigation found its result, and its number. */
const IS_PROCEDURE = /^(steps|investigation_id)$/

/** What pages say, as text that can be compared. */
export const textOf = (pages: object) =>
  JSON.stringify(pages, (key, value: unknown) => (IS_TIME.test(key) || IS_PROCEDURE.test(key) ? undefined : value))

/** Where two such texts differ. */
export function differences(before: string, after: string): string[] {
  const found: string[] = []
  const compare = (one: unknown, other: unknown, path: string) => {
    if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object') {
      if (one !== other) found.push(`${path}: ${JSON.stringify(one)} → ${JSON.stringify(other)}`)
      return
    }
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
      compare((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key], `${path}/${key}`)
  }
  compare(JSON.parse(before), JSON.parse(after), '')
  return found
}
