import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import type { SuspectReason } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
})
afterAll(() => own.drop())

const suspect = (change_id: number, score: number, ...reason_codes: SuspectReason[]) => ({
  change_id,
  user_id: null,
  score,
  reason_codes,
})

test.each([
  ['nobody', [], undefined],
  ['one with a reason', [suspect(1, 0.3, 'file_named')], 1],
  ['one without', [suspect(1, 0.3)], undefined],
  ['one with a clear lead', [suspect(1, 0.6, 'file_named'), suspect(2, 0.5, 'folder_named')], 1],
  ['one that is described as documentation', [suspect(1, 0.6, 'is_documentation', 'file_named')], undefined],
  ['one that has no files for it', [suspect(1, 0.6, 'no_capable_files')], undefined],
  ['one with a small lead', [suspect(1, 0.16, 'words_shared'), suspect(2, 0.15, 'words_shared')], undefined],
])('for %s the leading suspect is named, or nobody', async (_, suspects, named) => {
  const row = await own.db.one<{ id: number | null }>(
    sql`select (named_suspect(${JSON.stringify(suspects)}::jsonb) ->> 'change_id')::integer as id`,
  )
  expect(row!.id ?? undefined).toBe(named)
})
