import { afterAll, expect, onTestFinished, test } from 'vitest'
import { type Compared, checkBranches, checkClaims, checkContents, compare } from './checks.ts'
import { groupsOf, PATIENCE_MS } from './groups.ts'
import { openPlayer, type Player } from './play.ts'
import { differences } from './repeats.ts'
import { openStage } from './stage.ts'
import { makeWorld, STREAMS } from './world.ts'

/** Random studios against an independent computation. */

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

let [ended, breakages] = [0, 0]
afterAll(() => console.info(`${ended} worlds with ${breakages} breakages`))

test.each(groupsOf('1-6'))(
  'the service agrees with the oracle about worlds $first to $last',
  { timeout: PATIENCE_MS },
  async ({ seeds }) => {
    const stage = await openStage(seeds, openPlayer)
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
        going.map(async ({ player, seed, regime, happenings, told, done }) => {
          const where = `seed ${seed}, ${regime}, after ${done} of ${happenings.length} reports`
          const compared = await compare(player, where)
          for (const one of compared) await checkClaims(one, player, where)
          if (done === happenings.length) {
            await checkContents(player, where)
            ended++
            breakages += compared.length
          }
          await checkTold(player, compared, told, where)
          await checkBranches(player, STREAMS, where)
          expect(await player.wrongDeployments(), where).toBe(0)
        }),
      )
    }
    const before = await Promise.all(worlds.map(({ player }) => player.everything()))
    await Promise.all(worlds.map(({ player }) => player.repeat()))
    await stage.settle()
    const after = await Promise.all(worlds.map(({ player }) => player.everything()))
    for (const [index, { seed, regime }] of worlds.entries())
      expect(differences(before[index]!, after[index]!), `seed ${seed}, ${regime}: all reports once more`).toEqual([])
  },
)
