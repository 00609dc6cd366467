import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { openPgBouncer, POOL_MODES } from '../../test/support/servers/pgbouncer.ts'
import { describeWith } from '../../test/support/skippable.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { visitor, workshop } from '../../test/support/studios/workshop.ts'
import { readEnvironment } from '../service/environment.ts'
import { openPools, type Pools } from '../service/pools.ts'
import { openLog, openStore } from '../service/service.ts'
import { raw, sql } from './database.ts'
import { migrate } from './migrate.ts'
import { applyRoleSettings } from './pooler.ts'

const KEY = 'a key of these tests, long enough'
let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
})
afterAll(() => own.drop())

const settingsFor = (urls: Record<string, string>) => readEnvironment({ ...urls, SECRET_KEY: KEY, LOG_LEVEL: 'silent' })

test.each(['UTC', 'Asia/Tokyo', 'America/St_Johns', 'Asia/Kathmandu'])(
  'times are the same in a session with the time zone %s',
  async (zone) => {
    const { at } = (await own.db.transaction(async (db) => {
      await db.execute(sql`set local timezone = ${raw(`'${zone}'`)}`)
      return db.one<{ at: string }>(sql`select timestamptz '2026-01-02 03:04:05.6Z' as at`)
    }))!
    expect(at).toBe('2026-01-02T03:04:05.600Z')
  },
)

for (const mode of POOL_MODES)
  describeWith('pgbouncer')(`behind PgBouncer in ${mode} mode`, () => {
    let pooler: Awaited<ReturnType<typeof openPgBouncer>>
    let store: Awaited<ReturnType<typeof openStore>>
    let pools: Pools
    let studio: Studio
    beforeAll(async () => {
      // PgBouncer keeps its connections: those from before the first start would lack the settings.
      await applyRoleSettings(own.db, 5_000, pino({ level: 'silent' }))
      pooler = await openPgBouncer(own.url, mode)
      const settings = settingsFor({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: own.url })
      store = await openStore(settings, openLog(settings))
      pools = openPools(store.url, { poolerUrl: pooler.url, statementTimeout: 5_000, onError: () => {} })
      studio = await openStudio(workshop, { beside: { ...own, db: pools.db }, service: { intake: pools.intake } })
    })
    afterAll(async () => {
      await studio?.close()
      await pools?.close()
      await store?.close()
      await pooler?.close()
    })
    const { inside } = visitor(() => studio)

    test('connections opened by PgBouncer have our settings', async () => {
      const settings = await pools.db.one(sql`
      select current_setting('plan_cache_mode') as plans, current_setting('statement_timeout') as timeout`)
      expect(settings).toEqual({ plans: 'force_generic_plan', timeout: '5s' })
    })

    test('requests of many clients share its few connections', async () => {
      const titles = Array.from({ length: 60 }, (_, i) => `Task ${i}`)
      const answers = await Promise.all(
        titles.flatMap((title) => [
          inside('/tasks', { method: 'POST', body: { task: { title } }, headers: { 'idempotency-key': title } }),
          inside('/tasks?limit=5'),
          inside('/changes?limit=5'),
        ]),
      )
      for (const { status } of answers) expect([200, 201]).toContain(status)
      expect(await own.db.rows(sql`select from tasks`)).toHaveLength(60)
      const repeated = await inside('/tasks', {
        method: 'POST',
        body: { task: { title: 'Task 7' } },
        headers: { 'idempotency-key': 'Task 7' },
      })
      expect(repeated.json.title).toBe('Task 7')
      expect(await own.db.rows(sql`select from tasks`)).toHaveLength(60)
    })

    test('nodes migrate one after the other even if they only have the URL of PgBouncer', async () => {
      const fresh = await Promise.all([migrate(pooler.url), migrate(pooler.url)])
      expect(fresh.map(({ applied }) => applied)).toEqual([0, 0])
    })

    // In session mode a pooled connection is as good as a direct one.
    test.runIf(mode === 'transaction')(
      'a service without a direct URL refuses to start and names the missing variable',
      async () => {
        const settings = settingsFor({ DATABASE_URL: pooler.url })
        await expect(openStore(settings, openLog(settings))).rejects.toThrow(
          'DATABASE_URL is a connection pooler. Set DATABASE_DIRECT_URL to the URL of the database itself.',
        )
      },
    )
  })
