/** How people read a value of a closed set. The API keeps the value; screens, emails and chat show the label. */
export interface Term {
  /** In sentence case. */
  label: string
  /** What it means, as a sentence or a phrase that can follow the label. */
  description?: string
  /** For values that are nouns. */
  plural?: string
}

/** A table for a whole set: a new member does not compile without its label. */
export const terms = <V extends string>(table: Record<V, Term>) => table

/** Labels without a description or a plural. */
export const labels = <V extends string>(table: Record<V, string>) =>
  Object.fromEntries(Object.entries<string>(table).map(([value, label]) => [value, { label }])) as Record<V, Term>
