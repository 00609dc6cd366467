import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { openDatabase, type Pool, sql } from '../../../src/db/database.ts'
import * as log from '../../../src/domain/webhooks/webhook-log.ts'
import * as webhooks from '../../../src/domain/webhooks/webhooks.ts'
import type { Lanes } from '../../../src/jobs/lanes.ts'
import { startSender } from '../../../src/jobs/sending/sender.ts'
import { type AllowedHosts, allowedHosts } from '../../../src/net/addresses.ts'
import { openReceiver, type Received, type Receiver } from '../servers/receiver.ts'
import { openStudio, type Studio } from '../studio.ts'
import { until } from '../until.ts'
import { workshop } from './workshop.ts'

/** A studio, a receiver of its webhooks, and sending nodes; all of it is cleaned up after each test. */
export function openPostRoom() {
  let studio: Studio
  let receiver: Receiver
  const pumps: Lanes[] = []
  const pools: Pool[] = []
  beforeAll(async () => {
    studio = await openStudio(workshop)
  })
  afterAll(() => studio.close())
  beforeEach(async () => {
    receiver = await openReceiver()
  })
  afterEach(async () => {
    await Promise.all(pumps.splice(0).map((pump) => pump.stop()))
    await Promise.all(pools.splice(0).map((pool) => pool.close()))
    await studio.db.execute(sql`delete from destinations`)
    await receiver.close()
  })

  const id = (kind: string, key: string) => Number(studio.world[kind as 'projects']![key]!.id)
  const deliveries = async (webhookId: number) => (await log.list(studio.db, webhookId, { limit: 50 })).deliveries
  const missing = (webhookId: number) =>
    studio.db.execute(sql`
      select from outbox o join destinations d on d.account_id = o.account_id
      where d.id = ${webhookId} and (o.position is null or o.position > d.position)`)
  const task = (title: string, project = 'star') =>
    studio.db.execute(sql`insert into tasks (account_id, project_id, title)
      values (${id('accounts', project === 'den' ? 'fox' : 'owl')}, ${id('projects', project)}, ${title})`)
  return {
    studio: () => studio,
    receiver: () => receiver,
    id,
    deliveries,
    task,
    tasks: async (...titles: string[]) => {
      for (const title of titles) await task(title)
    },
    /** A sending node, stopped after the test if not before. */
    pump(db: Pool = studio.db, allowed: AllowedHosts = allowedHosts(['127.0.0.1'])): Lanes {
      const pump = startSender({
        db,
        vault: studio.service.vault,
        log: pino({ level: 'silent' }),
        allowed,
        site: 'https://gold.example',
      })
      pumps.push(pump)
      return {
        async stop() {
          const place = pumps.indexOf(pump)
          if (place >= 0) await pumps.splice(place, 1)[0]!.stop()
        },
      }
    },
    /** The connections of a separate node. */
    pool: () => pools[pools.push(openDatabase(studio.url, { max: 4 })) - 1]!,
    subscribe: (fields: Partial<webhooks.WebhookFields> & { account_id?: number } = {}) =>
      webhooks.create(studio.db, studio.service.vault, { account_id: id('accounts', 'owl'), url: receiver.url, ...fields }),
    titles: (path?: string) => receiver.received.filter((one) => path === undefined || one.path === path).map(titleOf),
    /** Everything that happened so far is queued, and nothing is waiting. */
    settled: (webhookId: number) =>
      until(
        async () => (await missing(webhookId)) === 0 && (await deliveries(webhookId)).every((one) => one.status === 'delivered'),
      ),
    /** Its first message was sent this often or more: the next attempt may follow at once. */
    tried: (webhookId: number, times: number) => until(async () => ((await deliveries(webhookId)).at(-1)?.tries ?? 0) >= times),
    /** As if waiting messages had waited long enough. */
    hurry: (webhookId: number) =>
      studio.db.execute(sql`
        with rested as (update destinations set rests_until = now() where id = ${webhookId})
        update messages set not_before = now() where destination_id = ${webhookId} and status = 'waiting'`),
  }
}

const titleOf = ({ body }: Received) => /#\d+ “(.*)” is to do/.exec(body.data.message)?.[1]

/** Without repeated ones. */
export const firsts = <T>(list: T[]) => [...new Set(list)]
