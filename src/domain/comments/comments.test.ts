import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import { exportWorld } from '../../world/export.ts'
import { commentAnnouncement } from '../channels/comment-announcement.ts'
import { sequenceAll } from '../feed/sequencer.ts'
import { readOutbox } from '../inbox/outbox-readers.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [
      { key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true },
      { key: 'fox', name: 'Red Fox', plan: 'team', payment_method: true },
    ],
    users: [
      { key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } },
      { key: 'lou', email: 'lou@example.com', name: 'Lou', accounts: { owl: 'member' } },
      { key: 'mia', email: 'mia@example.com', name: 'Mia', accounts: { owl: 'member' } },
      { key: 'guest', email: 'guest@example.com', name: 'Guest', accounts: { owl: 'guest' } },
      { key: 'rival', email: 'rival@example.com', name: 'Rival', accounts: { fox: 'owner' } },
    ],
    projects: [
      { key: 'star', account: 'owl', name: 'Starfall', members: { kim: 'lead', lou: 'contributor' } },
      { key: 'moon', account: 'owl', name: 'Moonrise', members: { guest: 'contributor' } },
      { key: 'fox', account: 'fox', name: 'Foxhole' },
    ],
    tokens: [
      ...['kim', 'lou', 'rival'].map((user) => ({ key: user, user, name: user, scopes: SCOPES })),
      { key: 'builds', user: 'kim', name: 'builds', scopes: ['read:builds', 'write:comments'] },
      { key: 'reader', user: 'kim', name: 'reader', scopes: ['read:tasks'] },
    ],
    tasks: [{ key: 'task', project: 'star', title: 'Cook' }],
    build_runs: [{ key: 'build', project: 'star', status: 'failed', branch: 'main' }],
    changes: [{ key: 'change', project: 'star', identifier: 'abc', source_type: 'GitCommit', author: 'kim' }],
    assets: [
      { key: 'crate', project: 'star', name: 'T_Crate.png', path: 'T_Crate.png', asset_type: 'texture', version: 3 },
      { key: 'barrel', project: 'star', name: 'T_Barrel.png', path: 'T_Barrel.png', asset_type: 'texture', version: 3 },
    ],
    comments: [{ project: 'star', asset: 'barrel', asset_version: 1, point: { x: 0.2, y: 0.4 }, body: 'Loaded' }],
    deployments: [{ key: 'ship', project: 'star', platform: 'steam', version: '1.0' }],
    breakages: [{ key: 'breakage', project: 'star', builds: ['build'], opened_at: '2026-01-02T00:00:00Z' }],
  })
})
afterAll(() => studio.close())

const id = (kind: string, key: string) => studio.world[kind as 'tasks']![key]!.id
const user = (key: string) => studio.world.users![key]!.id as number
const ask = async (method: string, path: string, body?: object, token = 'kim', project = 'star') => {
  const { status, text } = await studio.ask(`/api/v1/projects/${id('projects', project)}/${path}`, {
    method,
    token: studio.world.tokens![token]!.token,
    ...(body && { body }),
  })
  return { status, json: JSON.parse(text) }
}
const task = () => `tasks/${id('tasks', 'task')}/comments`
const comment = async (body: string, token?: string, on = task()) => (await ask('POST', on, { body }, token)).json
async function notify() {
  await sequenceAll(studio.db)
  while (await readOutbox(studio.db, { vault: studio.service.vault, site: studio.site }));
}
const notified = (number: number) =>
  studio.db.rows<{ user_id: number }>(sql`
    select user_id, kind, title, path from notifications where subject = 'comment' and subject_id = ${String(number)} order by id`)

test('every kind of record has its own comments, newest first', async () => {
  const paths = {
    task: task(),
    build_run: `build_runs/${id('build_runs', 'build')}/comments`,
    breakage: `breakages/${id('breakages', 'breakage')}/comments`,
    change: `changes/${id('changes', 'change')}/comments`,
    asset: `assets/${id('assets', 'crate')}/comments`,
    deployment: `deployments/${id('deployments', 'ship')}/comments`,
  }
  for (const [subject, path] of Object.entries(paths)) {
    for (const body of ['first', 'second'])
      expect(await ask('POST', path, { body: `${body} on ${subject}` })).toMatchObject({
        status: 201,
        json: {
          subject,
          user_id: user('kim'),
          via_token: true,
          body: `${body} on ${subject}`,
          asset_version: subject === 'asset' ? 3 : null,
        },
      })
    const { comments } = (await ask('GET', path)).json
    expect(comments.map(({ body }: { body: string }) => body)).toEqual([`second on ${subject}`, `first on ${subject}`])
    expect(comments[0].subject_id).toBe(path.split('/')[1])
    const older = (await ask('GET', `${path}?limit=1`)).json
    expect(older.pagination).toEqual({ limit: 1, has_more: true })
    expect((await ask('GET', `${path}?before_id=${older.comments[0].id}`)).json.comments).toHaveLength(1)
  }
})

