import { describe, expect, test } from 'vitest'
import { openChannelRoom, RULE, SITE } from '../../../test/support/studios/channel-room.ts'
import { sql } from '../../db/database.ts'
import { sequenceAll } from '../feed/sequencer.ts'
import { readOutbox } from '../inbox/outbox-readers.ts'
import { sendDigests } from './digest.ts'
import * as inbox from './inbox.ts'
import * as preferences from './preferences.ts'
import { readUnsubscribe } from './unsubscribe.ts'

const { studio, vendors, id, node, channel, breaks, becomes, quiet } = openChannelRoom()

const db = () => studio().db
const means = () => ({ vault: studio().service.vault, site: SITE })
/** Processes all events, as a node does. */
async function look() {
  await sequenceAll(db())
  while (await readOutbox(db(), means()));
}
const titles = async (user: string) => (await inbox.list(db(), id('users', user), {})).notifications.map(({ title }) => title)
const mails = () =>
  db().rows<{ to_user_id: number; subject: string; text: string; unsubscribe: string }>(sql`
    select to_user_id, subject, text, unsubscribe from mails order by id`)
const suspect = (user: string) => ({ change_id: Number(studio().world.changes!.lamp!.id), user_id: id('users', user) })

/** Members have access only to projects that list them, as guests do, and Ann is one of these. */
async function withSight(role: 'member' | 'guest', run: () => Promise<unknown>) {
  const set = (sees: boolean, role: string) =>
    db().execute(sql`
      with seeing as (update accounts set members_see_projects = ${sees} where id = ${id('accounts', 'owl')})
      update account_members set role = ${role} where user_id = ${id('users', 'ann')}`)
  await set(false, role)
  await run().finally(() => set(true, 'member'))
}

