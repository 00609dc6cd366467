import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../db/database.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
})
afterAll(() => own.drop())

const suspect = (change_id: number, score: number, ...reasons: string[]) => ({ change_id, user_id: null, score, reasons })

test.each([
  ['nobody', [], undefined],
  ['one with a reason', [suspect(1, 0.3, 'changed it')], 1],
  ['one without', [suspect(1, 0.3)], undefined],
  ['one with a clear lead', [suspect(1, 0.6, 'changed it'), suspect(2, 0.5, 'near it')], 1],
  ['one with a small lead', [suspect(1, 0.16, 'a word'), suspect(2, 0.15, 'a word')], undefined],
])('for %s the leading suspect is named, or nobody', async (_, suspects, named) => {
  const row = await own.db.one<{ id: number | null }>(
    sql`select (named_suspect(${JSON.stringify(suspects)}::jsonb) ->> 'change_id')::integer as id`,
  )
  expect(row!.id ?? undefined).toBe(named)
})
