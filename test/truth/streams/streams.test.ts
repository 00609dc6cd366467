import { afterAll, expect, onTestFinished, test } from 'vitest'
import { sql } from '../../../src/db/database.ts'
import { readStreams } from '../../../src/intake/providers/perforce/server-streams.ts'
import { allowedHosts } from '../../../src/net/addresses.ts'
import { scratch, standIn } from '../../support/stand-in.ts'
import type { Studio } from '../../support/studio.ts'
import { checkBranches, checkClaims, compare } from '../checks.ts'
import { groupsOf, PATIENCE_MS } from '../groups.ts'
import { type Player, playerOf } from '../play.ts'
import { differences } from '../repeats.ts'
import { openStage } from '../stage.ts'
import { MAIN, makeStreamWorld, NEW } from './world.ts'

const { folder, remove } = scratch()
afterAll(remove)

/** A `p4` that lists these streams. */
const p4 = (streams: readonly string[]) =>
  standIn(
    folder,
    `p4-${streams.length}`,
    `if (args[2] === 'streams') console.log(${JSON.stringify(streams.map((Stream) => JSON.stringify({ Stream, Type: 'mainline' })).join('\n'))})
     else console.log('{"data":"none"}')`,
  )
const [BEFORE, AFTER] = [p4([MAIN]), p4([MAIN, NEW])]

interface StreamPlayer extends Player {
  /** The depot's server answers what the service asks it. */
  answer(isMade: boolean): Promise<void>
}

async function openStreamPlayer(
  studio: Studio,
  ...[vendors, seed]: [Parameters<typeof playerOf>[1], number]
): Promise<StreamPlayer> {
  const player = await playerOf(studio, vendors, seed, { server: 'ssl:127.0.0.1:1666', user: 'gold', password: 'ticket' })
  const { db, vault, log } = studio.service
  await db.execute(sql`
    update integrations set streams = ${JSON.stringify([{ path: MAIN }])}::jsonb
    where project_id = ${player.project} and provider = 'perforce'`)
  return {
    ...player,
    async answer(isMade) {
      const jobs = await db.rows<{ payload: never }>(sql`
        with gone as (
          delete from jobs j where kind = 'read_streams' and run_at <= goldmaster_now()
            and exists (select from integrations i where i.project_id = ${player.project} and i.id = (j.payload ->> 'integration_id')::bigint)
          returning payload)
        select payload from gone`)
      for (const { payload } of jobs)
        await readStreams({ db, vault, log, allowed: allowedHosts(['127.0.0.1']), p4: isMade ? AFTER : BEFORE }, payload)
    },
  }
}

/** Only changes of the stream of a build that are not above its changelist are in it or suspected, and only their authors are named. */
async function checkForeign(player: StreamPlayer, where: string) {
  const reports = player.reports()
  for (const { builds, flaky, reopened_count } of await player.breakages()) {
    const members = builds.map(({ ci_job_name, build_number }) => `${ci_job_name} #${build_number}`)
    for (const { id, ci_job_name, build_number } of builds) {
      const { build } = reports.find((one) => one.build.job === ci_job_name && String(one.build.number) === build_number)!
      const own = player.changes.filter(({ stream, changelist }) => stream === build.stream && changelist <= build.changelist)
      const about = `${where}: ${build.job} #${build.number} at ${build.changelist}`
      const [{ person, suspects }, contents] = [await player.pageOf(id), await player.contentsOf(id)]
      const numbers = own.map(({ changelist }) => changelist)
      expect(numbers, `${about}: suspects`).toEqual(expect.arrayContaining(suspects.map(Number)))
      if (person !== null)
        expect(
          own.map(({ author }) => author),
          `${about}: person`,
        ).toContain(person)
      expect(numbers, `${about}: contents`).toEqual(expect.arrayContaining(contents))
    }
    const isBoth = reports.some(
      ({ build }) =>
        build.cause === null &&
        reports.some(({ build: failed }) => {
          const isMember = members.includes(`${failed.job} #${failed.number}`)
          return isMember && failed.job === build.job && failed.changelist === build.changelist
        }),
    )
    if (flaky) expect(isBoth || reopened_count > 1, `${where}: flaky breakage of ${members}`).toBe(true)
  }
  const people = reports.flatMap(({ build }) =>
    player.changes.flatMap(({ stream, author }) => (build.cause !== null && stream === build.stream ? [author] : [])),
  )
  for (const { person } of await player.told()) expect(people, `${where}: told`).toContain(person)
}

test.each(groupsOf('1-6'))(
  'changes of foreign streams are in no answer in worlds $first to $last',
  { timeout: PATIENCE_MS },
  async ({ seeds }) => {
    const stage = await openStage(seeds, openStreamPlayer)
    onTestFinished(() => stage.close())
    const worlds = stage.players.map((player, index) => ({ player, ...makeStreamWorld(seeds[index]!), done: 0 }))
    const settle = async () => {
      for (let round = 0; round < 2; round++) {
        await stage.settle()
        await Promise.all(worlds.map(({ player, done, made }) => player.answer(done >= made)))
      }
      await stage.settle()
    }
    for (let going = worlds; going.length > 0; going = going.filter(({ done, happenings }) => done < happenings.length)) {
      await Promise.all(
        going.map(async (world) => {
          const { player, happenings, looks, made, done } = world
          // The server is not asked about a stream before it exists.
          world.done = Math.min(...[...looks, made, happenings.length].filter((look) => look > done))
          for (const happening of happenings.slice(done, world.done)) await player.happen(happening)
        }),
      )
      await settle()
      for (const { player, seed, regime, done, happenings } of going)
        await checkForeign(player, `seed ${seed}, ${regime}, after ${done} of ${happenings.length} reports`)
    }
    for (const { player, seed, regime } of worlds) {
      const where = `seed ${seed}, ${regime}, at the end`
      for (const one of await compare(player, where)) await checkClaims(one, player, where)
      await checkBranches(player, [NEW, MAIN], where)
    }
    const before = await Promise.all(worlds.map(({ player }) => player.everything()))
    await Promise.all(worlds.map(({ player }) => player.repeat()))
    await settle()
    const after = await Promise.all(worlds.map(({ player }) => player.everything()))
    for (const [index, { seed, regime }] of worlds.entries())
      expect(differences(before[index]!, after[index]!), `seed ${seed}, ${regime}: all reports once more`).toEqual([])
  },
)