describe('a person is notified', () => {
  test('once when their change is a suspect, in the app and by email, and nobody else is', async () => {
    await breaks({ cause: 'The lamp went out', suspect: suspect('kim') })
    await look()
    await look()
    expect(await titles('kim')).toEqual(['Broken on main: error: The lamp went out (your change CL 101)'])
    expect(await titles('ann')).toEqual([])
    const [mail, ...more] = await mails()
    expect(more).toEqual([])
    expect(mail).toMatchObject({ to_user_id: id('users', 'kim'), subject: 'Broken on main: error: The lamp went out' })
    for (const words of [
      'Your change CL 101 Move the lamp',
      'select “Not the cause”',
      'touches the line',
      '/breakages/',
      mail!.unsubscribe,
    ])
      expect(mail!.text).toContain(words)
  })

  test('of nothing without a reason against them, and no chat room names or mentions them', async () => {
    await channel('slack', 'C0BUILDS')
    node()
    await breaks({ branch: '', cause: 'Out of the blue', suspect: { ...suspect('kim'), reasons: [], reason_codes: [] } })
    await quiet()
    expect(await titles('kim')).toEqual([])
    expect(await mails()).toEqual([])
    const [message, ...more] = vendors().messages('slack')
    expect(more).toEqual([])
    expect(message).toMatchObject({ pings: [], text: expect.stringContaining('Broken: error: Out of the blue') })
    expect(message!.text).not.toContain('Kim')
  })

  test('in a room with the author and the integrator of an integrated change', async () => {
    await channel('slack', 'C0BUILDS')
    node()
    const merged = (key: string, writer: string) => ({
      key,
      project: id('projects', 'star'),
      identifier: key,
      source_type: 'Changelist',
      author: 'robomerge',
      description: `Tune\n#ROBOMERGE-AUTHOR: ${writer}\n#ROBOMERGE-SOURCE: CL 12 in //engine/main/...`,
    })
    const { changes } = await studio().load({ changes: [merged('301', 'ann'), merged('302', 'lee')] })
    await breaks({ cause: 'of ann', suspect: { change_id: Number(changes!['301']!.id), user_id: id('users', 'ann') } })
    await breaks({ cause: 'of lee', suspect: { change_id: Number(changes!['302']!.id), user_id: null } })
    await quiet()
    const said = vendors()
      .messages('slack')
      .map(({ text }) => text)
    expect(said).toEqual([
      expect.stringMatching(/CL 301 Tune.* by <@U0ANN>, integrated by robomerge/),
      expect.stringMatching(/CL 302 Tune.* by lee, integrated by robomerge/),
    ])
  })

  test('of nothing in a project without access, and no more after they are removed from it', async () => {
    const [project, ann] = [id('projects', 'star'), id('users', 'ann')]
    const rooms = () =>
      vendors()
        .messages('slack')
        .map(({ room, pings, text }) => [room, pings, text.includes('Broken')])
    await channel('slack', 'C0BUILDS')
    node()
    for (const role of ['member', 'guest'] as const)
      await withSight(role, async () => {
        await breaks({ cause: `unseen by a ${role}`, suspect: suspect('ann') })
        await quiet()
      })
    expect(await mails()).toEqual([])
    const silent = ['C0BUILDS', [], true]
    expect(rooms()).toEqual([silent, silent])
    await withSight('guest', async () => {
      expect(await titles('ann')).toEqual([])
      await db().execute(sql`
        insert into project_members (account_id, project_id, user_id, project_role)
        values (${id('accounts', 'owl')}, ${project}, ${ann}, 'viewer')`)
      await breaks({ cause: 'seen', suspect: suspect('ann') })
      await quiet()
      expect(await titles('ann')).toEqual(['Broken on main: error: seen (your change CL 101)'])
      expect(rooms().slice(2)).toEqual([['C0BUILDS', ['U0ANN'], true]])
      await db().execute(sql`update channel_rules set branch = 'dev'`)
      const seen = await breaks({ cause: 'seen alone', suspect: suspect('ann') })
      await quiet()
      const own = ['D0ANN', [], true]
      expect(rooms().slice(3)).toEqual([own])
      expect(await mails()).toEqual([])
      await db().execute(sql`delete from project_members where user_id = ${ann}`)
      await becomes(seen, 'fixed')
      await quiet()
      expect(rooms().filter(([room]) => room === 'D0ANN')).toEqual([own])
      expect(await titles('ann')).toEqual([])
    })
  })

  test('again when it reopens', async () => {
    const breakage = await breaks({ suspect: suspect('kim') })
    await look()
    await inbox.mark(db(), id('users', 'kim'), { read: true })
    await becomes(breakage, 'fixed')
    await becomes(breakage, 'open')
    await look()
    expect((await inbox.list(db(), id('users', 'kim'), {})).unread).toBe(1)
    expect(await mails()).toHaveLength(2)
  })

  test('when a breakage is assigned to them, unless they took it themselves', async () => {
    const [given, taken] = [await breaks({ cause: 'given' }), await breaks({ cause: 'taken' })]
    const claim = (breakage: number, by: string, detail: object) =>
      db().execute(sql`
        insert into breakage_history (account_id, breakage_id, kind, user_id, detail)
        values (${id('accounts', 'owl')}, ${breakage}, 'claimed', ${id('users', by)}, ${JSON.stringify(detail)}::jsonb)`)
    await claim(given, 'kim', { owner_user_id: id('users', 'ann') })
    await becomes(given, 'claimed', id('users', 'ann'))
    await claim(taken, 'ann', {})
    await becomes(taken, 'claimed', id('users', 'ann'))
    await look()
    expect(await titles('ann')).toEqual(['Claimed on main: error: given'])
  })

  test('of a task that somebody else assigned, and of the assets of one change together', async () => {
    const project = id('projects', 'star')
    await db().execute(
      sql`insert into project_members (account_id, project_id, user_id, project_role)
        values (${id('accounts', 'owl')}, ${project}, ${id('users', 'kim')}, 'lead')`,
    )
    await db().execute(sql`
      insert into tasks (account_id, project_id, title, user_id, created_by_user_id)
      select ${id('accounts', 'owl')}, ${project}, t.title, ${id('users', 'ann')}, t.by
      from (values ('Paint the door', ${id('users', 'kim')}::integer), ('My own', ${id('users', 'ann')}::integer)) t (title, by)`)
    await db().execute(sql`
      with made as (insert into assets (account_id, project_id, name, path, asset_type)
        select ${id('accounts', 'owl')}, ${project}, 'T_' || n, 'T_' || n, 'texture' from generate_series(1, 3) n returning id)
      insert into approvals (account_id, project_id, asset_id, commit_sha) select ${id('accounts', 'owl')}, ${project}, id, '101' from made`)
    await look()
    expect(await titles('ann')).toEqual([expect.stringContaining('Paint the door')])
    expect(await titles('kim')).toEqual(['3 assets of CL 101 are waiting for approval in Starfall'])
  })

  test('separately of changes with the same number in two projects, and so is a room', async () => {
    const account = id('accounts', 'owl')
    const { projects } = await studio().load({ projects: [{ key: 'two', account, name: 'Moonrise' }] })
    const both = [id('projects', 'star'), Number(projects!.two!.id)]
    await channel(
      'slack',
      'C0BUILDS',
      both.map((project_id) => ({ project_id, subject: 'approval' })),
    )
    node()
    for (const project of both)
      await db().execute(sql`
        with made as (insert into assets (account_id, project_id, name, path, asset_type)
          values (${account}, ${project}, 'T_Door', 'T_Door', 'texture') returning id)
        insert into approvals (account_id, project_id, asset_id, commit_sha) select ${account}, ${project}, id, '202' from made`)
    await quiet()
    const words = ['T_Door is waiting for approval in Moonrise', 'T_Door is waiting for approval in Starfall']
    expect((await titles('kim')).sort()).toEqual(words)
    const said = vendors()
      .messages('slack')
      .filter(({ room }) => room === 'C0BUILDS')
    expect(said.map(({ text }) => words.find((one) => text.includes(one))).sort()).toEqual(words)
  })

  test('by a direct message if a bot can find them, and not after they leave the account', async () => {
    await channel('slack', 'C0BUILDS', [{ subject: 'deployment' }])
    node()
    await breaks({ suspect: suspect('kim') })
    await quiet()
    expect(
      vendors()
        .messages('slack')
        .map(({ room }) => room),
    ).toEqual(['D0KIM'])
    await db().execute(sql`delete from account_members where user_id = ${id('users', 'kim')}`)
    try {
      await breaks({ cause: 'another', suspect: suspect('kim') })
      await look()
      expect(await titles('kim')).toEqual([])
      expect(await mails()).toEqual([])
    } finally {
      await db().execute(sql`
        insert into account_members (account_id, user_id, role) values (${id('accounts', 'owl')}, ${id('users', 'kim')}, 'owner')`)
    }
  })
})