test('a comment needs a record of the project, a text and the scopes', async () => {
  expect((await ask('POST', 'tasks/999999/comments', { body: 'x' })).status).toBe(404)
  expect((await ask('POST', 'assets/none/comments', { body: 'x' })).status).toBe(404)
  expect((await ask('POST', task(), { body: 'x' }, 'rival')).status).toBe(404)
  expect((await ask('POST', task(), { body: 'x' }, 'rival', 'fox')).status).toBe(404)
  for (const body of [{ body: ' ' }, { body: 'x'.repeat(20_001) }, {}, { body: 'x', more: 1 }])
    expect((await ask('POST', task(), body)).status).toBe(422)
  expect((await ask('POST', task(), { body: 'x' }, 'reader')).json).toMatchObject({ required_scope: 'write:comments' })
  expect((await ask('GET', task(), undefined, 'builds')).json).toMatchObject({ required_scope: 'read:tasks' })
  expect((await ask('GET', task(), undefined, 'reader')).status).toBe(200)
})

test('a token reads the comments on records that its scopes can read, in every way to read one', async () => {
  const onTask = await comment('on the task', 'lou')
  const onBuild = await comment('on the build', 'lou', `build_runs/${id('build_runs', 'build')}/comments`)
  const asked = (path: string) => ask('GET', path, undefined, 'builds')
  const { comments } = (await asked('comments')).json
  expect(comments.map(({ id }: { id: number }) => id)).toContain(onBuild.id)
  expect(new Set(comments.map(({ subject }: { subject: string }) => subject))).toEqual(
    new Set(['build_run', 'breakage', 'deployment']),
  )
  const refusal = { status: 403, json: { error: 'insufficient_scope', required_scope: 'read:tasks' } }
  expect(await asked(`comments?record=task/${id('tasks', 'task')}`)).toMatchObject(refusal)
  expect(await asked(`comments/${onTask.id}`)).toMatchObject(refusal)
  expect(await ask('PUT', `comments/${onTask.id}/reactions`, { reaction: '👍', on: true }, 'builds')).toMatchObject(refusal)
  expect(await ask('PUT', `comments/${onTask.id}/resolved`, { resolved: true }, 'builds')).toMatchObject(refusal)
  const own = await comment('my own, on the task', 'kim')
  for (const { id: number } of [onTask, own]) {
    expect(await ask('PATCH', `comments/${number}`, { body: 'x' }, 'builds')).toMatchObject(refusal)
    expect(await ask('POST', `comments/${number}/attachments?name=a.txt`, { any: 'bytes' }, 'builds')).toMatchObject(refusal)
    expect(await ask('DELETE', `comments/${number}`, undefined, 'builds')).toMatchObject(refusal)
  }
  expect((await asked(`comments?record=build_run/${id('build_runs', 'build')}`)).json.comments[0].id).toBe(onBuild.id)
  expect((await asked(`comments/${onBuild.id}`)).json.body).toBe('on the build')
})

test('a token edits, illustrates and deletes what it wrote, also on records that it cannot read', async () => {
  const { id: own } = await comment('by a script', 'builds')
  expect(await ask('GET', `comments/${own}`, undefined, 'builds')).toMatchObject({ status: 403 })
  expect((await ask('PATCH', `comments/${own}`, { body: 'by a script, edited' }, 'builds')).status).toBe(200)
  expect((await ask('POST', `comments/${own}/attachments?name=a.txt`, { any: 'bytes' }, 'builds')).status).toBe(201)
  expect((await ask('DELETE', `comments/${own}`, undefined, 'builds')).status).toBe(200)
})

test('only people who see the project are mentioned', async () => {
  const { mentioned_user_ids } = await comment(
    `<@${user('lou')}> <@${user('rival')}> <@${user('guest')}> <@999999> <@${user('lou')}>`,
  )
  expect(mentioned_user_ids).toEqual([user('lou')])
  const many = Array.from({ length: 51 }, (_, i) => `<@${i + 1}>`).join(' ')
  expect((await ask('POST', task(), { body: many })).status).toBe(422)
})

