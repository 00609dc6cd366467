import { describe, expect, test } from 'vitest'
import { advanceClock } from '../../../test/support/clock.ts'
import { openChannelRoom, SITE } from '../../../test/support/studios/channel-room.ts'
import { until } from '../../../test/support/until.ts'
import { CHANNEL_KIND_TABLE, CHANNEL_KINDS } from '../../contract/channels.ts'
import { sql } from '../../db/database.ts'
import { edit } from '../../domain/breakages/edit.ts'
import * as channels from '../../domain/channels/channels.ts'
import * as log from '../../domain/channels/message-log.ts'

const room = openChannelRoom()
const { studio, vendors, id, messages, node, channel, breaks, becomes, said } = room

describe('a breakage', () => {
  test.each(CHANNEL_KINDS)('is one message in %s, however many updates it has', async (kind) => {
    const { id: channelId } = await channel(kind, 'C0BUILDS')
    node()
    await breaks({ cause: 'The cave fell in' })
    await breaks({ cause: 'The lamp went out' })
    await room.quiet()
    expect(said(kind, 'C0BUILDS')).toEqual([
      expect.stringContaining('The cave fell in'),
      expect.stringContaining('The lamp went out'),
    ])
    expect((await messages(channelId)).map(({ status }) => status)).toEqual(['sent', 'sent'])
    expect(vendors().violations()).toEqual([])
  })

  test.each(['slack', 'discord'] as const)('is edited in its message in %s, which shows the current state', async (kind) => {
    await channel(kind, 'C0BUILDS')
    node()
    const breakage = await breaks({ cause: 'The cave fell in' })
    await room.quiet()
    const [message] = vendors().messages(kind, 'C0BUILDS')
    for (const [state, words] of [
      ['claimed', 'Claimed'],
      ['muted', 'Muted'],
      ['fixed', 'Fixed'],
      ['open', 'Broken again'],
    ] as const) {
      await becomes(breakage, state, id('users', 'kim'))
      await room.quiet()
      expect(message!.text).toContain(words)
    }
    expect(
      vendors()
        .messages(kind, 'C0BUILDS')
        .filter(({ thread }) => thread === undefined),
    ).toHaveLength(1)
    expect(vendors().violations()).toEqual([])
  })

  test('that is unclaimed, which has no event, is open in its message too', async () => {
    await channel('discord', 'builds')
    node()
    const breakage = await breaks()
    await becomes(breakage, 'claimed', id('users', 'kim'))
    await room.quiet()
    expect(said('discord', 'builds')).toEqual([expect.stringContaining('Claimed')])
    const by = { account_id: id('accounts', 'owl'), project_id: id('projects', 'star'), user_id: id('users', 'ann') }
    await edit(studio().db, by, breakage, { state: 'open' }, SITE)
    await room.quiet()
    expect(said('discord', 'builds')).toEqual([expect.stringContaining('Broken on main')])
  })

  test('that is fixed and reopens is posted in the thread of its message if there are threads', async () => {
    await channel('slack', 'C0BUILDS')
    node()
    const breakage = await breaks()
    await room.quiet()
    await becomes(breakage, 'fixed')
    await room.quiet()
    await becomes(breakage, 'open')
    await room.quiet()
    const [message, ...below] = vendors().messages('slack', 'C0BUILDS')
    expect(below.map(({ thread, text }) => [thread, text])).toEqual([
      [message!.id, expect.stringContaining('Fixed')],
      [message!.id, expect.stringContaining('Broken again')],
    ])
  })

  test.each(CHANNEL_KINDS.filter((kind) => !CHANNEL_KIND_TABLE[kind].edits))(
    'is posted in %s as broken, fixed and broken again, and once only if a second rule asks for fixed ones',
    async (kind) => {
      await channel(kind, 'C0ONE')
      await channel(kind, 'C0TWO', [{ subject: 'breakage' }, { subject: 'breakage_fixed' }])
      node()
      const breakage = await breaks()
      await room.quiet()
      for (const state of ['claimed', 'fixed', 'open', 'fixed'] as const) {
        await becomes(breakage, state, id('users', 'kim'))
        await room.quiet()
      }
      const words = ['Broken', 'Fixed', 'Broken again', 'Fixed'].map((word) =>
        expect.stringMatching(new RegExp(`${word} on main`)),
      )
      expect(said(kind, 'C0ONE')).toEqual(words)
      expect(said(kind, 'C0TWO')).toEqual(words)
    },
  )

  test('in a room that subscribes only to fixed ones is also posted as broken again, so that the last message is true', async () => {
    await channel('teams', 'mended', [{ subject: 'breakage_fixed' }])
    node()
    const breakage = await breaks()
    for (const state of ['fixed', 'open'] as const) {
      await becomes(breakage, state)
      await room.quiet()
    }
    expect(said('teams', 'mended')).toEqual([expect.stringContaining('Fixed'), expect.stringContaining('Broken again')])
  })

  test('that is fixed before its first message is sent is not posted until it reopens', async () => {
    const rooms = ['teams', 'discord', 'slack'] as const
    const made = await Promise.all(rooms.map((kind) => channel(kind, 'C0LATENESS')))
    const breakage = await breaks()
    await becomes(breakage, 'fixed')
    node()
    await room.quiet()
    expect(rooms.map((kind) => said(kind, 'C0LATENESS'))).toEqual([[], [], []])
    expect(await messages(made[0]!.id)).toMatchObject([{ status: 'skipped' }])
    await becomes(breakage, 'open')
    await room.quiet()
    const again = [expect.stringContaining('Broken again')]
    expect(rooms.map((kind) => said(kind, 'C0LATENESS'))).toEqual([again, again, again])
  })

  test('that changes while a room is rate limited is posted in order, and the last message is true', async () => {
    const { id: channelId } = await channel('mattermost', 'slow')
    node()
    const breakage = await breaks()
    await room.quiet()
    const rest = (until: ReturnType<typeof sql>) =>
      studio().db.execute(sql`update destinations set rests_until = ${until} where id = ${channelId}`)
    await rest(sql`now() + interval '1 hour'`)
    for (const state of ['fixed', 'open', 'fixed', 'open'] as const) await becomes(breakage, state)
    await room.heard()
    await rest(sql`now()`)
    await room.quiet()
    expect(said('mattermost', 'slow').map((text) => /Broken again|Broken|Fixed/.exec(text)![0])).toEqual([
      'Broken',
      'Fixed',
      'Broken again',
      'Fixed',
      'Broken again',
    ])
  })

  test('that is withdrawn says so in its message if it can be edited; elsewhere nothing is posted', async () => {
    await channel('discord', 'edits')
    await channel('slack_webhook', 'C0POSTS')
    node()
    const [breakage, other] = [await breaks({ cause: 'Cook failed' }), await breaks({ cause: 'The cave fell in' })]
    await room.quiet()
    await studio().db.execute(sql`
      update breakages set state = 'withdrawn', withdrawn_reason = 'same_as', same_as_breakage_id = ${other} where id = ${breakage}`)
    await room.quiet()
    expect(said('discord', 'edits')[0]).toMatch(/Withdrawn[\s\S]*Duplicate of[\s\S]*The cave fell in/)
    expect(said('slack_webhook', 'C0POSTS')).toHaveLength(2)
    expect([...said('discord', 'edits'), ...said('slack_webhook', 'C0POSTS')].join()).not.toContain('Fixed')
  })

  test('that flickers is one message with a counter; rooms that cannot edit messages get one post a day', async () => {
    const kinds = ['slack', 'discord', 'teams'] as const
    for (const kind of kinds) await channel(kind, 'C0FLICKER')
    node()
    const breakage = await breaks({
      suspect: { change_id: Number(studio().world.changes!.lamp!.id), user_id: id('users', 'kim') },
    })
    await room.quiet()
    await studio().db.execute(sql`update breakages set flaky = true, suspects = '[]' where id = ${breakage}`)
    const flicker = async () => {
      for (const state of ['fixed', 'open'] as const) {
        await becomes(breakage, state)
        await room.heard()
      }
      await until(async () => (await due()) === 0)
    }
    const due = () =>
      studio().db.execute(sql`
        select from messages where status in ('waiting', 'sending') and not_before <= goldmaster_now()`)
    for (let i = 0; i < 3; i++) await flicker()
    for (const kind of kinds) expect(said(kind, 'C0FLICKER')).toHaveLength(1)
    for (const kind of ['slack', 'discord'] as const) expect(said(kind, 'C0FLICKER')[0]).toMatch(/Flaky[\s\S]*4 times/)
    await advanceClock(studio().db, '25 hours')
    await until(() => said('teams', 'C0FLICKER').length === 2)
    await flicker()
    expect(said('teams', 'C0FLICKER')).toEqual([expect.stringContaining('Broken on main'), expect.stringContaining('4 times')])
    for (const kind of ['slack', 'discord'] as const) expect(said(kind, 'C0FLICKER')).toHaveLength(1)
  })
})

