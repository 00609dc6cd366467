import { expect, test } from 'vitest'
import { openChannelRoom } from '../../../test/support/studios/channel-room.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import { recordEvent } from '../breakages/history.ts'
import { sequenceAll } from '../feed/sequencer.ts'
import * as inbox from './inbox.ts'
import * as preferences from './preferences.ts'

const { studio, vendors, id, node, channel, breaks, quiet, heard } = openChannelRoom()

const suspect = (user: string) => ({ change_id: Number(studio().world.changes!.lamp!.id), user_id: id('users', user) })
const mailsTo = (user: string) =>
  studio().db.rows<{ subject: string; text: string }>(
    sql`select subject, text from mails where to_user_id = ${id('users', user)}`,
  )
const titles = async (user: string) =>
  (await inbox.list(studio().db, id('users', user), {})).notifications.map(({ title }) => title)
const posts = () =>
  vendors()
    .messages('slack')
    .map(({ room, pings }) => [room, pings])

test('a person with a mention in a room gets no direct message and no mail, only the inbox entry', async () => {
  await channel('slack', 'C0BUILDS')
  node()
  await breaks({ suspect: suspect('kim') })
  await quiet()
  expect(posts()).toEqual([['C0BUILDS', ['U0KIM']]])
  expect(await mailsTo('kim')).toEqual([])
  expect(await titles('kim')).toEqual(['Broken on main: error: The cave fell in (your change CL 101)'])
})

test('a person whom a bot mentions in one room gets no mail because another room cannot mention them', async () => {
  await studio().db.execute(sql`update users set email_verified = true where id = ${id('users', 'kim')}`)
  await channel('slack', 'C0BUILDS')
  await channel('mattermost', 'town')
  node()
  await breaks({ suspect: suspect('kim') })
  await quiet()
  expect(posts()).toEqual([['C0BUILDS', ['U0KIM']]])
  expect(vendors().messages('mattermost', 'town')).toMatchObject([{ pings: [], text: expect.stringContaining('Kim') }])
  expect(await mailsTo('kim')).toEqual([])
})

test('a person is mentioned in one of two rooms, and named in the other', async () => {
  await channel('slack', 'C0BUILDS')
  await channel('slack', 'C0LEADS')
  node()
  await breaks({ suspect: suspect('kim') })
  await quiet()
  expect(posts().sort()).toEqual([
    ['C0BUILDS', ['U0KIM']],
    ['C0LEADS', []],
  ])
  expect(vendors().messages('slack', 'C0LEADS')[0]!.text).toContain('by Kim')
  expect(await mailsTo('kim')).toEqual([])
})

test('a room waits until it is decided whom it mentions', async () => {
  await channel('slack', 'C0BUILDS')
  node()
  await studio().db.transaction(async (db) => {
    // The reader of the inbox, as another node that is slow.
    await db.execute(sql`select pg_advisory_xact_lock(${0x72656164}, 2)`)
    await breaks({ suspect: suspect('kim') })
    await sequenceAll(studio().db)
    await until(
      async () =>
        (await studio().db.execute(sql`
          select from messages m join destinations d on d.id = m.destination_id
          where m.status = 'sent' or m.status = 'waiting' and d.rests_until > goldmaster_now()`)) > 0,
    )
    expect(posts()).toEqual([])
  })
  await quiet()
  expect(posts()).toEqual([['C0BUILDS', ['U0KIM']]])
  expect(await studio().db.rows(sql`select way from notifications where user_id = ${id('users', 'kim')}`)).toEqual([
    { way: 'room' },
  ])
})

test('a person without a mention gets a direct message about "your change"', async () => {
  await channel('slack', 'C0BUILDS', [{ subject: 'deployment' }])
  node()
  await breaks({ suspect: suspect('kim') })
  await quiet()
  expect(posts()).toEqual([['D0KIM', []]])
  expect(vendors().messages('slack')[0]!.text).toContain('your change CL 101')
  expect(await mailsTo('kim')).toEqual([])
})

test('a person without a chat account gets an email about "your change"', async () => {
  await breaks({ suspect: suspect('kim') })
  node()
  await heard()
  const [mail, ...more] = await mailsTo('kim')
  expect(more).toEqual([])
  expect(mail!.text).toContain('Your change CL 101 Move the lamp may have broken this: touches the line.')
})

