import { describe, expect, test } from 'vitest'
import { openChannelRoom, SITE } from '../../../test/support/studios/channel-room.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import * as channels from '../../domain/channels/channels.ts'
import * as log from '../../domain/channels/message-log.ts'

const room = openChannelRoom()
const { studio, vendors, messages, node, channel, breaks, becomes, said } = room

describe('when a vendor', () => {
  test('is rate limiting, it is not called as long as it says, and the order stays', async () => {
    await channel('slack_webhook', 'busy')
    vendors().inject('busy', '429', '503')
    node()
    for (const cause of ['one', 'two', 'three']) await breaks({ cause })
    await room.quiet()
    expect(said('slack_webhook', 'busy').map((text) => /error: (\w+)/.exec(text)?.[1])).toEqual(['one', 'two', 'three'])
    expect(vendors().violations()).toEqual([])
  })

  test.each(['504 after', 'reset after'] as const)(
    'disconnects (%s), a bot finds its message and does not post it twice',
    async (fault) => {
      const made = await channel('slack', 'C0BUILDS')
      vendors().inject('C0BUILDS', fault)
      node()
      await breaks({ cause: 'once' })
      await breaks({ cause: 'next' })
      await room.quiet()
      expect(said('slack', 'C0BUILDS')).toEqual([expect.stringContaining('once'), expect.stringContaining('next')])
      const { attempts } = await log.find(studio().db, made, (await messages(made.id)).at(-1)!.id, SITE)
      expect(attempts.map(({ action }) => action)).toEqual(['post', 'find', 'edit'])
    },
  )

  test('disconnects before it received a message, a bot posts it again', async () => {
    await channel('slack', 'C0BUILDS')
    vendors().inject('C0BUILDS', 'reset before')
    node()
    await breaks({ cause: 'once' })
    await room.quiet()
    expect(said('slack', 'C0BUILDS')).toEqual([expect.stringContaining('once')])
  })

  test.each(['discord', 'teams'] as const)(
    'of %s disconnects, the message is uncertain, is not repeated, and can be sent again manually',
    async (kind) => {
      const made = await channel(kind, 'odd')
      vendors().inject('odd', 'reset before')
      node()
      await breaks({ cause: 'once' })
      await breaks({ cause: 'next' })
      await room.quiet()
      expect(said(kind, 'odd')).toEqual([expect.stringContaining('next')])
      const [, first] = await messages(made.id)
      expect(first).toMatchObject({ status: 'uncertain', error: expect.stringContaining('didn’t confirm') })
      await log.replay(studio().db, made, first!.id)
      await room.quiet()
      expect(said(kind, 'odd')).toHaveLength(2)
    },
  )

  test('is gone, the channel is disabled, its owners get instructions, and waiting messages are sent once it is fixed', async () => {
    const { id: channelId, account_id } = await channel('discord', 'gone')
    vendors().remove('discord', 'gone')
    node()
    await breaks({ cause: 'patient' })
    await room.heard()
    const now = () => channels.find(studio().db, account_id, channelId)
    await until(async () => (await now()).status === 'broken')
    expect((await now()).trouble).not.toContain('http')
    const mails = await studio().db.rows<{ subject: string; text: string }>(sql`select subject, text from mails`)
    expect(mails).toMatchObject([{ subject: 'A chat channel was disabled', text: expect.stringContaining('gone') }])
    await breaks({ cause: 'not told meanwhile' })
    await room.heard()
    await channels.edit(studio().db, studio().service.vault, account_id, channelId, {
      secret: vendors().destination('discord', 'anew').secret,
    })
    await room.quiet()
    expect(said('discord', 'anew')).toEqual([expect.stringContaining('patient')])
    expect(await now()).toMatchObject({ status: 'active', trouble: '', failing_since: null })
  })

  test('has lost a message that was to be edited, it is posted again', async () => {
    await channel('discord', 'tidy')
    node()
    const breakage = await breaks()
    await room.quiet()
    vendors().erase(vendors().messages('discord', 'tidy')[0]!)
    await becomes(breakage, 'fixed')
    await room.quiet()
    expect(said('discord', 'tidy')).toEqual([expect.stringContaining('Fixed')])
  })
})
