import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { until } from '../../../test/support/until.ts'
import { SCOPES } from '../../contract/sets.ts'
import { raw, sql } from '../../db/database.ts'
import { AccountShare } from './account-share.ts'

let studio: Studio
beforeAll(async () => {
  const world = {
    accounts: ['owl', 'fox'].map((key) => ({ key, name: key })),
    users: ['owl', 'fox'].map((key) => ({ key, email: `${key}@example.com`, name: key, accounts: { [key]: 'owner' } })),
    projects: ['owl', 'fox'].map((key) => ({ key, account: key, name: key })),
    tokens: ['owl', 'fox'].map((key) => ({ key, user: key, name: key, scopes: SCOPES })),
  }
  studio = await openStudio(world, { service: { share: new AccountShare(8) } })
})
afterAll(() => studio.close())

const get = (key: string, path: string) =>
  studio.ask(`/api/v1/projects/${studio.world.projects![key]!.id}/${path}`, { token: studio.world.tokens![key]!.token as string })

test.each([
  ['tasks', 'tasks'],
  ['branches', 'build_runs'],
])('requests of one account for %s that do not end leave connections for another account', async (path, table) => {
  await studio.db.onOneConnection(async (db) => {
    await db.execute(sql`begin`)
    await db.execute(sql`lock table ${raw(table)} in access exclusive mode`)
    const held = Array.from({ length: 24 }, () => get('owl', path))
    const waiting = () => studio.db.execute(sql`select from pg_locks where not granted and relation = ${table}::regclass`)
    await until(async () => (await waiting()) > 1)
    expect((await get('fox', 'changes')).status).toBe(200)
    await db.execute(sql`rollback`)
    expect(new Set((await Promise.all(held)).map(({ status }) => status)).has(500)).toBe(false)
  })
})

/** Work that ends on command, and how much of it has started. */
function works(share: AccountShare, key: number | string, count: number) {
  const state = { begun: 0 }
  const ends: (() => void)[] = []
  const all = Array.from({ length: count }, () =>
    share.enter(key, () => {
      state.begun++
      return new Promise<void>((resolve) => ends.push(resolve))
    }),
  )
  return {
    state,
    endOne: () => ends.shift()!(),
    async end() {
      let isOver = false
      const over = Promise.all(all).then(() => {
        isOver = true
      })
      while (!isOver) {
        for (const end of ends.splice(0)) end()
        await sleep(1)
      }
      await over
    },
  }
}

test('an account alone gets two thirds of the connections, with others one third', async () => {
  const share = new AccountShare(9)
  const alone = works(share, 1, 9)
  expect(alone.state.begun).toBe(6)
  await alone.end()
  const first = works(share, 1, 1)
  const other = works(share, 2, 9)
  expect(other.state.begun).toBe(3)
  await Promise.all([first.end(), other.end()])
})

test('a session that changes its account waits in the queue of the new one', async () => {
  const share = new AccountShare(9)
  const who = { session: 'kim', address: null }
  for (const account of [1, 2])
    await share.enterAs(
      who,
      '/me',
      async () => account,
      (found) => found,
    )
  const full = works(share, 2, 9)
  let isServed = false
  const late = share.enterAs(
    who,
    '/me',
    async () => {
      isServed = true
      return 2
    },
    (found) => found,
  )
  await sleep(20)
  expect(isServed).toBe(false)
  await full.end()
  await late
})

test.each([
  ['next to others an account that queues pauses after each request', true, 3],
  ['an account alone does not pause', false, 7],
])('%s', async (_, others, begun) => {
  const share = new AccountShare(9)
  if (others) await share.enter(2, async () => {})
  const flood = works(share, 1, 20)
  await sleep(40)
  flood.endOne()
  await new Promise(setImmediate)
  expect(flood.state.begun).toBe(begun)
  await flood.end()
  expect(flood.state.begun).toBe(20)
})

test('what a person has of all accounts is no other account, and its flood waits for itself', async () => {
  const share = new AccountShare(9)
  let running = 0
  let ended = () => {}
  const end = new Promise<void>((resolve) => {
    ended = resolve
  })
  const own = Array.from({ length: 20 }, () =>
    share.enterOf(1, () => {
      running++
      return end
    }),
  )
  expect(running).toBe(6)
  // The account and person 1 are different queues, and the account is alone.
  const flood = works(share, 1, 20)
  expect(flood.state.begun).toBe(6)
  ended()
  await Promise.all([...own, flood.end()])
})

test('an authorized token counts against its account, any other against nobody else', async () => {
  const share = new AccountShare(3)
  const who = (name: string) => ({ hash: Buffer.from(name), address: null })
  const learn = (name: string, account: number | null) =>
    share.enterAs(
      who(name),
      '7',
      async () => account,
      (found) => found,
    )
  await learn('member', 1)
  await learn('stranger', null)
  const account = works(share, 1, 2)
  let isIn = false
  const member = share.enterAs(
    who('member'),
    '7',
    async () => {
      isIn = true
      return 1
    },
    (found) => found,
  )
  await learn('stranger', null)
  expect(isIn).toBe(false)
  await account.end()
  await member
  expect(isIn).toBe(true)
})
