import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { until } from '../../test/support/until.ts'
import { isAskedLately, noteRequest } from '../db/attention.ts'
import { openDatabase } from '../db/database.ts'
import { admit } from './admission.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
})
afterAll(() => own.drop())

/** Of two transactions with deliveries, one waits for the other: has it begun as soon as that is over? */
async function beginsAtOnce(isAsked: boolean): Promise<boolean> {
  const db = openDatabase(own.url, { max: 2 })
  await until(() => !isAskedLately())
  let hasBegun = false
  const first = admit(db, 1, async () => {
    await sleep(40)
    if (isAsked) noteRequest()
  })
  const second = admit(db, 2, async () => {
    hasBegun = true
  })
  await first
  const atOnce = hasBegun
  await second
  await db.close()
  return atOnce
}

test('the next deliveries are written after a pause while people wait for responses, otherwise at once', async () => {
  expect(await beginsAtOnce(true)).toBe(false)
  expect(await beginsAtOnce(false)).toBe(true)
})
