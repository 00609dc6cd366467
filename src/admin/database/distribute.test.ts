import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminOfDatabase } from '../../../test/support/admin.ts'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../db/database.ts'

let empty: TestDatabase
beforeAll(async () => {
  empty = await createEmptyDatabase()
})
afterAll(() => empty.drop())

// What happens on a cluster: test/distributed.test.ts.
test.each([[[]], [['--yes']]])('distribution of a database without Citus %j is refused and changes nothing', async (flags) => {
  await expect(adminOfDatabase(empty.url, 'distribute', ...flags)).rejects.toMatchObject({
    message: expect.stringMatching(/^This database has no extension citus\. Install Citus on each server, .* docs\/scale\.md\.$/),
    exit: 1,
  })
  expect(await empty.db.rows(sql`select from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([])
})