test('the author edits a comment, and its former texts can be read until it is deleted', async () => {
  const { id: number, created_at } = await comment('Too dark', 'lou')
  expect(await ask('PATCH', `comments/${number}`, { body: 'Too bright' })).toMatchObject({
    status: 403,
    json: { error: 'not_the_author' },
  })
  expect((await ask('PATCH', `comments/${number}`, { body: 'Too dark' }, 'lou')).json).toMatchObject({
    edited_at: null,
    former_bodies: [],
  })
  const first = (await ask('PATCH', `comments/${number}`, { body: 'Too bright' }, 'lou')).json
  await ask('PATCH', `comments/${number}`, { body: 'Fine' }, 'lou')
  const { json } = await ask('GET', task())
  expect(json.comments[0]).toMatchObject({
    body: 'Fine',
    edited_at: expect.any(String),
    former_bodies: [
      { body: 'Too bright', written_at: first.edited_at },
      { body: 'Too dark', written_at: created_at },
    ],
  })
  expect((await ask('DELETE', `comments/${number}`, undefined, 'rival', 'fox')).status).toBe(404)
  expect((await ask('DELETE', `comments/${number}`, undefined, 'lou')).json).toMatchObject({
    body: null,
    former_bodies: [],
    user_id: user('lou'),
    deleted_at: expect.any(String),
  })
  expect((await ask('PATCH', `comments/${number}`, { body: 'x' }, 'lou')).status).toBe(404)
  expect(await studio.db.rows(sql`select from comments where body like '%Too%' or former_bodies::text like '%Too%'`)).toEqual([])
})

test('the newest 20 former texts of a comment are kept', async () => {
  const { id: number } = await comment('0')
  for (let i = 1; i <= 22; i++) await ask('PATCH', `comments/${number}`, { body: `${i}` })
  const { former_bodies } = (await ask('GET', `comments/${number}`)).json
  expect(former_bodies.map(({ body }: { body: string }) => Number(body))).toEqual(Array.from({ length: 20 }, (_, i) => 21 - i))
})

test('a deleted comment keeps no reactions and mentions, gets none, and its time of deletion stays', async () => {
  const { id: number } = await comment(`<@${user('lou')}> look`)
  await ask('PUT', `comments/${number}/reactions`, { reaction: '👍', on: true }, 'lou')
  const { json } = await ask('DELETE', `comments/${number}`)
  expect(json).toMatchObject({ reactions: [], mentioned_user_ids: [] })
  expect((await ask('PUT', `comments/${number}/reactions`, { reaction: '👍', on: true })).status).toBe(404)
  expect((await ask('DELETE', `comments/${number}`)).json).toEqual(json)
  await notify()
  expect(await notified(number)).toEqual([])
  // Notifications that are sent at this moment.
  const key = { account_id: id('accounts', 'owl') as number, project_id: id('projects', 'star') as number }
  expect(await commentAnnouncement(studio.db, key, String(number), studio.site)).toBe(undefined)
})

test('open pages hear of every change of a comment, and of none that changes nothing', async () => {
  const point = { x: 0.5, y: 0.5 }
  const { id: number } = (await ask('POST', `assets/${id('assets', 'crate')}/comments`, { body: 'Seam', point })).json
  const events = async () => {
    const [{ count }] = (await studio.db.rows<{ count: number }>(sql`
      select count(*) from outbox where event_type = 'comment.updated' and row_id = ${String(number)}`)) as [{ count: number }]
    return count
  }
  const attach = () =>
    studio.ask(`/api/v1/projects/${id('projects', 'star')}/comments/${number}/attachments?name=seam.txt`, {
      method: 'POST',
      token: studio.world.tokens!.kim!.token,
      raw: Buffer.from('here') as Buffer<ArrayBuffer>,
      headers: { 'content-type': 'application/octet-stream' },
    })
  for (const [what, change, repeated] of [
    ['a text', () => ask('PATCH', `comments/${number}`, { body: 'Two seams' }), true],
    ['a reaction', () => ask('PUT', `comments/${number}/reactions`, { reaction: '🎉', on: true }), true],
    ['a reaction taken back', () => ask('PUT', `comments/${number}/reactions`, { reaction: '🎉', on: false }), true],
    ['a resolved point', () => ask('PUT', `comments/${number}/resolved`, { resolved: true }), true],
    ['an opened point', () => ask('PUT', `comments/${number}/resolved`, { resolved: false }), true],
    ['an attachment', attach, false],
    ['the deletion', () => ask('DELETE', `comments/${number}`), true],
  ] as const) {
    const before = await events()
    await change()
    expect(await events(), what).toBe(before + 1)
    if (!repeated) continue
    await change()
    expect(await events(), `${what} again`).toBe(before + 1)
  }
})

