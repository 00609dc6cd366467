import { expect, onTestFinished, test } from 'vitest'
import type { BreakageDetail } from '../../src/contract/health-shapes.ts'
import { type Expected, expectedBreakages } from './oracle.ts'
import { openStage, type Stage } from './play.ts'
import { type Change, makeWorld } from './world.ts'

/** Random studios against an independent reckoning. More of them by hand: TRUTH_SEEDS=1-200 npx vitest run test/truth */
const [FIRST, LAST] = (process.env.TRUTH_SEEDS ?? '1-10').split('-').map(Number) as [number, number]
/** How many reports come between two looks. */
const STEP = 9

/** Breakages by the builds they hold; a withdrawn one holds none. */
const key = (builds: readonly string[]) => [...builds].sort().join(', ')
const buildsOf = ({ builds }: BreakageDetail) => builds.map(({ ci_job_name, build_number }) => `${ci_job_name} #${build_number}`)

interface Compared {
  expected: Expected
  found: BreakageDetail
}

async function compare(stage: Stage, where: string): Promise<Compared[]> {
  const expected = expectedBreakages(stage.changes, stage.reports())
  const found = (await stage.breakages()).filter(({ state }) => state !== ('withdrawn' as string))
  const describe = (isFixed: boolean, builds: readonly string[]) => `${isFixed ? 'fixed' : 'broken'}: ${key(builds)}`
  expect(found.map((one) => describe(one.state === 'fixed', buildsOf(one))).sort(), where).toEqual(
    expected.map((one) => describe(one.isFixed, one.builds)).sort(),
  )
  return expected.map((one) => ({ expected: one, found: found.find((each) => key(buildsOf(each)) === key(one.builds))! }))
}

async function checkClaims({ expected, found }: Compared, stage: Stage, where: string) {
  const about = `${where}, breakage ${found.id} (${key(expected.builds)})`
  const isSteady = !expected.isFlickering && !found.flaky
  if (isSteady && expected.stream !== null) {
    const range = [found.last_good_change?.identifier, found.first_bad_change?.identifier]
    expect(range, `${about}: range`).toEqual([expected.lastGood, expected.firstBad].map((one) => one?.toString()))
  }
  const suspects = await stage.changelists(found.suspects.map(({ change_id }) => change_id))
  expect(numbers(expected.suspects), `${about}: suspects`).toEqual(expect.arrayContaining(suspects))
  if (found.state === 'fixed' && found.fixed_by_change !== null)
    expect(numbers(expected.fixers), `${about}: fixed by`).toContain(found.fixed_by_change.identifier)
  // The last word of every room is the state; of one that comes and goes a room that cannot edit hears once a day.
  if (isSteady)
    for (const words of stage.lastWords(found.id))
      expect(words, `${about}: last word`).toMatch(found.state === 'fixed' ? /Fixed|passing now/ : /Broken|broken now/)
}

const numbers = (changes: readonly Change[]) => changes.map(({ changelist }) => String(changelist))

/** Whoever is told in person made a change that there is evidence against at that moment, and is told once of each occurrence. */
async function checkTold(stage: Stage, compared: readonly Compared[], told: Map<number, string>, where: string) {
  for (const { id, person, breakage } of await stage.told()) {
    if (told.has(id)) continue
    const about = compared.find(({ found }) => found.id === breakage)
    const once = `${person} of breakage ${breakage}, occurrence ${about?.found.reopened_count}`
    expect(about?.expected.culprits.map(({ author }) => author) ?? [], `${where}: told ${once}`).toContain(person)
    expect([...told.values()], `${where}: told again`).not.toContain(once)
    told.set(id, once)
  }
}

const seeds = Array.from({ length: LAST - FIRST + 1 }, (_, index) => FIRST + index)

test.each(seeds)('the service agrees with the oracle about world %i', async (seed) => {
  const { happenings } = makeWorld(seed)
  const stage = await openStage(seed)
  onTestFinished(() => stage.close())
  const told = new Map<number, string>()
  for (let done = 0; done < happenings.length; done += STEP) {
    for (const happening of happenings.slice(done, done + STEP)) await stage.happen(happening)
    await stage.settle()
    const where = `seed ${seed} after ${Math.min(done + STEP, happenings.length)} of ${happenings.length} reports`
    const compared = await compare(stage, where)
    for (const one of compared) await checkClaims(one, stage, where)
    await checkTold(stage, compared, told, where)
    expect(await stage.wrongDeployments(), where).toBe(0)
  }
})
