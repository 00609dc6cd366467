import type { Investigation } from './shapes.ts'

type Suspect = Investigation['suspects'][number]

/** How much more suspect than the next. */
const LEAD = 1.2

/** Whom lists and messages name: the same as `named_suspect` in the database, to which a test holds it. */
export const namedSuspect = ([first, next]: readonly Suspect[]): Suspect | undefined =>
  first && first.reasons.length > 0 && first.score >= LEAD * (next?.score ?? 0) ? first : undefined
