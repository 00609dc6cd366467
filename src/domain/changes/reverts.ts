/** A change's identifier and description. */
interface Described {
  identifier: string
  description: string
}

const REVERTED =
  /\bThis reverts (?:commit|changelist|change) ([0-9a-f]{7,40}|\d+)|\b(?:back(?:ed|ing)?[ -]?out|undo(?:ne|ing)?|revert(?:s|ed|ing)?)(?: of)?\b[^\n]{0,40}?(?:\b(?:CL|changelist|change|changes)[ #:]{0,2}|@|commit )([0-9a-f]{7,40}\b|\d+)/i
const PICKED = /\(cherry picked from (?:commit|changelist|change) ([0-9a-f]{7,40}|\d+)\)/gi

/** The change that this one reverts. */
export const revertedBy = ({ description }: Described): string | undefined => {
  const [, commit, number] = REVERTED.exec(description.slice(0, 4_000)) ?? []
  return commit ?? number
}

/** The names of this change: its own, and those of the changes it was cherry-picked from. */
const namesOf = ({ identifier, description }: Described): string[] => [
  identifier,
  ...[...description.slice(0, 4_000).matchAll(PICKED)].map(([, name]) => name!),
]

/** A commit may be abbreviated. */
export const isName = (name: string, asked: string) =>
  name === asked || (asked.length >= 7 && /[a-f]/.test(asked) && name.startsWith(asked))

/** Drops a change together with its revert; a reverted revert leaves the first change. Newest first. */
export function withoutReverts<C extends Described>(changes: readonly C[]): C[] {
  const gone = new Set<C>()
  const names = changes.map(namesOf)
  changes.forEach((change, at) => {
    const asked = gone.has(change) ? undefined : revertedBy(change)
    if (asked === undefined) return
    const isTaken = (older: C, place: number) =>
      place > at && !gone.has(older) && names[place]!.some((name) => isName(name, asked))
    const taken = changes.find(isTaken)
    if (taken) gone.add(change).add(taken)
  })
  return changes.filter((change) => !gone.has(change))
}
