import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { workshop } from '../../test/support/studios/workshop.ts'
import { until } from '../../test/support/until.ts'
import { sql } from '../db/database.ts'
import { startIndexing } from './search-indexing.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    tasks: ['star', 'moon', 'den'].map((project) => ({ key: project, project, title: `A task of ${project}` })),
  })
})
afterAll(() => studio.close())

const count = async (table: 'search_queue' | 'search_documents') =>
  (await studio.db.rows(table === 'search_queue' ? sql`select from search_queue` : sql`select from search_documents`)).length

test("several nodes index every account's queue, once", async () => {
  expect(await count('search_queue')).toBe(3)
  const nodes = [startIndexing(studio.service), startIndexing(studio.service)]
  try {
    await until(async () => (await count('search_queue')) === 0)
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
  }
  expect(await count('search_documents')).toBe(3)
  expect(await studio.db.rows(sql`select documents from search_segments order by documents`)).toEqual([
    { documents: 1 },
    { documents: 2 },
  ])
})

test('a batch that fails stays queued and blocks no other account', async () => {
  await studio.db.execute(sql`update tasks set title = 'Another name'`)
  const owl = Number(studio.world.accounts!.owl!.id)
  await studio.db.pool.query(`alter table search_documents add constraint broken check (account_id <> ${owl}) not valid`)
  const failing = () => studio.db.rows(sql`select account_id, work from failing_accounts`)
  const node = startIndexing(studio.service)
  try {
    await until(async () => (await failing()).length > 0 && (await count('search_queue')) === 2)
    expect(await failing()).toEqual([{ account_id: owl, work: 'index_search' }])
    expect(await studio.db.rows(sql`select account_id from search_queue`)).toEqual([{ account_id: owl }, { account_id: owl }])
    await studio.db.execute(sql`alter table search_documents drop constraint broken`)
    await studio.db.execute(sql`update failing_accounts set rest_until = now()`)
    await until(async () => (await count('search_queue')) === 0)
  } finally {
    await node.stop()
  }
})
