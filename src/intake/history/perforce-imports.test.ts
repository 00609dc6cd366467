import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openPerforce, type PerforceTool } from '../../../test/support/history/perforce.ts'
import { openHistoryStudio, openRoom } from '../../../test/support/history/room.ts'
import { fictionalStudio } from '../../../test/support/history/world.ts'
import type { Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'
import { within } from '../../net/budget.ts'
import { depotPaths, history } from '../providers/perforce/history.ts'
import { servers } from '../providers/servers.ts'
import type { Asked, HistoryReply } from './history.ts'
import { startNightlyLooks } from './start-import.ts'

let studio: Studio
let p4: PerforceTool
const world = fictionalStudio()
const { commits } = world
beforeAll(async () => {
  studio = await openHistoryStudio()
  p4 = openPerforce(world, 'everything')
})
afterEach(() => {
  for (const command of ['changes', 'describe', 'property', 'streams']) p4.instead(command, undefined)
})
afterAll(async () => {
  p4.close()
  await studio.close()
})

const room = (config: object = {}) => openRoom(studio, { ...p4, config: { ...p4.config, ...config } })

test('a preview counts the changelists below the depot paths, and says why they cannot be read', async () => {
  const preview = async (config: object, days = 31) => {
    const { app, id } = await room(config)
    return (await app(`/integrations/${id}/import_preview?days_back=${days}`)).json
  }
  expect(await preview({})).toEqual({
    days: 31,
    parts: [{ name: 'changes', needs: 'list access to the depot paths', count: 25, problem: null }],
    minutes: 1,
    problem: null,
  })
  expect(await preview({ depot_paths: '//game/main/..., //other/...' })).toMatchObject({ parts: [{ count: 26 }] })
  expect(await preview({ depot_paths: '' })).toMatchObject({ problem: 'Enter "Depot paths" under Server access first.' })
  for (const depot_paths of ['-i', '//game/...@1,@2', '//game/main#head', 'game'])
    expect((await preview({ depot_paths })).problem).toContain('Depot paths must look like //game/main/...')
  expect((await preview({ password: 'expired' })).parts[0].problem).toBe(
    'Perforce refuses "p4 changes": Perforce password (P4PASSWD) invalid or unset. Check the settings under Server access.',
  )
})

test('changelists of another depot path, pending ones and older ones are not imported', async () => {
  const { import: load, world } = await room()
  expect(await load(31)).toMatchObject({ state: 'done', counts: { changes: { read: 25, added: 25 } } })
  const { line } = await world()
  expect(line).toEqual(commits.map((commit) => p4.identifierOf!(commit)))
  const both = await room({ depot_paths: '//other\n//game/main/...' })
  expect(await both.import(31)).toMatchObject({ counts: { changes: { read: 26, added: 26 } } })
  // The server's zone is behind: it would leave out the first hours.
  const last = await room()
  await last.import(30)
  const since = new Date(Date.now() - 30 * 86_400_000).toISOString()
  const young = commits.filter(({ date }) => date > since)
  expect(young.length).toBeGreaterThan(20)
  expect(young.length).toBeLessThan(25)
  expect((await last.world()).changes).toHaveLength(young.length)
})

test('an undo keeps what the trigger reported, and a night finds what it lost', async () => {
  const { push, import: load, app, world, work, id, rows } = await room()
  await push(commits.slice(20))
  await work()
  const { id: made } = await load(31)
  await push(commits.slice(10, 15))
  await work()
  await app(`/imports/${made}/undo`, { method: 'POST' })
  await work()
  const kept = [...commits.slice(10, 15), ...commits.slice(20)].map((commit) => p4.identifierOf!(commit))
  expect((await world()).line).toEqual(kept)
  // A changelist of yesterday.
  const { date } = commits[24]!
  commits[24]!.date = new Date(Math.floor(Date.now() / 1000) * 1000 - 86_400_000).toISOString()
  const young = openPerforce({ ...world, commits } as never, 'everything')
  try {
    const late = await openRoom(studio, young)
    await rows(sql`update integrations set active = id = ${late.id}`)
    for (let nights = 0; nights < 2; nights++) {
      await startNightlyLooks(studio.db)
      await late.work()
    }
    expect((await late.world()).line).toEqual([p4.identifierOf!(commits[24]!)])
    expect(await rows(sql`select counts from imports where integration_id = ${late.id}`)).toEqual([
      { counts: { changes: { read: 1, added: 1 } } },
    ])
    expect(await late.noise()).toMatchObject({ outbox: [] })
  } finally {
    commits[24]!.date = date
    young.close()
    await rows(sql`update integrations set active = true where id = ${id}`)
  }
})

test('a number that was only shelved when a build named it is filled in once it is submitted', async () => {
  const { tell, work, import: load, rows, project, world } = await room()
  await tell({ body: { changelist: 1003, user: 'ann', description: 'Shelf', files: ['//game/main/a.c'] } })
  await work()
  expect(await rows(sql`update changes set pending = true where project_id = ${project} returning identifier`)).toHaveLength(1)
  await load(31)
  expect((await world()).changes.find(({ identifier }) => identifier === '1003')).toMatchObject({ description: 'Work 3' })
  expect(await rows(sql`select pending from changes where project_id = ${project} and pending`)).toEqual([])
})

describe('odd output', () => {
  const broken = '{"data":"//game/... - must refer to client\\n","generic":2,"severity":3}\n'

  test('of a server that refuses ends the import with the reason', async () => {
    const { import: load, app, id } = await room()
    p4.instead('changes', broken)
    expect(await app(`/integrations/${id}/imports`, { method: 'POST', body: { days: 31 } })).toMatchObject({
      status: 422,
      json: { message: expect.stringContaining('must refer to client') },
    })
    p4.instead('changes', undefined)
    p4.instead('describe', broken)
    expect(await load(31)).toMatchObject({ state: 'failed', message: expect.stringContaining('p4 describe') })
  })

  test('stores nothing wrong: no numbers, other numbers, pending ones, no lines, endless pages', async () => {
    const { import: load, world } = await room()
    for (const output of [
      '',
      'Perforce db files are locked\n[1,2]\nnull\n"x"\n',
      '{"change":"default"}\n{"change":"-1"}\n{"change":"1e9"}\n',
    ]) {
      p4.instead('changes', output)
      expect(await load(31)).toMatchObject({ state: 'done', counts: { changes: { read: 0 } } })
    }
    // Every page is the same one.
    const time = String(Math.floor(Date.now() / 1000))
    p4.instead('changes', Array.from({ length: 100 }, (_, at) => `{"change":"${500 + at}","time":"${time}"}\n`).join(''))
    p4.instead(
      'describe',
      `{"change":"77","user":"eve","time":"${time}"}\n{"change":"500","status":"pending","time":"${time}"}\n`,
    )
    expect(await load(31)).toMatchObject({ state: 'done', counts: { changes: { read: 198, added: 99 } } })
    const { changes, line } = await world()
    expect(changes.map(({ identifier }) => identifier)).not.toContain('77')
    expect(changes[0]).toMatchObject({ identifier: '501', author: '', files: null })
    expect(line).toEqual([])
  })

  test('that is too long for a group is requested for each changelist alone; one that is still too long has no files', async () => {
    const asked = { cursor: {}, since: '2026-01-01T00:00:00.000Z', config: p4.config, about: {}, jobs: [] } as unknown as Asked
    const part = history.parts[0]!
    const listed = [1003, 1002].map((change) => ({ change: String(change), user: 'ann', time: '1790000000', desc: 'Large' }))
    const reply = (details: [string, unknown][]): HistoryReply => ({ headers: {}, body: listed, details: new Map(details) })
    const several = 'describe\n-s\n1003\n1002'
    expect(part.details!(reply([]), asked).map(({ path }) => path)).toEqual([several])
    expect(part.details!(reply([[several, []]]), asked).map(({ path }) => path)).toEqual([
      several,
      'describe\n-s\n1003',
      'describe\n-s\n1002',
    ])
    const described = { ...listed[0], depotFile0: '//game/main/a.c', action0: 'add' }
    const { facts } = part.read(
      reply([
        [several, []],
        ['describe\n-s\n1003', [described]],
        ['describe\n-s\n1002', []],
      ]),
      asked,
    )
    expect(facts).toMatchObject([
      { identifier: '1003', files: [{ path: '//game/main/a.c', action: 'add' }] },
      { identifier: '1002', author: 'ann', description: 'Large', files: null },
    ])
    // 17 MB of two changelists, and of one.
    p4.instead('describe', `${JSON.stringify({ ...described, desc: 'x'.repeat(17 * 1024 * 1024) })}\n`)
    const send = (path: string) => servers.perforce.transport.send(path, { config: p4.config, allowed: () => true })
    expect(await send(several)).toEqual([])
    expect(await send('describe\n-s\n1003')).toMatchObject([{ change: '1003' }])
    // More than the page has left; a smaller one still fits.
    await within({ bytes: 64 * 1024 * 1024, values: 300_000, pages: 10, seconds: 600 }, async () => {
      p4.instead('describe', `${JSON.stringify(described).slice(0, -1)}${',"type":"text"'.repeat(310_000)}}\n`)
      expect(await send('describe\n-s\n1003')).toEqual([])
      p4.instead('describe', `${JSON.stringify(described)}\n`)
      expect(await send('describe\n-s\n1003')).toMatchObject([{ change: '1003' }])
    })
  })
})

test('depot paths are those of p4, whatever their end', () => {
  expect(depotPaths({ depot_paths: ' //game/main,//game/rel-*/...\n//My Depot/a b/ ,' })).toEqual([
    '//game/main/...',
    '//game/rel-*/...',
    '//My Depot/a b/...',
  ])
})