test('the audit log says who edited and deleted a comment, without its texts', async () => {
  const { id: number } = await comment('Secret plan', 'lou')
  await ask('PATCH', `comments/${number}`, { body: 'Secret plans' }, 'lou')
  await ask('DELETE', `comments/${number}`)
  const entries = await studio.db.rows<{ action: string; user_id: number; after: object; entry: string }>(sql`
    select action, user_id, after, a::text as entry from audit_log a where subject = ${`comment/${number}`} order by id`)
  expect(entries.map(({ action, user_id }) => [action, user_id])).toEqual([
    ['createTaskComment', user('lou')],
    ['editComment', user('lou')],
    ['deleteComment', user('kim')],
  ])
  expect(entries[0]!.after).toMatchObject({ subject: 'task', user_id: user('lou') })
  for (const { entry } of entries) expect(entry).not.toContain('Secret')
})

test('leads delete the comments of others, contributors do not', async () => {
  const [ofKim, ofLou] = [await comment('One'), await comment('Two', 'lou')]
  expect(await ask('DELETE', `comments/${ofKim.id}`, undefined, 'lou')).toMatchObject({
    status: 403,
    json: { required_role: 'lead' },
  })
  expect((await ask('DELETE', `comments/${ofLou.id}`)).status).toBe(200)
})

test('a world file places comments on points', async () => {
  const { comments } = (await ask('GET', `assets/${id('assets', 'barrel')}/comments`)).json
  expect(comments).toContainEqual(
    expect.objectContaining({ body: 'Loaded', asset_version: 1, point: { x: 0.2, y: 0.4 }, resolved_at: null }),
  )
})

test('each person has each reaction once', async () => {
  const { id: number } = await comment('Done')
  const react = (reaction: string, on: boolean, token?: string) =>
    ask('PUT', `comments/${number}/reactions`, { reaction, on }, token)
  await react('👍', true)
  await react('👍', true)
  await react('🎉', true, 'lou')
  const { json } = await react('👍', true, 'lou')
  expect(json.reactions).toEqual([
    { reaction: '👍', user_ids: [user('kim'), user('lou')] },
    { reaction: '🎉', user_ids: [user('lou')] },
  ])
  expect((await react('👍', false)).json.reactions).toContainEqual({ reaction: '👍', user_ids: [user('lou')] })
  // Of several reactions, one is taken back.
  expect((await react('🎉', false, 'lou')).json.reactions).toEqual([{ reaction: '👍', user_ids: [user('lou')] }])
  expect((await react('no', true)).status).toBe(422)
})

test('a comment on a point belongs to a version of its asset, and is resolved and opened again', async () => {
  const on = `assets/${id('assets', 'crate')}/comments`
  const add = (more: object, path = on) => ask('POST', path, { body: 'Seam', ...more })
  expect((await add({ point: { x: 0.123_456, y: 1 }, asset_version: 2 })).json).toMatchObject({
    asset_version: 2,
    point: { x: 0.1235, y: 1 },
    resolved_at: null,
  })
  const { json: made } = await add({ point: { x: 0, y: 0.5 } })
  expect(made).toMatchObject({ asset_version: 3, point: { x: 0, y: 0.5 } })
  expect((await add({})).json.point).toBe(null)
  const point = { x: 0.5, y: 0.5 }
  for (const wrong of [
    { point: { x: 1.01, y: 0 } },
    { point: { x: -0.1, y: 0 } },
    { point: { x: '0.5', y: 0 } },
    { point: { x: 0.5 } },
    { point: { ...point, z: 1 } },
    { point: null },
    { point, asset_version: 4 },
    { asset_version: 0 },
  ])
    expect((await add(wrong)).status, JSON.stringify(wrong)).toBe(422)
  expect((await add({ point }, task())).status).toBe(422)
  const resolve = async (of: number, resolved: boolean, token?: string) =>
    ask('PUT', `comments/${of}/resolved`, { resolved }, token)
  expect((await resolve(made.id, true, 'lou')).json.resolved_at).toEqual(expect.any(String))
  expect((await resolve(made.id, false)).json.resolved_at).toBe(null)
  const plain = await comment('No point')
  expect((await resolve(plain.id, true)).status).toBe(422)
  expect((await ask('PUT', `comments/${made.id}/resolved`, { resolved: true }, 'rival', 'fox')).status).toBe(404)
  await ask('DELETE', `comments/${made.id}`)
  expect((await resolve(made.id, true)).status).toBe(404)
})

