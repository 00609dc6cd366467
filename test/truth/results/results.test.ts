import { expect, onTestFinished, test } from 'vitest'
import { expectedBranch, inOrder } from '../branch-oracle.ts'
import { groupsOf, PATIENCE_MS } from '../groups.ts'
import { differences } from '../repeats.ts'
import { branchesOf, openStage } from '../stage.ts'
import { expectedRuns, verdictsOf } from './oracle.ts'
import { openTestPlayer, type TestPlayer } from './play.ts'
import { STREAMS } from './world.ts'

async function check(player: TestPlayer, told: Set<number>, where: string) {
  const { world, changes, quarantined } = player
  const expected = expectedRuns(world, changes, player.reports(), quarantined)
  const pages = await player.pages()
  const authors = (changelists: readonly number[]) =>
    changes.flatMap(({ changelist, author }) => (changelists.includes(changelist) ? [author] : []))
  for (const run of expected) {
    const about = `${where}, build ${run.number}`
    const { tests, person, suspects } = pages.find(({ number }) => number === run.number)!
    expect(tests.verdict, `${about}: verdict`).toBe(run.verdict)
    if (run.counts) expect(tests, about).toMatchObject(run.counts)
    const states = new Map(tests.failures.map((failure: { name: string; state: string }) => [failure.name, failure.state]))
    for (const { name, state } of run.failures)
      if (state !== null) expect(states.get(name), `${about}: state of ${name}`).toBe(state)
    expect(run.suspects, `${about}: suspects`).toEqual(expect.arrayContaining(suspects))
    if (person !== null) expect(authors(run.suspects), `${about}: person`).toContain(person)
  }
  const branches = STREAMS.flatMap((name) => {
    const own = expected.filter(({ stream }) => stream === name)
    const changelists = changes.filter(({ stream }) => stream === name).map(({ changelist }) => changelist)
    return expectedBranch(name, changelists, verdictsOf(own)) ?? []
  })
  expect(branchesOf(await player.branches()), `${where}: branches`).toEqual(branches)
  // What tests broke is mended when they pass, whatever the gate makes of their failures.
  const isBroken = (branch: string | null) => {
    const newest = expected
      .filter(({ stream }) => stream === branch)
      .toSorted(inOrder)
      .at(-1)
    return newest !== undefined && (newest.verdict === 'failed' || newest.failures.length > 0)
  }
  for (const { branch, cause, state } of await player.breakages())
    if (state === 'open') expect(isBroken(branch), `${where}: the breakage of ${branch}, ${cause}, is open`).toBe(true)
  for (const { state, name } of branches) {
    const open = (await player.breakages()).filter((one) => one.state === 'open' && one.branch === name)
    if (state === 'red') expect(open.length, `${where}: open breakages of ${name}`).toBeGreaterThan(0)
  }
  const anybody = authors(expected.flatMap((run) => run.suspects))
  for (const { id, person } of await player.told()) {
    if (!told.has(id)) expect(anybody, `${where}: told ${person}`).toContain(person)
    told.add(id)
  }
}

test.each(groupsOf('1-6'))(
  'the service agrees with the oracle about test results of worlds $first to $last',
  { timeout: PATIENCE_MS },
  async ({ seeds }) => {
    const stage = await openStage(seeds, openTestPlayer)
    onTestFinished(() => stage.close())
    const worlds = stage.players.map((player) => ({ player, told: new Set<number>(), done: 0, ...player.world }))
    const settle = async () => {
      await stage.settle()
      await Promise.all(worlds.map(({ player }) => player.catchUp()))
      await stage.settle()
    }
    for (let going = worlds; going.length > 0; going = going.filter(({ done, happenings }) => done < happenings.length)) {
      await Promise.all(
        going.map(async (world) => {
          const { player, happenings, looks, done } = world
          world.done = looks.find((look) => look > done) ?? happenings.length
          for (const happening of happenings.slice(done, world.done)) await player.happen(happening)
        }),
      )
      await settle()
      await Promise.all(
        going.map(({ player, seed, regime, gate, told, done, happenings }) =>
          check(player, told, `seed ${seed}, ${regime}, gate ${gate}, after ${done} of ${happenings.length} reports`),
        ),
      )
    }
    const before = await Promise.all(worlds.map(({ player }) => player.everything()))
    await Promise.all(worlds.map(({ player }) => player.repeat()))
    await settle()
    const after = await Promise.all(worlds.map(({ player }) => player.everything()))
    for (const [index, { seed, regime }] of worlds.entries())
      expect(differences(before[index]!, after[index]!), `seed ${seed}, ${regime}: all reports once more`).toEqual([])
  },
)
