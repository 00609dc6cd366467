import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../db/database.ts'
import { loadWorld } from '../../world/world.ts'
import { Vault } from '../privacy/secrets.ts'
import { sweep, sweepThese } from './trials.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
})
afterAll(() => own.drop())

const past = '2020-01-01T00:00:00Z'
const load = (accounts: object[]) =>
  loadWorld(own.db, Readable.from([Buffer.from(JSON.stringify({ accounts }))]), { vault: new Vault('tests') })
const sweptKeys = async () =>
  (await own.db.rows<{ name: string }>(sql`select name from accounts where swept_at is not null order by name`)).map(
    (row) => row.name,
  )

test('a loaded account whose trial is over is read-only at once, unless it pays', async () => {
  await load([
    { name: 'lapsed', trial_ends_at: past },
    { name: 'pays', trial_ends_at: past, payment_method: true },
    { name: 'trying', trial_ends_at: '2999-01-01T00:00:00Z' },
    { name: 'no trial' },
  ])
  expect(await sweptKeys()).toEqual(['lapsed'])
})

test('a sweep handles accounts whose trial has ended since, once, and only those given', async () => {
  await own.db.execute(sql`update accounts set trial_ends_at = ${past} where name = 'trying'`)
  const { id } = (await own.db.one<{ id: number }>(sql`select id from accounts where name = 'no trial'`))!
  expect(await sweepThese(own.db, [id])).toBe(0)
  expect(await sweep(own.db)).toBe(1)
  expect(await sweep(own.db)).toBe(0)
  expect(await sweptKeys()).toEqual(['lapsed', 'trying'])
})
