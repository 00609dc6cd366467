import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(workshop)
})
afterAll(() => studio.close())
const { inside } = visitor(() => studio)

test('one text search per user runs at a time: the others are refused after waiting, and lists are served meanwhile', async () => {
  const statuses: number[] = []
  let flood: Promise<unknown> = Promise.resolve()
  await studio.db.transaction(async (db) => {
    await db.execute(sql`lock table search_segments, search_documents, search_queue in access exclusive mode`)
    flood = Promise.all(
      Array.from({ length: 12 }, () => inside('/search/tasks?q=light').then(({ status }) => statuses.push(status))),
    )
    await until(() => statuses.length >= 3)
    expect(new Set(statuses)).toEqual(new Set([429]))
    for (const path of ['/tasks', '/search/tasks?state=to_do']) expect((await inside(path)).status).toBe(200)
  })
  await flood
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
})