describe('rules', () => {
  test('match by branch, job and category, each with wildcards', async () => {
    await channel('mattermost', 'release', [{ branch: 'rel-*' }])
    await channel('mattermost', 'cook', [{ job: '*ook*' }])
    await channel('mattermost', 'disk', [{ category: 'out_of_disk' }])
    await channel('mattermost', 'both', [{ branch: 'main', job: 'Test' }])
    node()
    await breaks({ branch: 'rel-1', jobs: ['Test'], cause: 'one' })
    await breaks({ branch: 'main', jobs: ['Test', 'Cook Win64'], cause: 'two' })
    await breaks({ branch: 'dev', jobs: ['Lint'], category: 'out_of_disk', cause: 'three' })
    await room.quiet()
    const heard = (name: string) => said('mattermost', name).map((text) => /error: (\w+)/.exec(text)?.[1])
    expect(['release', 'cook', 'disk', 'both'].map(heard)).toEqual([['one'], ['two'], ['three'], ['two']])
  })

  test('of another project and another account do not match', async () => {
    const { id: channelId } = await channel('mattermost', 'star')
    node()
    await breaks({ project_id: id('projects', 'den'), cause: 'nobody here may know' })
    await breaks({ cause: 'known' })
    await room.quiet()
    expect(said('mattermost', 'star')).toEqual([expect.stringContaining('known')])
    await expect(channels.find(studio().db, id('accounts', 'fox'), channelId)).rejects.toThrow('Channel')
    await expect(
      channels.edit(studio().db, studio().service.vault, id('accounts', 'owl'), channelId, {
        rules: [
          {
            project_id: id('projects', 'den'),
            subject: 'breakage',
            branch: '',
            job: '',
            category: null,
            hours: null,
            here: false,
            quiet_from: null,
            quiet_until: null,
          },
        ],
      }),
    ).rejects.toThrow('Project')
  })

  test('mention everybody only if one says so, and suspects in one room only', async () => {
    await channel('slack', 'C0LOUDER', [{ here: true }])
    await channel('slack', 'C0CALMER')
    node()
    const change = Number(studio().world.changes!.lamp!.id)
    await breaks({ suspect: { change_id: change, user_id: id('users', 'kim') } })
    await room.quiet()
    const pings = (name: string) => vendors().messages('slack', name)[0]!.pings
    expect(pings('C0LOUDER')).toEqual(expect.arrayContaining(['here', 'U0KIM']))
    expect(pings('C0CALMER')).toEqual([])
  })

  test('with quiet hours hold messages until their end', async () => {
    const { id: channelId } = await channel('mattermost', 'asleep', [{ quiet_from: '00:00', quiet_until: '23:59' }])
    await channel('mattermost', 'awake', [{ quiet_from: '00:00', quiet_until: '00:00' }])
    node()
    await breaks()
    await room.heard()
    await until(() => said('mattermost', 'awake').length === 1)
    // There is one minute of the day in which it would not wait.
    const zone = sql`(select timezone from accounts where id = ${id('accounts', 'owl')})`
    const waits = await studio().db.one<{ minutes: number; expected: boolean }>(sql`
      select extract(epoch from m.not_before - m.created_at) / 60 as minutes, (m.created_at at time zone ${zone})::time < '23:59' as expected
      from messages m where destination_id = ${channelId}`)
    if (waits!.expected) {
      expect(Number(waits!.minutes)).toBeGreaterThan(0)
      expect(said('mattermost', 'asleep')).toEqual([])
    }
    await studio().db.execute(sql`update messages set not_before = now()`)
    await room.quiet()
    expect(said('mattermost', 'asleep')).toHaveLength(1)
  })
})

