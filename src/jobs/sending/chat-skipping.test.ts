import { expect, test } from 'vitest'
import { overlapping } from '../../../test/support/blocked.ts'
import { openChannelRoom, SITE } from '../../../test/support/studios/channel-room.ts'
import { sql } from '../../db/database.ts'
import { enqueue } from '../../domain/channels/message-queue.ts'
import * as destinations from '../../domain/sending/destinations.ts'
import { allowedHosts } from '../../net/addresses.ts'
import { openDispatcher } from '../../net/dispatcher.ts'
import { sendChatMessage } from './chat.ts'

const room = openChannelRoom()
const { studio, id, node, channel, breaks, becomes, said } = room

test.each(['teams', 'discord'] as const)(
  'a message in %s that is about to be skipped is sent if the breakage reopens in that moment',
  async (kind) => {
    const { id: channelId, account_id } = await channel(kind, 'C0SKIP')
    await studio().db.execute(sql`update destinations set rests_until = now() + interval '1 hour' where id = ${channelId}`)
    const queueing = node()
    const breakage = await breaks({ cause: 'The cave fell in' })
    await becomes(breakage, 'fixed')
    await room.heard()
    await queueing.stop()
    const { db, service } = studio()
    const allowed = allowedHosts(['127.0.0.1'])
    const dispatcher = openDispatcher(allowed)
    const send = async () =>
      sendChatMessage(
        { db, vault: service.vault, allowed, site: SITE, dispatcher },
        (await destinations.open(db, service.vault, channelId))!,
        { id: channelId, stopping: () => false, signal: new AbortController().signal },
      )

    // The sender has read that the breakage is fixed, and waits for the row. The breakage reopens and asks for the message again.
    const [sent] = await overlapping(
      db,
      sql`select from messages where account_id = ${account_id} and destination_id = ${channelId} for update`,
      1,
      () => [send()],
      (holder) =>
        becomes(breakage, 'open').then(() =>
          enqueue(holder, [
            {
              account_id,
              channel_id: channelId,
              project_id: id('projects', 'star'),
              subject: 'breakage',
              subject_id: String(breakage),
            },
          ]),
        ),
    )

    expect(sent).toMatchObject({ status: 'fulfilled' })
    expect(said(kind, 'C0SKIP')).toEqual([expect.stringContaining('The cave fell in')])
    await dispatcher.close()
  },
)
