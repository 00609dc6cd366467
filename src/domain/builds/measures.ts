/** A named number of a build: the bytes of a package, the seconds of a cook. */
export interface Measure {
  name: string
  value: number
  unit: string | null
  platform: string | null
}

/** As stored in the column: a later measure replaces the one with the same name and platform. */
export const byName = (measures: readonly Measure[]): Record<string, Measure> =>
  Object.fromEntries(measures.map((one) => [JSON.stringify([one.name, one.platform]), one]))