test('a paused channel gets nothing that happens meanwhile', async () => {
  const { id: channelId, account_id } = await channel('mattermost', 'shy')
  node()
  const set = (status: 'active' | 'paused') =>
    channels.edit(studio().db, studio().service.vault, account_id, channelId, { status })
  await set('paused')
  await breaks({ cause: 'unheard' })
  await room.heard()
  await set('active')
  await breaks({ cause: 'heard' })
  await room.quiet()
  expect(said('mattermost', 'shy')).toEqual([expect.stringContaining('heard')])
})

test('a test message is sent like every other', async () => {
  const made = await channel('rocketchat', 'new', [])
  node()
  const { id: message } = await log.test(studio().db, made)
  await room.quiet()
  expect(said('rocketchat', 'new')).toEqual([expect.stringContaining('Test message')])
  expect(await log.find(studio().db, made, message, SITE)).toMatchObject({
    status: 'sent',
    attempts: [{ action: 'post', status: 200, error: '' }],
  })
})

test('messages that waited for more than a day are not sent any more', async () => {
  const { id: channelId } = await channel('mattermost', 'old')
  node()
  await studio().db.execute(sql`update destinations set rests_until = now() + interval '1 hour'`)
  await breaks()
  await room.heard()
  await studio().db.execute(sql`update messages set not_before = now() - interval '25 hours'`)
  await studio().db.execute(sql`update destinations set rests_until = now()`)
  await room.quiet()
  expect(said('mattermost', 'old')).toEqual([])
  expect(await messages(channelId)).toMatchObject([{ status: 'failed' }])
})
