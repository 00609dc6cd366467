import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waiting } from '../../test/support/blocked.ts'
import { commit, openTools, push, type Tools } from '../../test/support/tools.ts'
import { until } from '../../test/support/until.ts'
import { workOff } from '../../test/support/work-off.ts'
import { type Database, ofAccount, openDatabase, type Pool, sql } from '../db/database.ts'
import * as webhooks from '../domain/integrations/webhook-access.ts'
import type { Delivered } from './persist.ts'
import { receive } from './receive.ts'

let tools: Tools
let count = 0
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

const account = () => tools.studio.world.accounts!.owl!.id
const newSha = () => (++count).toString(16).padStart(40, 'e')

/** All at once, so that none is written before the last has arrived. */
async function arrive(pushes: { body: object; id?: string }[], db: Database = tools.studio.db) {
  const { service } = tools.studio
  const integration = await webhooks.open(db, service.vault, tools.tokenOf('github'), 'github')
  return Promise.allSettled(
    pushes.map(async ({ body, id = randomUUID() }) => {
      const headers = { 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': id }
      const raw = Buffer.from(JSON.stringify(body))
      // Limited to its account, as each request does for itself.
      const taken = await receive(ofAccount(db, integration.account_id), integration, {
        path: 'github',
        headers,
        raw,
        url: '',
        received: new Date(),
      })
      return (taken as { delivered: Delivered }).delivered
    }),
  )
}
const answers = (settled: PromiseSettledResult<Delivered>[]) =>
  settled.map((one) => (one.status === 'fulfilled' ? one.value : expect.fail(String(one.reason))))
const transactionsOf = async (delivered: Delivered[]) =>
  (await tools.studio.db.one<{ count: number }>(
    sql`select count(distinct xmin::text) as count from deliveries where id = any (${delivered.map((one) => one.delivery_id)}::bigint[])`,
  ))!.count
const changeOf = (sha: string) =>
  tools.studio.db.rows<{ id: number; files_known_at: string }>(
    sql`select id, files_known_at from changes where identifier = ${sha}`,
  )
const versionOf = async (path: string) =>
  (await tools.studio.db.one<{ version: number }>(sql`select version from assets where path = ${path}`))?.version

test('pushes that arrive together are written in one transaction, and each gets its own records in the reply', async () => {
  const shas = Array.from({ length: 20 }, newSha)
  const delivered = answers(await arrive(shas.map((sha) => ({ body: push([commit(sha)]) }))))
  expect(await transactionsOf(delivered)).toBe(1)
  for (const [index, { status, records }] of delivered.entries()) {
    expect(status).toBe('processed')
    expect(records).toEqual((await changeOf(shas[index]!)).map(({ id }) => ({ type: 'change', id })))
  }
})

test('a file that each of them changed gets a version from each', async () => {
  const path = 'Content/Together/T_Moon.png'
  const pushes = Array.from({ length: 7 }, () => ({ body: push([commit(newSha(), { added: [path] })]) }))
  answers(await arrive(pushes))
  expect(await versionOf(path)).toBe(7)
  answers(await arrive(pushes))
  expect(await versionOf(path)).toBe(7)
})

test('duplicates among them are one delivery and its repeats', async () => {
  const twins = Array.from({ length: 5 }, () => ({ body: push([commit(newSha())]), id: 'the same' }))
  const delivered = answers(await arrive([{ body: push([commit(newSha())]) }, ...twins]))
  expect(delivered.map(({ status }) => status).toSorted()).toEqual([...Array(4).fill('duplicate'), 'processed', 'processed'])
})

test('a commit in two of them is one change', async () => {
  const [sha, path] = [newSha(), 'Content/Together/T_Twice.png']
  const reported = () => ({ body: push([commit(newSha()), commit(sha, { added: [path] })]) })
  const delivered = answers(await arrive([reported(), reported()]))
  const [change] = await changeOf(sha)
  for (const { status, records } of delivered) {
    expect(status).toBe('processed')
    expect(records).toContainEqual({ type: 'change', id: change!.id })
  }
  expect(await versionOf(path)).toBe(1)
})

test('one that cannot be written does not affect the others', async () => {
  const { db } = tools.studio
  const [bad, ...good] = Array.from({ length: 6 }, newSha)
  await db.execute(sql`alter table changes add constraint refuse_one check (description <> 'nobody can keep this') not valid`)
  const settled = await arrive([
    ...good.map((sha) => ({ body: push([commit(sha)]) })),
    { body: push([commit(bad!, { message: 'nobody can keep this' })]), id: 'unkeepable' },
  ])
  await db.execute(sql`alter table changes drop constraint refuse_one`)
  expect(answers(settled.slice(0, -1)).every(({ status }) => status === 'processed')).toBe(true)
  expect(settled.at(-1)).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('refuse_one') } })
  expect(await changeOf(bad!)).toEqual([])
  expect(await db.rows(sql`select outcome, status from deliveries where dedupe_key = 'unkeepable'`)).toEqual([
    { outcome: 'failed', status: 500 },
  ])
})

