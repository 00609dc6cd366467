import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { CHANNEL_WORLD } from '../../../test/support/channel-room.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'
import * as channels from '../channels/channels.ts'
import * as outbox from '../feed/outbox.ts'
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
const cursors = async () =>
  Object.fromEntries(
    (await studio.db.rows<{ reader: string; position: number }>(sql`select reader, position from outbox_cursors`)).map(
      ({ reader, position }) => [reader, position],
    ),
  )
/** An entry that channels cannot read: its record has no number. */
async function poison() {
  await studio.db.execute(sql`
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select account_id, id, 'breakage.opened', 'x', 'breakage.opened', now(), '{}' from projects where account_id = ${account()}`)
  await outbox.sequenceAll(studio.db)
  return outbox.end(studio.db)
}

test('a reader that fails keeps its cursor and holds up only the reader that follows it', async () => {
  const before = await cursors()
  const position = await poison()
  await expect(read()).rejects.toThrow()
  expect(await cursors()).toEqual({ fixes: position, channels: before.channels, inbox: before.inbox })
  await studio.db.execute(sql`update outbox set event_type = 'breakage.of_a_newer_version'`)
  expect(await read()).toBe(false)
  expect(await cursors()).toEqual({ fixes: position, channels: position, inbox: position })
})

test('the inbox reads no further than the channels have', async () => {
  await studio.db.execute(sql`
    insert into tasks (account_id, project_id, title) select account_id, id, 'T' from projects where account_id = ${account()}`)
  await outbox.sequenceAll(studio.db)
  const before = await cursors()
  await studio.db.transaction(async (holder) => {
    await holder.rows(sql`select from outbox_cursors where reader = 'channels' for update`)
    await read()
    expect(await cursors()).toEqual({ ...before, fixes: await outbox.end(studio.db) })
  })
  await read()
  const end = await outbox.end(studio.db)
  expect(await cursors()).toEqual({ fixes: end, channels: end, inbox: end })
})
