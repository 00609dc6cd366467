import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { releasedOnce } from './released-once.ts'

let store: TestDatabase
beforeAll(async () => {
  store = await createDatabase()
})
afterAll(() => store.drop())

test('a connection that is given back twice is given back once', async () => {
  const pool = releasedOnce(store.db.pool)
  await new Promise<void>((resolve, reject) =>
    pool.connect((error, _, release) => {
      if (error) return reject(error)
      release()
      expect(() => release()).not.toThrow()
      resolve()
    }),
  )
  expect(pool.idleCount).toBe(pool.totalCount)
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})
