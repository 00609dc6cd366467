import { at, objects, text, word } from '../../reading.ts'

export const isItem = (id: string | undefined): id is string => id !== undefined && /^\d{1,20}$/.test(id)

/** A priority is a column of the same type, so the column's name decides. */
export const isStatus = (id: unknown, title: unknown) => id === 'status' || /status/i.test(text(title) ?? '')

/** The first person in the value of a people column. */
export function personIn(value: unknown): string | null {
  const people = objects(at(value, 'personsAndTeams')).filter((one) => at(one, 'kind') === 'person')
  return word(at(people[0], 'id')) ?? null
}
