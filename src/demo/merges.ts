import { HOUR, MINUTE } from './calendar.ts'
import type { Game } from './game.ts'
import type { Moment } from './history.ts'

/** The release branched off after this share of the story; later only fixes are merged into it. */
const BRANCHED_AT = 0.4
const MERGED_AFTER = 35 * MINUTE
/** How long a change is on main before it is merged. */
const NOT_BEFORE = 3 * HOUR

const MAIN = 'main'

/** Every fix on main since the release branched off is merged into it shortly after. */
export function withMerges(game: Game, moments: readonly Moment[], now: number): Moment[] {
  const branched = Math.floor(moments.length * BRANCHED_AT)
  const merges = moments
    .slice(branched)
    .filter(({ at, mends }) => mends && jobBranch(game, mends.job) === MAIN && at < now - NOT_BEFORE)
    .map((merges): Moment => ({ at: merges.at + MERGED_AFTER, work: { ...merges.work, by: ['bram'] }, merges }))
  return [...moments, ...merges].sort((a, b) => a.at - b.at)
}

const jobBranch = (game: Game, job: string) => game.jobs.find(({ name }) => name === job)!.branch

/**
 * The branches of each change: main has all but merges; the release has the changes from before it branched off, merges, and its own
 * breakages.
 */
export function branchesOf(game: Game, moments: readonly Moment[]): string[][] {
  const releases = [...new Set(game.jobs.map(({ branch }) => branch))].filter((branch) => branch !== MAIN)
  const own = moments.filter(({ merges }) => !merges)
  const branched = own[Math.floor(own.length * BRANCHED_AT)]!.at
  return moments.map(({ at, merges, broken, mends }) => {
    if (merges) return releases
    const incident = broken ?? mends
    const isReleased = at < branched || (incident !== undefined && jobBranch(game, incident.job) !== MAIN)
    return isReleased ? [MAIN, ...releases] : [MAIN]
  })
}
