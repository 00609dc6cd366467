import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { scratch, standIn } from '../../../test/support/stand-in.ts'
import type { Studio } from '../../../test/support/studio.ts'
import { type BranchRoom, branchRoom, openBranchStudio } from '../../../test/support/studios/branch-room.ts'
import { sql } from '../../db/database.ts'
import { readStreams } from '../../intake/providers/perforce/server-streams.ts'
import { allowedHosts } from '../../net/addresses.ts'

const [KIM, ANN] = ['kim@example.com', 'ann@example.com']

let studio: Studio
let room: BranchRoom
const { folder, remove } = scratch()
beforeAll(async () => {
  studio = await openBranchStudio()
})
afterAll(async () => {
  await studio.close()
  remove()
})
beforeEach(async () => {
  room = await branchRoom(studio)
  await studio.db.execute(sql`delete from jobs where kind = 'read_streams'`)
})

const configure = (config: object, streams: readonly string[] | null = null) =>
  studio.db.execute(sql`
    update integrations set config = config || ${JSON.stringify(config)}::jsonb,
      streams = ${streams === null ? null : JSON.stringify(streams.map((path) => ({ path })))}::jsonb
    where project_id = ${room.project} and provider = 'perforce'`)
const build = (number: number, changelist: number, broken?: string, more: object = {}) =>
  room.report({ number, changelist: String(changelist), ...(broken !== undefined && { broken }), ...more })
const settle = async () => {
  for (let round = 0; round < 3; round++) await room.work()
}
const contentsOf = async (id: number) =>
  (await room.api(`/build_runs/${id}/changes`)).json.changes
    .map(({ identifier }: { identifier: string }) => Number(identifier))
    .sort()
const suspectsOf = async (id: number) => {
  const { suspects } = (await room.build(id)).investigation
  const rows = await studio.db.rows<{ identifier: string }>(sql`
    select identifier from changes where id = any (${suspects.map((one: { change_id: number }) => one.change_id)}::bigint[])`)
  return rows.map(({ identifier }) => Number(identifier)).sort()
}

describe('a changelist whose files are on no listed stream', () => {
  test('is neither suspected nor in a build of a listed stream', async () => {
    await configure({ branches: '//game/main, //game/rel-*' })
    await room.submit(100)
    await build(1, 100)
    await room.submit(101, { stream: '//game/feature-y', user: ANN, file: 'src/Whale.c' })
    await room.submit(102, { user: KIM, file: 'src/Whale.h' })
    await room.submit(103, { stream: '//artsource', user: ANN, file: 'src/Whale.c' })
    const failed = await build(2, 103, 'Whale')
    await settle()
    expect(await suspectsOf(failed)).toEqual([102])
    expect(await contentsOf(failed)).toEqual([102])
  })

  test('whose files are not known yet is in the build by time, and names nobody', async () => {
    await configure({ branches: '//game/main' })
    await room.submit(110)
    await build(1, 110)
    await room.perforce({ changelist: 111, user: ANN, description: 'Whale' })
    const failed = await build(2, 111, 'Whale')
    await settle()
    expect(await contentsOf(failed)).toEqual([111])
    expect((await room.build(failed)).investigation).toMatchObject({ attributed_user_id: null, suspects: [] })
  })
})

describe('a stream that the server made today', () => {
  /** A `p4` that lists these streams. */
  const p4 = (streams: readonly string[]) =>
    standIn(
      folder,
      `p4-${Math.random()}`,
      `if (args[2] === 'streams') console.log(${JSON.stringify(streams.map((Stream) => JSON.stringify({ Stream, Type: 'mainline' })).join('\n'))})
       else console.log('{"data":"none"}')`,
    )
  const readFrom = async (streams: readonly string[]) => {
    const jobs = await studio.db.rows<{ payload: never }>(sql`
      with gone as (delete from jobs where kind = 'read_streams' returning payload) select payload from gone`)
    const { db, vault, log } = studio.service
    for (const { payload } of jobs)
      await readStreams({ db, vault, log, allowed: allowedHosts(['127.0.0.1']), p4: p4(streams) }, payload)
    return jobs.length
  }

  test('is read from the server at once, and its changes are no longer suspected or contained elsewhere', async () => {
    await configure({ server: 'ssl:127.0.0.1:1666', user: 'gold', password: 'ticket' }, ['//game/main'])
    await room.submit(200)
    await build(1, 200)
    await room.submit(201, { stream: '//game/feature-x', user: ANN, file: 'src/Whale.c' })
    const failed = await build(2, 201, 'Whale', { branch: '//game/feature-x' })
    await settle()
    expect(await readFrom(['//game/main', '//game/feature-x'])).toBe(1)
    const { json } = await room.api('/changes?limit=5')
    const branchesOf = Object.fromEntries(
      json.changes.map((one: { identifier: string; branches: string[] }) => [one.identifier, one.branches]),
    )
    expect(branchesOf).toEqual({ 200: ['//game/main'], 201: ['//game/feature-x'] })
    await settle()
    expect(await suspectsOf(failed)).toEqual([201])
    // Once more within a minute: the server is not asked again.
    await room.submit(202, { stream: '//artsource', file: 'Rock.fbx' })
    const waiting = await studio.db.one<{ seconds: number }>(sql`
      select extract(epoch from run_at - goldmaster_now())::float8 as seconds from jobs where kind = 'read_streams'`)
    expect(waiting!.seconds).toBeGreaterThan(30)
  })

  test('takes a changelist from the folder that was taken for its stream', async () => {
    await configure({ server: 'ssl:127.0.0.1:1666', user: 'gold', password: 'ticket' })
    await room.submit(210, { stream: '//game/teams/alpha' })
    expect((await room.api('/changes?limit=1')).json.changes[0].branches).toEqual(['//game/teams'])
    expect(await readFrom(['//game/teams/alpha'])).toBe(1)
    expect((await room.api('/changes?limit=1')).json.changes[0].branches).toEqual(['//game/teams/alpha'])
  })
})
