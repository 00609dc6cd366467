import { expect } from 'vitest'
import type { BreakageDetail } from '../../src/contract/health-shapes.ts'
import { expectedBranch } from './branch-oracle.ts'
import { type Expected, expectedBreakages, nameOf, newIn, positionOf } from './oracle.ts'
import type { Player } from './play.ts'
import { branchesOf } from './stage.ts'
import type { Change } from './world.ts'

/** Breakages by the builds they hold; a withdrawn one holds none. */
const key = (builds: readonly string[]) => [...builds].sort().join(', ')
const buildsOf = ({ builds }: BreakageDetail) => builds.map(({ ci_job_name, build_number }) => `${ci_job_name} #${build_number}`)

export interface Compared {
  expected: Expected
  found: BreakageDetail
}

export async function compare(player: Player, where: string): Promise<Compared[]> {
  const expected = expectedBreakages(player.changes, player.reports())
  const found = (await player.breakages()).filter(({ state }) => state !== ('withdrawn' as string))
  const describe = (isFixed: boolean, builds: readonly string[]) => `${isFixed ? 'fixed' : 'broken'}: ${key(builds)}`
  expect(found.map((one) => describe(one.state === 'fixed', buildsOf(one))).sort(), where).toEqual(
    expected.map((one) => describe(one.isFixed, one.builds)).sort(),
  )
  return expected.map((one) => ({ expected: one, found: found.find((each) => key(buildsOf(each)) === key(one.builds))! }))
}

export async function checkClaims({ expected, found }: Compared, player: Player, where: string) {
  const about = `${where}, breakage ${found.id} (${key(expected.builds)})`
  // Both outcomes at one changelist that the builds name, or a cause that came back twice.
  if (found.flaky) expect(expected.isFlickering || found.reopened_count > 1, `${about}: flaky`).toBe(true)
  const isSteady = !expected.isFlickering && !found.flaky
  if (isSteady && expected.stream !== null) {
    const range = [found.last_good_change?.identifier, found.first_bad_change?.identifier]
    expect(range, `${about}: range`).toEqual([expected.lastGood, expected.firstBad].map((one) => one?.toString()))
  }
  const suspects = await player.changelists(found.suspects.map(({ change_id }) => change_id))
  expect(numbers(expected.suspects), `${about}: suspects`).toEqual(expect.arrayContaining(suspects))
  await checkPages({ expected, found }, player, about)
  if (found.state === 'fixed' && found.fixed_by_change !== null)
    expect(numbers(expected.fixers), `${about}: fixed by`).toContain(found.fixed_by_change.identifier)
  // The last message of every room is the state; for a flaky one a room that cannot edit gets one message a day.
  if (isSteady)
    for (const words of player.lastWords(found.id))
      expect(words, `${about}: last word`).toMatch(found.state === 'fixed' ? /Fixed|passing now/ : /Broken|failing now/)
}

/** The builds of the newest occurrence name nobody but a possible culprit, and the same suspects as the breakage. */
async function checkPages({ expected, found }: Compared, player: Player, about: string) {
  const suspects = (await player.changelists(found.suspects.map(({ change_id }) => change_id))).sort()
  for (const { id, ci_job_name, build_number, downstream } of found.builds) {
    const page = await player.pageOf(id)
    const where = `${about}: page of ${ci_job_name} #${build_number}`
    if (!expected.newest.includes(`${ci_job_name} #${build_number}`)) continue
    expect(page.suspects.sort(), `${where}: suspects`).toEqual(downstream ? [] : suspects)
    if (page.person !== null)
      expect(
        expected.suspects.map(({ author }) => author),
        `${where}: person`,
      ).toContain(page.person)
  }
}

export async function checkBranches(player: Player, streams: readonly string[], where: string) {
  const { changes } = player
  const expected = streams.flatMap((name) => {
    const changelists = changes.filter(({ stream }) => stream === name).map(({ changelist }) => changelist)
    const builds = player.reports().filter(({ build }) => build.stream === name && !build.isPreflight)
    const verdicts = builds.map(({ build, arrival }) => ({
      job: build.job,
      ciJob: build.ciJob,
      number: build.number,
      arrival,
      position: positionOf(changes, build),
      passed: build.cause === null,
    }))
    return expectedBranch(name, changelists, verdicts) ?? []
  })
  expect(branchesOf(await player.branches()), `${where}: branches`).toEqual(expected)
}

/** Every build says what is new in it. */
export async function checkContents(player: Player, where: string) {
  const ids = await player.builds()
  for (const one of player.reports().filter(({ build }) => !build.isPreflight)) {
    const expected = newIn(player.changes, player.reports(), one)
    if (expected === null) continue
    const found = await player.contentsOf(ids.get(nameOf(one.build))!)
    const inOrder = (list: number[]) => list.toSorted((a, b) => a - b)
    expect(inOrder(found), `${where}: contents of ${nameOf(one.build)}`).toEqual(inOrder(expected))
  }
}

export const numbers = (changes: readonly Change[]) => changes.map(({ changelist }) => String(changelist))