describe('a person with other notification settings', () => {
  test('is notified only where they chose', async () => {
    await preferences.edit(db(), id('users', 'kim'), { kinds: [{ kind: 'suspected', in_app: false, mail: true, chat: false }] })
    await channel('slack', 'C0BUILDS')
    node()
    await breaks({ suspect: suspect('kim') })
    await quiet()
    expect(await titles('kim')).toEqual([])
    expect(await mails()).toHaveLength(1)
    expect(
      vendors()
        .messages('slack')
        .map(({ room, pings }) => [room, pings]),
    ).toEqual([['C0BUILDS', []]])
  })

  test('unsubscribes from a kind of email by its link, signed out, and only with a POST', async () => {
    await breaks({ suspect: suspect('kim') })
    await look()
    const { unsubscribe } = (await mails())[0]!
    const path = unsubscribe.slice(SITE.length)
    await studio().ask(path)
    expect((await preferences.show(db(), id('users', 'kim'))).kinds[0]).toMatchObject({ kind: 'suspected', mail: true })
    expect(await studio().ask(path, { method: 'POST', raw: 'List-Unsubscribe=One-Click' })).toMatchObject({ status: 200 })
    expect(await preferences.show(db(), id('users', 'kim'))).toMatchObject({
      kinds: [
        { kind: 'suspected', in_app: true, mail: false, chat: true },
        { kind: 'given', mail: true },
        { kind: 'mentioned', mail: true },
        { kind: 'approval', mail: false },
        { kind: 'task', mail: true },
        { kind: 'budget', mail: false },
        { kind: 'quarantine', mail: false },
      ],
    })
    for (const token of ['', 'x', studio().service.vault.seal('something else 1 task', 'unsubscribe')])
      expect((await studio().ask(`/unsubscribe?token=${encodeURIComponent(token)}`, { method: 'POST', raw: '' })).status).toBe(
        422,
      )
    expect(() => readUnsubscribe(studio().service.vault, 'AAAA')).toThrow('token')
  })

  test('gets no email at an unverified address', async () => {
    await db().execute(sql`update users set email_verified = false where id = ${id('users', 'kim')}`)
    await breaks({ suspect: suspect('kim') })
    await look()
    await db().execute(sql`update users set email_verified = true where id = ${id('users', 'kim')}`)
    expect(await titles('kim')).toHaveLength(1)
    expect(await mails()).toEqual([])
  })
})

