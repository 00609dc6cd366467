import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import {
  breakageRoom,
  brokenLog,
  DISK_FULL,
  openBreakageStudio,
  type Reported,
} from '../../../test/support/studios/breakage-room.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())

const JOBS = ['Cook', 'Test', 'Pack']
const BRANCHES = ['main', 'dev']
/** Possible causes; the last one is an infrastructure failure. */
const CAUSES = ['part3', 'part8', 'disk'] as const
type Cause = (typeof CAUSES)[number]

interface Build {
  job: string
  branch: string
  at: number
  /** Null: it passed. */
  cause: Cause | null
}

const build: fc.Arbitrary<Build> = fc.record({
  job: fc.constantFrom(...JOBS),
  branch: fc.constantFrom(...BRANCHES),
  at: fc.integer({ min: 1, max: 20 }),
  cause: fc.option(fc.constantFrom(...CAUSES), { freq: 2 }),
})

/** In any order: builds take any time, and reports are repeated and late. */
const history = fc
  .uniqueArray(build, { minLength: 4, maxLength: 14, selector: ({ job, branch, at }) => `${job} ${branch} ${at}` })
  .map((builds) => builds.map((one, number) => ({ ...one, number: number + 1 })))
type Numbered = Build & { number: number }

const reported = ({ job, branch, at, number, cause }: Numbered): Reported => ({
  job,
  branch,
  number,
  at,
  // Later changes are built later, whenever they are reported.
  minute: at,
  ...(cause === null ? { status: 'success' as const } : { log: cause === 'disk' ? DISK_FULL : brokenLog(cause) }),
})

/** The reference implementation: every cause separately, every build of every job it hit. */
function expected(builds: readonly Numbered[]) {
  const keys = new Set(
    builds.flatMap(({ cause, branch }) => (cause === null ? [] : [cause === 'disk' ? cause : `${cause} ${branch}`])),
  )
  return [...keys]
    .map((key) => {
      const isIts = ({ cause, branch }: Numbered) => cause !== null && (cause === 'disk' ? cause : `${cause} ${branch}`) === key
      const failures = builds.filter(isIts)
      const places = new Set(failures.map(({ job, branch }) => `${job} ${branch}`))
      const passes = builds.filter(({ cause, job, branch }) => cause === null && places.has(`${job} ${branch}`))
      const isMended = (place: string) => {
        const last = Math.max(...failures.filter(({ job, branch }) => `${job} ${branch}` === place).map(({ at }) => at))
        return passes.some(({ job, branch, at }) => `${job} ${branch}` === place && at > last)
      }
      const first = firstOfNewest(failures, passes)
      const good = passes.map(({ at }) => at).filter((at) => at < first)
      return {
        builds: failures.map(({ number }) => number).sort((a, b) => a - b),
        fixed: [...places].every(isMended),
        // Infrastructure failures are on no branch, so there is no range.
        range: key === 'disk' ? [undefined, undefined] : [good.length > 0 ? `c${Math.max(...good)}` : undefined, `c${first}`],
      }
    })
    .sort((a, b) => a.builds[0]! - b.builds[0]!)
}

/** Change by change: once all affected jobs have passed, the next failure starts a new occurrence. */
function firstOfNewest(failures: readonly Numbered[], passes: readonly Numbered[]) {
  const red = new Set<string>()
  let first = 0
  for (const change of Array.from({ length: 20 }, (_, i) => i + 1)) {
    const failing = failures.filter(({ at }) => at === change)
    if (failing.length > 0 && red.size === 0) first = change
    for (const { job, branch } of failing) red.add(`${job} ${branch}`)
    for (const { job, branch } of passes.filter(({ at }) => at === change)) red.delete(`${job} ${branch}`)
  }
  return first
}

test('breakages follow from the builds, in whatever order they are reported', async () => {
  let breakages = 0
  await fc.assert(
    fc.asyncProperty(history, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 3, maxLength: 3 }), async (builds, steps) => {
      const room = await breakageRoom(studio)
      const ids = new Map<string, number>()
      let done = 0
      for (const step of [...steps, builds.length]) {
        const now = builds.slice(done, done + step)
        done += now.length
        for (const one of now) ids.set(String(await room.report(reported(one))), one.number)
        await room.work()
        const found = (await room.breakages()).map(({ state, builds, last_good_change, first_bad_change }) => ({
          builds: builds.map(({ id }) => ids.get(id)!).sort((a, b) => a - b),
          fixed: state === 'fixed',
          range: [last_good_change?.identifier, first_bad_change?.identifier],
        }))
        breakages += found.length
        expect(found.sort((a, b) => a.builds[0]! - b.builds[0]!)).toEqual(expected(builds.slice(0, done)))
      }
    }),
    { numRuns: 30, seed: 20_261_115, endOnFailure: true },
  )
  expect(breakages).toBeGreaterThan(100)
  // Thirty studios: on a busy machine they take longer than a hang may.
}, 900_000)
