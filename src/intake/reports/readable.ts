import type { Fact } from '../facts.ts'
import { type Json, Unreadable } from '../reading.ts'

/** The facts of every record; one that can't be read is left out. */
export const factsOf = (records: readonly Json[], read: (record: Json) => Fact[]): Fact[] =>
  records.flatMap((record) => {
    try {
      return read(record)
    } catch (error) {
      if (error instanceof Unreadable) return []
      throw error
    }
  })
