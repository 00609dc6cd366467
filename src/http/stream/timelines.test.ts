import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { withDatabase } from '../../../test/setup.ts'
import { listen, titlesOf } from '../../../test/support/callers/listening.ts'
import { createDatabase, isOnSeveralServers, type TestDatabase } from '../../../test/support/database.ts'
import { openUnsteadyWay } from '../../../test/support/servers/unsteady.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { until } from '../../../test/support/until.ts'
import { SCOPES } from '../../contract/sets.ts'
import { type Database, openDatabase, sql } from '../../db/database.ts'
import { sequenceAll } from '../../domain/feed/sequencer.ts'

const WORLD = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
  users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
  projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
  tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
}

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(WORLD)
})
afterAll(() => studio.close())

const follow = (lastId?: number, { site }: { site: string } = studio, { tokens } = studio.world) =>
  listen({ site, token: tokens.kim!.token, ...(lastId === undefined ? {} : { lastId }) })

const happen = (db: Database, titles: string[], { accounts, projects } = studio.world) =>
  db.execute(sql`
    insert into tasks (account_id, project_id, title)
    select ${accounts.owl!.id}, ${projects.star!.id}, title from unnest(${titles}::text[]) with ordinality t (title, place) order by place`)

const onServer = async (text: string) => {
  const client = new pg.Client({ connectionString: inject('server') })
  await client.connect()
  await client.query(text).finally(() => client.end())
}

/** Opens another database next to the studio's: an existing one, or a copy of it, like a backup. */
async function openDatabaseNamed(name: string, copyOf?: string): Promise<TestDatabase> {
  if (copyOf) await onServer(`create database ${name} template ${copyOf}`)
  const url = withDatabase(inject('server'), name)
  const db = openDatabase(url, { max: 4 })
  return { db, url, drop: () => db.close().then(() => onServer(`drop database ${name} with (force)`)) }
}

test('events from before the first client have a position, and the first client starts at the end', async () => {
  await happen(
    studio.db,
    Array.from({ length: 2_500 }, (_, i) => `old ${i}`),
  )
  const first = await follow()
  expect(await studio.db.execute(sql`select from outbox where position is null`)).toBe(0)
  await happen(studio.db, ['new'])
  await first.until(1)
  expect(titlesOf(first.events)).toEqual(['new'])
  first.stop()
})

// A backup of several servers is not the copy of one database.
test.skipIf(isOnSeveralServers())('readers of a lost timeline miss nothing of the new one, and are told to reload', async () => {
  const first = await createDatabase()
  const { world, close } = await openStudio(WORLD, { beside: first })
  await happen(first.db, ['before'], world)
  await sequenceAll(first.db)
  const { name } = (await first.db.one<{ name: string }>(sql`select current_database() as name`))!
  await close()
  await first.db.close()
  const backup = await openDatabaseNamed(`goldmaster_test_${randomBytes(6).toString('hex')}`, name)

  const doomed = await openDatabaseNamed(name)
  const old = await openStudio({}, { beside: doomed })
  const reader = await follow(undefined, old, world)
  await happen(doomed.db, ['lost 1', 'lost 2', 'lost 3'], world)
  await reader.until(3)
  reader.stop()
  await old.close()
  await doomed.drop()

  const next = await openStudio({}, { beside: backup })
  const names = ['survives 1', 'survives 2', 'survives 3', 'survives 4']
  await happen(backup.db, names, world)
  await sequenceAll(backup.db)
  const back = await follow(reader.events.at(-1)!.position, next, world)
  await back.until(names.length)
  expect(titlesOf(back.events)).toEqual(names)
  expect(back.resets()).toBe(1)
  const again = await follow(back.events.at(-1)!.position, next, world)
  await happen(backup.db, ['later'], world)
  await Promise.all([back.until(names.length + 1), again.until(1)])
  expect(titlesOf(again.events)).toEqual(['later'])
  expect([back.resets(), again.resets()]).toEqual([1, 0])
  back.stop()
  again.stop()
  await next.close()
  await backup.drop()
})

test('an open stream whose database goes back in time gets a reload event and misses nothing afterwards', async () => {
  const heard = await follow()
  await happen(studio.db, ['one', 'two', 'three'])
  await heard.until(3)
  // As a failover leaves it: the last two events are lost, and so is the knowledge of their positions.
  const [first] = heard.events
  await studio.db.transaction(async (db) => {
    await db.execute(sql`delete from outbox where position > ${first!.position}`)
    await db.execute(sql`update outbox_heads set position = ${first!.position}, identity = 'the primary before'`)
  })
  await happen(studio.db, ['four', 'five', 'six'])
  await heard.until(6)
  expect(titlesOf(heard.events)).toEqual(['one', 'two', 'three', 'four', 'five', 'six'])
  expect(heard.resets()).toBe(1)
  heard.stop()
})

test('a client with a last id beyond the end gets a reload event and receives what follows', async () => {
  const lost = await follow(999_999_999_999_999)
  await until(() => lost.resets() === 1)
  await happen(studio.db, ['after all'])
  await lost.until(1)
  expect(titlesOf(lost.events)).toEqual(['after all'])
  lost.stop()
})

test('a stream on a silent network resumes by itself when the network is back', async () => {
  const way = await openUnsteadyWay(studio.url)
  const db = openDatabase(way.url, { max: 4, statementTimeout: 8_000 })
  const far = await openStudio({}, { beside: studio, service: { db } })
  const heard = await follow(undefined, far)
  await happen(studio.db, ['heard'])
  await heard.until(1)
  way.become('silent')
  expect((await far.ask('/api/v1/ping', { token: studio.world.tokens.kim!.token })).status).toBe(503)
  await happen(studio.db, ['while away'])
  way.become('good')
  await heard.until(2)
  expect(titlesOf(heard.events)).toEqual(['heard', 'while away'])
  heard.stop()
  way.close()
  await far.close()
  await db.close()
})