test('who gets a hundred notifications at once finds them in the app, and the first ones by email', async () => {
  await db().execute(sql`
    insert into tasks (account_id, project_id, title, user_id, created_by_user_id)
    select ${id('accounts', 'owl')}, ${id('projects', 'star')}, 'Task ' || n, ${id('users', 'ann')}, ${id('users', 'kim')}
    from generate_series(1, 100) n`)
  await look()
  expect((await inbox.list(db(), id('users', 'ann'), {})).unread).toBe(100)
  expect(await mails()).toHaveLength(20)
})

test('a time zone that only one side knows blocks nobody', async () => {
  await db().execute(sql`update accounts set timezone = 'AET' where id = ${id('accounts', 'owl')}`)
  await db().execute(
    sql`update users set daily_digest = true, timezone = 'AET', digested_at = null where id = ${id('users', 'kim')}`,
  )
  await channel('mattermost', 'builds', [{ quiet_from: '00:00', quiet_until: '00:00' }])
  node()
  await breaks({ suspect: suspect('kim') })
  await quiet()
  expect(vendors().messages('mattermost', 'builds')).toHaveLength(1)
  expect(await titles('kim')).toHaveLength(1)
  await sendDigests({ db: db(), ...means() })
  await db().execute(sql`update accounts set timezone = default`)
  await db().execute(sql`update users set daily_digest = false, timezone = null`)
})

describe('the inbox', () => {
  test('belongs to one person, shows the number of unread entries, and is paged', async () => {
    for (let i = 0; i < 60; i++) await breaks({ cause: `number ${i}`, suspect: suspect('kim') })
    await look()
    const first = await inbox.list(db(), id('users', 'kim'), {})
    expect(first).toMatchObject({ unread: 60, has_more: true })
    const second = await inbox.list(db(), id('users', 'kim'), { before: first.notifications.at(-1)!.id })
    expect(second.has_more).toBe(false)
    const all = [...first.notifications, ...second.notifications]
    expect(new Set(all.map(({ title }) => title)).size).toBe(60)
    const some = all.slice(0, 2).map((one) => one.id)
    await inbox.mark(db(), id('users', 'ann'), { ids: some, read: true })
    expect((await inbox.list(db(), id('users', 'kim'), {})).unread).toBe(60)
    await inbox.mark(db(), id('users', 'kim'), { ids: some, read: true })
    expect((await inbox.list(db(), id('users', 'kim'), { unread: true })).unread).toBe(58)
    await inbox.mark(db(), id('users', 'kim'), { read: true })
    expect(await inbox.list(db(), id('users', 'kim'), { unread: true })).toMatchObject({ notifications: [], unread: 0 })
  })
})

