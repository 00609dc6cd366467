import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, titlesOf } from '../../../test/support/callers/listening.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import { TokenStreams } from '../limits/token-streams.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(
    {
      accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
      users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
      projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
      tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
    },
    { service: { tokenStreams: new TokenStreams(1_000) } },
  )
})
afterAll(() => studio.close())

const follow = (lastId?: number) =>
  listen({ site: studio.site, token: studio.world.tokens!.kim!.token as string, ...(lastId === undefined ? {} : { lastId }) })

/** In one statement; the rows are in the order of their names. */
const happen = (names: string[]) =>
  studio.db.execute(sql`
    insert into tasks (account_id, project_id, title)
    select ${studio.world.accounts!.owl!.id}, ${studio.world.projects!.star!.id}, name
    from unnest(${names}::text[]) with ordinality n (name, place) order by place`)

test('200 clients receive every event, in order, once', async () => {
  const crowd = await Promise.all(Array.from({ length: 200 }, () => follow()))
  const names = Array.from({ length: 40 }, (_, i) => `event ${i}`)
  // Some alone, some many at a time, some while others are still being sent.
  for (let at = 0; at < names.length; at += 1 + (at % 7)) {
    await happen(names.slice(at, at + 1 + (at % 7)))
    if (at % 3 === 0) await sleep(100)
  }
  await Promise.all(crowd.map((one) => one.until(names.length)))
  // A duplicate would arrive before this.
  await happen(['the end'])
  await Promise.all(crowd.map((one) => one.until(names.length + 1)))
  for (const one of crowd) {
    expect(titlesOf(one.events)).toEqual([...names, 'the end'])
    one.stop()
  }
})

test('a client that missed more than one batch misses nothing, although some events have unknown types', async () => {
  const before = await follow()
  await happen(['the last they heard'])
  await before.until(1)
  before.stop()
  const names = Array.from({ length: 1_200 }, (_, i) => `away ${i}`)
  await happen(names)
  await studio.db.execute(sql`update outbox set event_type = 'task.of_a_newer_version' where facts ->> 'title' like 'away %3'`)
  const left = names.filter((name) => !name.endsWith('3'))
  // A connected client shows when all of them have a position.
  const witness = await follow(before.events.at(-1)!.position)
  await witness.until(left.length)
  const back = await follow(before.events.at(-1)!.position)
  await happen(['after'])
  await Promise.all([witness.until(left.length + 1), back.until(left.length + 1)])
  for (const one of [witness, back]) {
    expect(titlesOf(one.events)).toEqual([...left, 'after'])
    one.stop()
  }
})
