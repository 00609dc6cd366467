import { CONFIGURATIONS, type Configuration, type SizedBuild, type SizedChange } from './world.ts'

/** What must be true of the alerts of budgets, from all that was reported so far. */

const placeOf = (changes: readonly SizedChange[], { changelist }: SizedBuild) =>
  Math.max(0, ...changes.filter((one) => one.changelist <= changelist).map((one) => one.changelist))

/** Whether the newest sizes are over the budget: the middle one of three; of fewer the smallest. Null if one size alone is known. */
export function isOver(
  changes: readonly SizedChange[],
  builds: readonly SizedBuild[],
  configuration: Configuration,
): boolean | null {
  const own = builds
    .filter((build) => build.configuration === configuration)
    .toSorted((a, b) => placeOf(changes, a) - placeOf(changes, b) || a.number - b.number)
  const newest = own.slice(-3).map(({ bytes }) => bytes)
  if (newest.length < 2) return null
  const level = newest.length < 3 ? Math.min(...newest) : newest.toSorted((a, b) => a - b)[1]!
  return level > CONFIGURATIONS[configuration].allowed
}

/** The changes between two builds. */
export const between = (changes: readonly SizedChange[], since: SizedBuild, first: SizedBuild): SizedChange[] =>
  changes.filter(({ changelist }) => changelist > placeOf(changes, since) && changelist <= placeOf(changes, first))
