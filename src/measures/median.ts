/** The middle value; of an even number of values the mean of the middle two, as `percentile_cont(0.5)`. Null without values. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  if (sorted.length % 2 === 1) return sorted[middle]!
  return sorted.length === 0 ? null : (sorted[middle - 1]! + sorted[middle]!) / 2
}
