import { DAY, HOUR, MINUTE } from './calendar.ts'
import type { Game } from './game.ts'
import type { Moment } from './history.ts'

/** The release branched off after this share of the story; later only fixes are merged into it. */
const BRANCHED_AT = 0.4
const MERGED_AFTER = 35 * MINUTE
/** How long a change is on main before it is merged. */
const NOT_BEFORE = 3 * HOUR

/** Perforce: files tell by their path which stream they are in, and a changelist is in one stream. */
const hasStreams = ({ main }: Game) => main.startsWith('//')

/** The path of a file, as the version control reports it for a change of this branch. */
export const pathOn = (branch: string, file: string) => (branch.startsWith('//') ? `${branch}/${file}` : file)

/**
 * Every fix on main since the release branched off is merged into it shortly after. Before that, a release stream gets the work of each day
 * in one merge; a git branch has it anyway.
 */
export function withMerges(game: Game, moments: readonly Moment[], now: number): Moment[] {
  const branched = Math.floor(moments.length * BRANCHED_AT)
  const fixes = moments
    .slice(branched)
    .filter(({ at, mends }) => mends && jobBranch(game, mends.job) === game.main && at < now - NOT_BEFORE)
  const days = hasStreams(game) ? daysOf(moments.slice(0, branched).filter((moment) => !isOfRelease(game, moment))) : []
  const merges = [...days, ...fixes.map((fix) => [fix])].map(mergeOf)
  return [...moments, ...merges].sort((a, b) => a.at - b.at)
}

const daysOf = (moments: readonly Moment[]): Moment[][] => [
  ...moments
    .reduce((days, moment) => {
      const day = Math.floor(moment.at / DAY)
      return days.set(day, [...(days.get(day) ?? []), moment])
    }, new Map<number, Moment[]>())
    .values(),
]

const mergeOf = (merges: readonly Moment[]): Moment => ({
  at: merges.at(-1)!.at + MERGED_AFTER,
  work: { by: ['bram'], text: merges[0]!.work.text, files: [...new Set(merges.flatMap(({ work }) => work.files))] },
  merges,
})

const jobBranch = (game: Game, job: string) => game.jobs.find(({ name }) => name === job)!.branch

const isOfRelease = (game: Game, { mends }: Moment) => mends !== undefined && jobBranch(game, mends.job) !== game.main

/**
 * The branches of each change: main has all but merges; the release has the merges and the fixes of its own jobs, and a git branch also what
 * was on main before it branched off.
 */
export function branchesOf(game: Game, moments: readonly Moment[]): string[][] {
  const releases = [...new Set(game.jobs.map(({ branch }) => branch))].filter((branch) => branch !== game.main)
  const own = moments.filter(({ merges }) => !merges)
  const branched = own[Math.floor(own.length * BRANCHED_AT)]!.at
  return moments.map((moment) => {
    if (moment.merges) return releases
    if (hasStreams(game)) return isOfRelease(game, moment) ? releases : [game.main]
    const incident = moment.broken ?? moment.mends
    const isReleased = moment.at < branched || (incident !== undefined && jobBranch(game, incident.job) !== game.main)
    return isReleased ? [game.main, ...releases] : [game.main]
  })
}
