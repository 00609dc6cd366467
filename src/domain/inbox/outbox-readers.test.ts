import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { CHANNEL_WORLD } from '../../../test/support/studios/channel-room.ts'
import { sql } from '../../db/database.ts'
import * as channels from '../channels/channels.ts'
import * as outbox from '../feed/outbox.ts'
import { sequenceAll } from '../feed/sequencer.ts'
import { readOutbox } from './outbox-readers.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(CHANNEL_WORLD)
  await channels.create(studio.db, studio.service.vault, account(), {
    kind: 'discord',
    name: 'builds',
    secret: 'https://discord.example/x',
  })
})
afterAll(() => studio.close())
afterEach(() => studio.db.execute(sql`delete from outbox`))

const account = () => Number(studio.world.accounts!.owl!.id)
const read = () => readOutbox(studio.db, { vault: studio.service.vault, site: 'https://gold.example' })
const cursors = () =>
  studio.db.one<Record<string, number>>(sql`select fixes, channels, inbox from outbox_heads where account_id = ${account()}`)
/** An entry that channels cannot read: its record has no number. */
async function poison() {
  await studio.db.execute(sql`
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select account_id, id, 'breakage.opened', 'x', 'breakage.opened', now(), '{}' from projects where account_id = ${account()}`)
  await sequenceAll(studio.db)
  return outbox.end(studio.db, account())
}

test('a reader that fails keeps its cursor and holds up only the reader that follows it', async () => {
  const before = await cursors()
  const position = await poison()
  expect(await read()).toBe(false)
  expect(await cursors()).toEqual({ fixes: position, channels: before?.channels ?? 0, inbox: before?.inbox ?? 0 })
  expect(await studio.db.rows(sql`select account_id, work, failures from failing_accounts`)).toEqual([
    { account_id: account(), work: 'outbox: channels', failures: 1 },
  ])
  await studio.db.execute(sql`update outbox set event_type = 'breakage.of_a_newer_version'`)
  expect(await read(), 'it rests').toBe(false)
  expect((await cursors())?.channels).toBe(before?.channels ?? 0)
  await studio.db.execute(sql`update failing_accounts set rest_until = now()`)
  expect(await read()).toBe(false)
  expect(await cursors()).toEqual({ fixes: position, channels: position, inbox: position })
  expect(await studio.db.rows(sql`select from failing_accounts`)).toEqual([])
})

test('the inbox reads no further than the channels have', async () => {
  await studio.db.execute(sql`
    insert into tasks (account_id, project_id, title) select account_id, id, 'T' from projects where account_id = ${account()}`)
  await sequenceAll(studio.db)
  const before = await cursors()
  await studio.db.transaction(async (holder) => {
    await holder.rows(sql`select pg_advisory_xact_lock(${0x72656164}, 1)`)
    await read()
    expect(await cursors()).toEqual({ ...before, fixes: await outbox.end(studio.db, account()) })
  })
  await read()
  const end = await outbox.end(studio.db, account())
  expect(await cursors()).toEqual({ fixes: end, channels: end, inbox: end })
})
