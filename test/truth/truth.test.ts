import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { BreakageDetail } from '../../src/contract/health-shapes.ts'
import { type Expected, expectedBreakages } from './oracle.ts'
import { openStage, type Player } from './play.ts'
import { type Change, makeWorld } from './world.ts'

/** Random studios against an independent computation. More of them manually: TRUTH_SEEDS=1-200 npx vitest run test/truth */
const [FIRST, LAST] = (process.env.TRUTH_SEEDS ?? '1-4').split('-').map(Number) as [number, number]
/** Worlds that run in parallel in one studio. */
const GROUP = 16

/** Breakages by the builds they hold; a withdrawn one holds none. */
const key = (builds: readonly string[]) => [...builds].sort().join(', ')
const buildsOf = ({ builds }: BreakageDetail) => builds.map(({ ci_job_name, build_number }) => `${ci_job_name} #${build_number}`)

interface Compared {
  expected: Expected
  found: BreakageDetail
}

async function compare(player: Player, where: string): Promise<Compared[]> {
  const expected = expectedBreakages(player.changes, player.reports())
  const found = (await player.breakages()).filter(({ state }) => state !== ('withdrawn' as string))
  const describe = (isFixed: boolean, builds: readonly string[]) => `${isFixed ? 'fixed' : 'broken'}: ${key(builds)}`
  expect(found.map((one) => describe(one.state === 'fixed', buildsOf(one))).sort(), where).toEqual(
    expected.map((one) => describe(one.isFixed, one.builds)).sort(),
  )
  return expected.map((one) => ({ expected: one, found: found.find((each) => key(buildsOf(each)) === key(one.builds))! }))
}

async function checkClaims({ expected, found }: Compared, player: Player, where: string) {
  const about = `${where}, breakage ${found.id} (${key(expected.builds)})`
  const isSteady = !expected.isFlickering && !found.flaky
  if (isSteady && expected.stream !== null) {
    const range = [found.last_good_change?.identifier, found.first_bad_change?.identifier]
    expect(range, `${about}: range`).toEqual([expected.lastGood, expected.firstBad].map((one) => one?.toString()))
  }
  const suspects = await player.changelists(found.suspects.map(({ change_id }) => change_id))
  expect(numbers(expected.suspects), `${about}: suspects`).toEqual(expect.arrayContaining(suspects))
  if (found.state === 'fixed' && found.fixed_by_change !== null)
    expect(numbers(expected.fixers), `${about}: fixed by`).toContain(found.fixed_by_change.identifier)
  // The last message of every room is the state; for a flaky one a room that cannot edit gets one message a day.
  if (isSteady)
    for (const words of player.lastWords(found.id))
      expect(words, `${about}: last word`).toMatch(found.state === 'fixed' ? /Fixed|passing now/ : /Broken|failing now/)
}

const numbers = (changes: readonly Change[]) => changes.map(({ changelist }) => String(changelist))

/** Notified people made a change with evidence against it at that moment, and are notified once per occurrence. */
async function checkTold(player: Player, compared: readonly Compared[], told: Map<number, string>, where: string) {
  for (const { id, person, breakage } of await player.told()) {
    if (told.has(id)) continue
    const about = compared.find(({ found }) => found.id === breakage)
    const once = `${person} of breakage ${breakage}, occurrence ${about?.found.reopened_count}`
    expect(about?.expected.culprits.map(({ author }) => author) ?? [], `${where}: told ${once}`).toContain(person)
    expect([...told.values()], `${where}: told again`).not.toContain(once)
    told.set(id, once)
  }
}

let breakages = 0
afterAll(() => console.info(`${LAST - FIRST + 1} worlds with ${breakages} breakages`))

const groups = Array.from({ length: Math.ceil((LAST - FIRST + 1) / GROUP) }, (_, index) => {
  const first = FIRST + index * GROUP
  return { first, last: Math.min(first + GROUP - 1, LAST) }
})

test.each(groups)('the service agrees with the oracle about worlds $first to $last', async ({ first, last }) => {
  const seeds = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  const stage = await openStage(seeds)
  onTestFinished(() => stage.close())
  const worlds = stage.players.map((player, index) => ({
    player,
    ...makeWorld(seeds[index]!),
    told: new Map<number, string>(),
    done: 0,
  }))
  for (let going = worlds; going.length > 0; going = going.filter(({ done, happenings }) => done < happenings.length)) {
    await Promise.all(
      going.map(async (world) => {
        const { player, happenings, looks, done } = world
        world.done = looks.find((look) => look > done) ?? happenings.length
        for (const happening of happenings.slice(done, world.done)) await player.happen(happening)
      }),
    )
    await stage.settle()
    await Promise.all(
      going.map(async ({ player, seed, happenings, told, done }) => {
        const where = `seed ${seed} after ${done} of ${happenings.length} reports`
        const compared = await compare(player, where)
        for (const one of compared) await checkClaims(one, player, where)
        if (done === happenings.length) breakages += compared.length
        await checkTold(player, compared, told, where)
        expect(await player.wrongDeployments(), where).toBe(0)
      }),
    )
  }
})
