import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../src/contract/sets.ts'
import { type Database, sql } from '../src/db/database.ts'
import { type Listening, listen, titlesOf } from './support/callers/listening.ts'
import { openNode } from './support/killing.ts'
import { openStudio, type Studio } from './support/studio.ts'
import { until } from './support/until.ts'

/** How far writers may be ahead of the slowest client. */
const BACKLOG = 60

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
  })
})
afterAll(() => studio.close())

const happen = (db: Database, title: string) =>
  db.execute(sql`
    insert into tasks (account_id, project_id, title)
    values (${studio.world.accounts!.owl!.id}, ${studio.world.projects!.star!.id}, ${title})`)

/** Writes now and commits when released. */
function holdOpen(title: string) {
  let release = () => {}
  let wrote = () => {}
  const held = new Promise<void>((done) => (release = done))
  const written = new Promise<void>((done) => (wrote = done))
  const done = studio.db.transaction(async (db) => {
    await happen(db, title)
    wrote()
    await held
  })
  return {
    written,
    commit: () => {
      release()
      return done
    },
  }
}

/** A client like a browser: when its stream breaks it resumes after the last id, here at the next node. */
function followOn(sites: string[]) {
  const heard: Listening['events'] = []
  let [moves, stopped] = [-1, false]
  let open: Listening | undefined
  const running = (async () => {
    while (!stopped) {
      const lastId = heard.at(-1)?.position ?? 0
      moves++
      open = await listen({ site: sites[moves % sites.length]!, token: studio.world.tokens!.kim!.token as string, lastId }).catch(
        () => undefined,
      )
      if (!open) await sleep(50)
      else {
        const seen = heard.length
        const taken = setInterval(() => heard.push(...open!.events.slice(heard.length - seen)), 10)
        await open.ended
        clearInterval(taken)
        heard.push(...open.events.slice(heard.length - seen))
      }
    }
  })()
  return {
    heard,
    moves: () => moves,
    stop: () => {
      stopped = true
      open?.stop()
      return running
    },
  }
}

test('kill -9 of a node under load: a client that resumes at another misses nothing and gets nothing twice', async () => {
  const [doomed, heir] = await Promise.all([openNode(studio), openNode(studio)])
  const clients = Array.from({ length: 20 }, () => followOn([doomed.site, heir.site]))
  const everybody = (title: string) => until(() => clients.every(({ heard }) => titlesOf(heard).includes(title)))
  // Written first, before anything else has a number; committed long after the others were received.
  const [whileAway, afterwards] = [holdOpen('committed while they are away'), holdOpen('committed after they are back')]
  await Promise.all([whileAway.written, afterwards.written])
  let writing = true
  let written = 0
  // On a slow machine clients would fall behind without end: the writer waits for the slowest, but never until it has received everything.
  const behind = () => written - Math.min(...clients.map(({ heard }) => heard.length))
  const writers = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (writing) {
        if (behind() < BACKLOG) await happen(studio.db, `load ${written++}`)
        await sleep(20)
      }
    }),
  )
  await until(() => clients.every(({ heard }) => heard.length > 30))
  expect(await doomed.kill()).toBe('SIGKILL')
  await whileAway.commit()
  await everybody('committed while they are away')
  expect(clients.every(({ moves }) => moves() > 0)).toBe(true)
  const back = written
  await until(() => written > back + 20)
  writing = false
  await writers
  await happen(studio.db, 'the last before')
  await everybody('the last before')
  await afterwards.commit()
  await everybody('committed after they are back')
  // A duplicate would arrive before this.
  await happen(studio.db, 'the end')
  await everybody('the end')

  const order = await studio.db.rows<{ id: number; position: number; title: string }>(sql`
    select o.id, o.position, t.title from outbox o join tasks t on t.id = o.row_id::integer order by o.position`)
  expect(order).toHaveLength(written + 4)
  for (const client of clients) {
    await client.stop()
    expect(client.heard.map(({ position }) => position)).toEqual(order.map(({ position }) => position))
    expect(titlesOf(client.heard)).toEqual(order.map(({ title }) => title))
  }
  // The overlap was real: almost the last in the order was the first or second to be written.
  const late = order.at(-2)!
  expect(late.title).toBe('committed after they are back')
  expect(order.filter(({ id }) => id < late.id).length).toBeLessThanOrEqual(1)
  expect(await heir.kill('SIGTERM')).toBe(0)
})