test('a person unknown to the chat vendor gets one email instead', async () => {
  await studio().db.execute(sql`update users set email = 'kim.sato@example.com' where id = ${id('users', 'kim')}`)
  await channel('slack', 'C0BUILDS')
  node()
  await breaks({ suspect: suspect('kim') })
  await quiet()
  expect(posts()).toEqual([['C0BUILDS', []]])
  expect(vendors().messages('slack')[0]!.text).toContain('by Kim')
  expect(await mailsTo('kim')).toHaveLength(1)
  await studio().db.execute(sql`update users set email = 'kim@example.com' where id = ${id('users', 'kim')}`)
})

test('a person who turned off chat gets the email, and no room mentions them', async () => {
  await preferences.edit(studio().db, id('users', 'kim'), {
    kinds: [{ kind: 'suspected', in_app: true, mail: true, chat: false }],
  })
  await channel('slack', 'C0BUILDS')
  node()
  await breaks({ suspect: suspect('kim') })
  await quiet()
  expect(posts()).toEqual([['C0BUILDS', []]])
  expect(await mailsTo('kim')).toHaveLength(1)
})

test('a person who is suspected after the message was posted gets a direct message, because an edit pings nobody', async () => {
  await channel('slack', 'C0BUILDS')
  node()
  const breakage = await breaks({ suspect: suspect('kim') })
  await quiet()
  // The edit waits for the room.
  await studio().db.execute(sql`update destinations set rests_until = now() + interval '1 hour'`)
  const suspects = JSON.stringify([
    { score: 0.9, reasons: ['touches the line'], reason_codes: ['file_named'], ...suspect('ann') },
  ])
  await studio().db.execute(sql`update breakages set suspects = ${suspects}::jsonb where id = ${breakage}`)
  await recordEvent(
    studio().db,
    'breakage.suspects_changed',
    { account_id: id('accounts', 'owl'), id: breakage },
    { occurrence: 1 },
  )
  await heard()
  expect(await studio().db.rows(sql`select way from notifications where user_id = ${id('users', 'ann')}`)).toEqual([
    { way: 'direct' },
  ])
})

test('an author who is mapped to no member is named as in version control', async () => {
  const { changes } = await studio().load({
    changes: [
      {
        key: 'p4',
        project: id('projects', 'star'),
        identifier: '1204',
        source_type: 'Changelist',
        author: 'rock.artist',
        description: 'Rocks',
      },
      {
        key: 'git',
        project: id('projects', 'star'),
        identifier: 'c'.repeat(40),
        source_type: 'GitCommit',
        author: 'Rock Artist <rock@example.com>',
        description: 'Stones',
      },
    ],
  })
  await channel('slack', 'C0BUILDS')
  node()
  for (const key of ['p4', 'git']) await breaks({ cause: key, suspect: { change_id: Number(changes![key]!.id), user_id: null } })
  await quiet()
  const [perforce, git] = vendors().messages('slack')
  expect(perforce).toMatchObject({ pings: [], text: expect.stringContaining('by rock.artist: touches the line') })
  expect(git).toMatchObject({ pings: [], text: expect.stringContaining('by Rock Artist: touches the line') })
  expect(git!.text).not.toContain('rock@example.com')
})

test('a message about a breakage gives its start time with the time zone', async () => {
  await studio().db.execute(sql`update accounts set timezone = 'Europe/Berlin' where id = ${id('accounts', 'owl')}`)
  await channel('slack', 'C0BUILDS')
  node()
  await breaks()
  await quiet()
  expect(vendors().messages('slack')[0]!.text).toMatch(/Since: \d+ \w+ \d{4}, \d\d:\d\d Europe\/Berlin/)
  await studio().db.execute(sql`update accounts set timezone = default`)
})

test('a direct message does not wait for a rate-limited room', async () => {
  await channel('slack', 'C0BUILDS', [{ subject: 'breakage', branch: 'dev' }])
  node()
  await studio().db.execute(sql`update destinations set rests_until = now() + interval '1 hour'`)
  await breaks({ branch: 'dev', cause: 'in the room' })
  await breaks({ cause: 'to Kim', suspect: suspect('kim') })
  await heard()
  await until(() => posts().length === 1)
  expect(posts()).toEqual([['D0KIM', []]])
  await studio().db.execute(sql`update destinations set rests_until = now(), direct_rests_until = now() + interval '1 hour'`)
  await quiet()
  expect(posts()).toEqual([
    ['D0KIM', []],
    ['C0BUILDS', []],
  ])
})
