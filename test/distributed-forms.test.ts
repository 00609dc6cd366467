import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { withPrecision } from '../src/db/distributed/precision.ts'
import { distributedForm } from '../src/db/distributed/statement.ts'
import { PLACEMENTS } from '../src/domain/accounts/table-placement.ts'
import { createUndistributedDatabase } from './support/database.ts'
import { fixtures, openSamples, sendAll } from './support/files/samples.ts'
import { openStudio } from './support/studio.ts'
import { all, asker } from './support/studios/every-route.ts'
import { nightOwl } from './support/studios/night-owl.ts'

/**
 * On several servers a statement is written anew, in the same language: what the service sends for every webhook and every route is parsed
 * in that form by one PostgreSQL. A table or a statement that the patterns misread is noticed without a cluster.
 */
const TABLES = new Set(Object.keys(PLACEMENTS).filter((table) => PLACEMENTS[table] === 'by account'))

/** Statements with how many values they have. */
const sent = new Map<string, number>()
const original = pg.Client.prototype.query as (...given: unknown[]) => never
beforeAll(async () => {
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
    const asked = given[0] as { text?: string; values?: unknown[] }
    if (asked.text && asked.values) sent.set(asked.text, asked.values.length)
    return original.apply(this, given)
  } as never)
  const tools = await openSamples({ beside: await createUndistributedDatabase() })
  await sendAll(tools, fixtures())
  await tools.close()
  await tools.drop()
  const studio = await openStudio(nightOwl, { beside: await createUndistributedDatabase() })
  const { ask } = asker(() => studio)
  for (const [name] of all) await ask(name)
  await studio.close()
  await studio.drop()
})
afterAll(() => void vi.restoreAllMocks())

test('every statement of a webhook or a route can be parsed in the form that it has on several servers', async () => {
  vi.restoreAllMocks()
  const own = await createUndistributedDatabase()
  const refused: string[] = []
  let changed = 0
  await own.db.onOneConnection(async () => {})
  const client = await own.db.pool.connect()
  const { rows } = await client.query<{ name: string; column: string }>(`
    select attrelid::regclass::text as name, attname as column from pg_attribute where format_type(atttypid, atttypmod) like 'timestamp(3)%'`)
  const times = new Map([...TABLES].map((table) => [table, new Map<string, string>()]))
  for (const { name, column } of rows) times.get(name)?.set(column, 'timestamptz(3)')
  for (const [text, count] of sent) {
    const form = distributedForm(withPrecision(text, times), count, TABLES)
    if (form.text !== text) changed++
    if (!/^\s*(with|select|insert|update|delete)\b/i.test(form.text)) continue
    await client.query(`prepare again as ${form.text}`).then(
      () => client.query('deallocate again'),
      (error: Error) => refused.push(`${error.message}\n${form.text}`),
    )
  }
  client.release()
  await own.drop()
  expect(refused).toEqual([])
  expect(changed).toBeGreaterThan(150)
})