describe('a change that another session has locked', () => {
  let db: Pool
  beforeAll(() => {
    db = openDatabase(tools.studio.url, { statementTimeout: 20_000 })
  })
  afterAll(() => db.close())

  const whileHeld = async (sha: string, work: () => Promise<void>) => {
    answers(await arrive([{ body: push([commit(sha)]) }]))
    await tools.studio.db.transaction(async (db) => {
      await db.execute(sql`select from changes where account_id = ${account()} and identifier = ${sha} for update`)
      await work()
    })
  }

  test('delays only deliveries that contain it', async () => {
    const [held, ...free] = Array.from({ length: 8 }, newSha)
    const pushes = [held, ...free].map((sha) => ({ body: push([commit(sha!)]), id: sha }))
    await whileHeld(held!, async () => {
      expect(answers(await arrive(pushes, db)).map(({ status }) => status)).toEqual(['accepted', ...free.map(() => 'processed')])
    })
    expect(await workOff(tools.studio, 'catch_up')).toBe(1)
    expect(answers(await arrive(pushes, db)).map(({ status }) => status)).toEqual(pushes.map(() => 'duplicate'))
  })

  test('refuses none of many deliveries: they are stored, and processed when it is free', async () => {
    const held = newSha()
    const pushes = Array.from({ length: 60 }, () => ({ body: push([commit(held)]) }))
    await whileHeld(held, async () => {
      expect(answers(await arrive(pushes, db)).map(({ status }) => status)).toEqual(pushes.map(() => 'accepted'))
    })
    expect(await workOff(tools.studio, 'catch_up')).toBe(1)
    const outcomes = await tools.studio.db.rows(sql`
      select outcome, count(*) as count from deliveries where body = ${Buffer.from(JSON.stringify(pushes[0]!.body))} group by 1`)
    // With the one before it was held.
    expect(outcomes).toEqual([{ outcome: 'processed', count: 61 }])
    expect(answers(await arrive([{ body: push([commit(newSha())]) }], db))).toMatchObject([{ status: 'processed' }])
  })
})

test('stored deliveries are processed in the order of their arrival', async () => {
  const shas = Array.from({ length: 20 }, newSha)
  const integration = await webhooks.open(tools.studio.db, tools.studio.service.vault, tools.tokenOf('github'), 'github')
  const behind = { ...integration, is_behind: true }
  const stored = await Promise.all(
    shas.map((sha) =>
      receive(tools.studio.db, behind, {
        path: 'github',
        headers: { 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': randomUUID() },
        raw: Buffer.from(JSON.stringify(push([commit(sha)]))),
        url: '',
        received: new Date(),
      }),
    ),
  )
  const ids = stored.map((one) => Number((one as { delivered: Delivered }).delivered.delivery_id))
  expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  await workOff(tools.studio, 'catch_up')
  const changes = await tools.studio.db.rows<{ identifier: string }>(
    sql`select identifier from changes where identifier = any (${shas}::text[]) order by id`,
  )
  expect(changes.map(({ identifier }) => identifier)).toEqual(shas)
})

test('loses neither of two that deadlock', async () => {
  const { db } = tools.studio
  const [known, path] = [newSha(), 'Content/Together/T_Knot.png']
  answers(await arrive([{ body: push([commit(known, { added: [path] })]) }]))
  const pushed = await db.transaction(async (db) => {
    // The other one is canceled.
    await db.execute(sql`set local deadlock_timeout = '1min'`)
    await db.execute(sql`select from assets where account_id = ${account()} and path = ${path} for update`)
    const pushed = arrive([{ body: push([commit(known), commit(newSha(), { added: [path] })]) }])
    await until(async () => (await waiting(tools.studio.db)) > 0)
    await db.execute(sql`select from changes where account_id = ${account()} and identifier = ${known} for update`)
    return { pushed }
  })
  expect(answers(await pushed.pushed)).toMatchObject([{ status: 'processed' }])
  expect(await versionOf(path)).toBe(2)
})
