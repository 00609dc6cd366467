import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { moveTimes } from '../../../test/support/aging.ts'
import { openGitHub } from '../../../test/support/history/github.ts'
import { openHistoryStudio, openRoom } from '../../../test/support/history/room.ts'
import { fictionalStudio, type Tool } from '../../../test/support/history/world.ts'
import type { Studio } from '../../../test/support/studio.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import { jobName } from '../../domain/integrations/imports.ts'
import { allowedHosts } from '../../net/addresses.ts'
import { readImport, resumeImports } from './run-import.ts'

const past = fictionalStudio({ commits: 105 })
let studio: Studio
let github: Tool
beforeAll(async () => {
  studio = await openHistoryStudio()
})
beforeEach(async () => {
  github = await openGitHub(past)
})
afterEach(async () => {
  await studio.db.execute(sql`delete from jobs`)
  await github.close()
})
afterAll(() => studio.close())

/** A project whose import has just been started. */
async function room() {
  const made = await openRoom(studio, github)
  const { id, account_id, rows, app } = made
  const started = (await app(`/integrations/${id}/imports`, { method: 'POST', body: { days: 90 } })).json as { id: number }
  const key = { account_id, import_id: started.id }
  const { vault, log } = studio.service
  return {
    ...made,
    import_id: started.id,
    read: () => readImport({ db: studio.db, vault, log, allowed: allowedHosts(['127.0.0.1']) }, key),
    /** As if the last page had been read so many minutes ago. */
    age: (minutes: number) =>
      moveTimes(studio.db, 'imports', ['updated_at'], sql`make_interval(mins => ${-minutes})`, sql`t.id = ${started.id}`),
    jobs: () =>
      rows(
        sql`select id, run_at, extract(epoch from run_at - created_at)::float8 as seconds from jobs where name = ${jobName(started.id)}`,
      ),
    drop: () => rows(sql`delete from jobs where name = ${jobName(started.id)}`),
    all: async () => (await rows(sql`select * from imports where id = ${started.id}`))[0]!,
  }
}

/** Lets the next request for commits wait; `release` answers it as GitHub would have. */
function holdCommits() {
  let held: ServerResponse | undefined
  let path = ''
  github.state.instead = (asked, reply) => {
    if (!asked.endsWith('/commits')) return false
    github.state.instead = undefined
    path = github.calls.at(-1)!
    held = reply
    return true
  }
  return {
    arrived: () => until(() => held !== undefined),
    async release() {
      const answer = await fetch(new URL(path, String(github.config.server)), { headers: { authorization: 'Bearer secret' } })
      held!.writeHead(200, { link: answer.headers.get('link')! }).end(await answer.text())
    },
  }
}

test('a page that two workers read at once counts once', async () => {
  const { read, drop, all, project, rows } = await room()
  await drop()
  const { arrived, release } = holdCommits()
  const late = read()
  await arrived()
  await read()
  await read()
  const before = await all()
  expect(before).toMatchObject({ state: 'running', pages: 2, counts: { changes: { read: 105, added: 105 } } })
  await release()
  await late
  expect(await all()).toEqual(before)
  expect(await rows(sql`select count(*) from changes where project_id = ${project}`)).toEqual([{ count: 105 }])
})

test('an import that is cancelled while a page is read stores nothing more', async () => {
  const { read, drop, all, app, jobs, import_id, project, rows } = await room()
  await drop()
  const { arrived, release } = holdCommits()
  const late = read()
  await arrived()
  expect(await app(`/imports/${import_id}/cancel`, { method: 'POST' })).toMatchObject({ status: 200 })
  const before = await all()
  await release()
  await late
  expect(await all()).toEqual(before)
  expect(await jobs()).toEqual([])
  expect(await rows(sql`select id from changes where project_id = ${project}`)).toEqual([])
})

test('an import whose job was given up is read on after five minutes', async () => {
  const { read, age, drop, jobs, all, work, world } = await room()
  await read()
  await drop()
  await age(4)
  await resumeImports(studio.db)
  expect(await jobs()).toEqual([])
  await age(2)
  await resumeImports(studio.db)
  expect(await jobs()).toHaveLength(1)
  await work()
  expect(await all()).toMatchObject({ state: 'done', counts: { changes: { read: 105, added: 105 } } })
  expect((await world()).changes).toHaveLength(105)
})

test('an import that waits because its tool asks for it is not read earlier', async () => {
  const { read, age, drop, jobs } = await room()
  await drop()
  github.state.instead = (_, reply) => {
    reply.writeHead(403, { 'retry-after': '3000' }).end('{"message":"You have exceeded a secondary rate limit."}')
    return true
  }
  await read()
  const waiting = await jobs()
  expect(waiting).toMatchObject([{ seconds: expect.toSatisfy((seconds) => seconds > 2900 && seconds <= 3000) }])
  await age(20)
  await resumeImports(studio.db)
  expect(await jobs()).toEqual(waiting)
  await drop()
})

test('an import without a job fails if its integration was disabled', async () => {
  const { id, rows, age, drop, jobs, all } = await room()
  await drop()
  await rows(sql`update integrations set active = false where id = ${id}`)
  await age(6)
  await resumeImports(studio.db)
  expect(await jobs()).toEqual([])
  expect(await all()).toMatchObject({ state: 'failed', message: 'The integration is disabled or deleted.' })
})
