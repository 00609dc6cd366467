import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commit, openTools, push, type Tools } from '../../test/tools.ts'
import { sql } from '../db/database.ts'
import * as webhooks from '../domain/webhook-access.ts'
import type { Delivered } from './keep.ts'
import { takeIn } from './take-in.ts'

let tools: Tools
let count = 0
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

const newSha = () => (++count).toString(16).padStart(40, 'e')

/** All in one moment, so that none is written before the last has arrived. */
async function arrive(pushes: { body: object; id?: string }[]): Promise<PromiseSettledResult<Delivered>[]> {
  const { db, service } = tools.studio
  const door = await webhooks.open(db, service.vault, tools.tokenOf('github'), 'github')
  return Promise.allSettled(
    pushes.map(async ({ body, id = randomUUID() }) => {
      const headers = { 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': id }
      const raw = Buffer.from(JSON.stringify(body))
      const taken = await takeIn(db, door, { path: 'github', headers, raw, url: '', received: new Date() })
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

test('pushes that arrive together are written in one transaction, and each is told its own records', async () => {
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

test('twins among them are one delivery and its repeats', async () => {
  const twins = Array.from({ length: 5 }, () => ({ body: push([commit(newSha())]), id: 'the same' }))
  const delivered = answers(await arrive([{ body: push([commit(newSha())]) }, ...twins]))
  expect(delivered.map(({ status }) => status).toSorted()).toEqual([...Array(4).fill('duplicate'), 'processed', 'processed'])
})

test('a commit that two of them tell is one change', async () => {
  const [sha, path] = [newSha(), 'Content/Together/T_Twice.png']
  const told = () => ({ body: push([commit(newSha()), commit(sha, { added: [path] })]) })
  const delivered = answers(await arrive([told(), told()]))
  const [change] = await changeOf(sha)
  for (const { status, records } of delivered) {
    expect(status).toBe('processed')
    expect(records).toContainEqual({ type: 'change', id: change!.id })
  }
  expect(await versionOf(path)).toBe(1)
})

test('one that cannot be written harms none of the others', async () => {
  const { db } = tools.studio
  const [bad, ...good] = Array.from({ length: 6 }, newSha)
  await db.count(sql`alter table changes add constraint refuse_one check (description <> 'nobody can keep this') not valid`)
  const settled = await arrive([
    ...good.map((sha) => ({ body: push([commit(sha)]) })),
    { body: push([commit(bad!, { message: 'nobody can keep this' })]), id: 'unkeepable' },
  ])
  await db.count(sql`alter table changes drop constraint refuse_one`)
  expect(answers(settled.slice(0, -1)).every(({ status }) => status === 'processed')).toBe(true)
  expect(settled.at(-1)).toMatchObject({ status: 'rejected', reason: { constraint: 'refuse_one' } })
  expect(await changeOf(bad!)).toEqual([])
  expect(await db.rows(sql`select outcome, status from deliveries where dedupe_key = 'unkeepable'`)).toEqual([
    { outcome: 'failed', status: 500 },
  ])
})