describe('the daily digest', () => {
  const digests = async () => {
    await sendDigests({ db: db(), ...means() })
    return (await mails()).filter(({ subject }) => subject.startsWith('Daily digest'))
  }
  /** At any time it is eight in the morning or later in some time zone, and earlier in another. */
  const zoneWhere = async (holds: (hour: number) => boolean) => {
    const zones = Array.from({ length: 24 }, (_, i) => `Etc/GMT${i < 12 ? `+${i}` : `-${i - 11}`}`)
    const found = await db().rows<{ zone: string; hour: number }>(sql`
      select z as zone, extract(hour from now() at time zone z)::integer as hour from unnest(${zones}::text[]) z`)
    return found.find(({ hour }) => holds(hour))!.zone
  }

  test("is sent once, in the reader's morning, and lists what happened", async () => {
    await breaks({ cause: 'The cave fell in' })
    const fixed = await breaks({ cause: 'The lamp went out' })
    await becomes(fixed, 'fixed')
    const set = (timezone: string, ago: string) =>
      db().execute(sql`
        update users set daily_digest = true, timezone = ${timezone}, digested_at = now() - ${ago}::interval where id = ${id('users', 'kim')}`)
    await set(await zoneWhere((hour) => hour < 7), '20 hours')
    expect(await digests()).toEqual([])
    await set(await zoneWhere((hour) => hour > 8 && hour < 20), '26 hours')
    const [mail] = await digests()
    for (const words of [
      'Starfall: 1 open breakage',
      'New breakages',
      'main: error: The cave fell in',
      'Fixed',
      'The lamp went out',
    ])
      expect(mail!.text).toContain(words)
    expect(mail!.text).not.toContain('Den')
    expect(await digests()).toHaveLength(1)
    await db().execute(sql`update users set daily_digest = false, digested_at = null, timezone = null`)
  })

  test('counts every event but lists only the newest', async () => {
    for (let i = 0; i < 14; i++) await breaks({ cause: `number ${i}` })
    await db().execute(sql`
      update users set daily_digest = true, timezone = ${await zoneWhere((hour) => hour > 8 && hour < 20)},
        digested_at = now() - interval '26 hours' where id = ${id('users', 'kim')}`)
    const [mail] = await digests()
    expect(mail!.subject).toBe('Daily digest: 14 new breakages, 14 open')
    expect(mail!.text.match(/number \d+/g)).toHaveLength(10)
    expect(mail!.text).toContain('- and 4 more')
    await db().execute(sql`update users set daily_digest = false, digested_at = null, timezone = null`)
  })

  test("is not sent if nothing happened in the reader's projects", async () => {
    await breaks({ cause: 'The cave fell in' })
    await db().execute(sql`
      update users set daily_digest = true, timezone = ${await zoneWhere((hour) => hour > 8 && hour < 20)}, digested_at = null
      where id = any (${[id('users', 'rei'), id('users', 'ann')]}::integer[])`)
    await withSight('guest', async () => expect(await digests()).toEqual([]))
    // A project that is archived is over.
    await db().execute(sql`update projects set status = 'archived' where id = ${id('projects', 'star')}`)
    await db().execute(sql`update users set digested_at = null`)
    expect((await digests()).filter(({ text }) => text.includes('Starfall'))).toEqual([])
    await db().execute(sql`update projects set status = 'active'`)
    await db().execute(sql`update users set daily_digest = false, digested_at = null, timezone = null`)
  })
})

test('a rule announces once for each good change that it has become too old', async () => {
  const { announceStaleBranches } = await import('../channels/stale-branches.ts')
  const { id: channelId } = await channel('mattermost', 'stale', [{ ...RULE, subject: 'last_known_good', hours: 5 }])
  const made = await studio().load({
    integrations: [{ key: 'ci', project: id('projects', 'star'), provider: 'jenkins' }],
    changes: ['201', '202', '203'].map((identifier, at) => ({
      key: identifier,
      project: id('projects', 'star'),
      identifier,
      source_type: 'Changelist',
      author: 'kim',
      // Nothing is newer than the only change of `calm`, however old it is.
      branches: [identifier === '203' ? 'calm' : 'main'],
      timestamp: new Date(Date.now() - (8 - at) * 3_600_000).toISOString(),
    })),
  })
  for (const [number, status] of [
    ['201', 'success'],
    ['202', 'failed'],
    ['203', 'success'],
  ])
    await studio().ask(`/webhooks/ci?token=${made.integrations!.ci!.webhook_token}`, {
      method: 'POST',
      body: { job_name: 'Cook', build_number: number, status, changelist: number, branch: number === '203' ? 'calm' : 'main' },
    })
  const queued = () => db().rows(sql`select subject, subject_id, occasion from messages where destination_id = ${channelId}`)
  await announceStaleBranches(db())
  await announceStaleBranches(db())
  expect(await queued()).toEqual([{ subject: 'last_known_good', subject_id: 'main', occasion: Number(made.changes!['201']!.id) }])
})