test('an address in a comment is not shown', async () => {
  await comment('Ask ann@example.com')
  expect((await ask('GET', task())).json.comments[0].body).not.toContain('example.com')
})

test('comments go with their record, and an export contains them', async () => {
  let text = ''
  await exportWorld(
    studio.db,
    { account_id: id('accounts', 'owl') as number },
    { vault: studio.service.vault, audience: 'admin' },
    async (part) => {
      text += part
    },
  )
  expect(text).toContain('first on deployment')
  await studio.db.execute(sql`delete from deployments where id = ${id('deployments', 'ship')}`)
  expect(await studio.db.rows(sql`select from comments where body like '%on deployment'`)).toEqual([])
})

test('a mention notifies the person once, and never the author', async () => {
  const { id: number } = await comment(`<@${user('lou')}> <@${user('kim')}> look`)
  await notify()
  await ask('PATCH', `comments/${number}`, { body: `<@${user('lou')}> look again` })
  await notify()
  expect(await notified(number)).toEqual([
    {
      user_id: user('lou'),
      kind: 'mentioned',
      title: `Kim mentioned you on task #${id('tasks', 'task')}`,
      path: `/projects/${id('projects', 'star')}/tasks/${id('tasks', 'task')}`,
    },
  ])
})

test('a mention on an asset says which one', async () => {
  const { id: number } = await comment(`<@${user('lou')}> look`, undefined, `assets/${id('assets', 'crate')}/comments`)
  await notify()
  expect(await notified(number)).toMatchObject([{ title: 'Kim mentioned you on asset T_Crate.png' }])
})

test('who is mentioned by an edit is notified, by a mail with names and without addresses', async () => {
  const { id: number } = await comment(`<@${user('lou')}> look`)
  await notify()
  await studio.db.execute(sql`delete from mails`)
  const body = `<@${user('lou')}> and <@${user('mia')}>, ask ann@example.com`
  expect((await ask('PATCH', `comments/${number}`, { body })).json.mentioned_user_ids).toEqual([user('lou'), user('mia')])
  await notify()
  expect((await notified(number)).map(({ user_id }) => user_id)).toEqual([user('lou'), user('mia')])
  const mails = await studio.db.rows<{ to_user_id: number; text: string }>(sql`select to_user_id, text from mails`)
  expect(mails.map(({ to_user_id }) => to_user_id)).toEqual([user('mia')])
  expect(mails[0]!.text).toContain('@Lou and @Mia, ask ')
  expect(mails[0]!.text).not.toContain('ann@example.com')
})

test('a project lists its newest comments, and those of one record', async () => {
  const record = `build_run/${id('build_runs', 'build')}`
  const first = (await ask('POST', 'comments', { record, body: 'First' })).json
  const second = await comment('Second')
  const ids = async (query: string) => {
    const { json } = await ask('GET', `comments?${query}`)
    return json.comments.map(({ id }: { id: number }) => id)
  }
  expect(first).toMatchObject({ subject: 'build_run', subject_id: String(id('build_runs', 'build')), body: 'First' })
  expect(await ids('limit=2')).toEqual([second.id, first.id])
  expect(await ids(`limit=1&before_id=${second.id}`)).toEqual([first.id])
  expect(await ids(`limit=1&record=${record}`)).toEqual([first.id])
  for (const wrong of ['task', 'task/', 'build/1', 'task/1/2', '']) {
    const status = wrong === 'task/' ? 404 : 422
    expect((await ask('GET', `comments?record=${wrong}`)).status, wrong).toBe(status)
    if (wrong) expect((await ask('POST', 'comments', { record: wrong, body: 'x' })).status, wrong).toBe(status)
  }
  expect((await ask('POST', 'comments', { record: 'task/999999', body: 'x' })).status).toBe(404)
  const foreign = await ask('POST', 'comments', { record, body: 'x' }, 'rival', 'fox')
  expect(foreign.status).toBe(404)
  const listed = await ask('GET', 'comments', undefined, 'rival', 'fox')
  expect(listed.json.comments).toEqual([])
  expect((await ask('GET', 'comments', undefined, 'rival')).status).toBe(404)
  expect((await ask('GET', 'comments', undefined, 'reader')).status).toBe(403)
})
