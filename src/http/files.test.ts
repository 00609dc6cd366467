import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { personalChunks, png } from '../../test/support/files/pictures.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { ATTACHMENTS_MAX, FILE_MAX } from '../contract/limits.ts'
import { SCOPES } from '../contract/sets.ts'
import { sql } from '../db/database.ts'
import { readWhole, sweep } from '../domain/files/files.ts'
import { exportWorld } from '../world/export.ts'

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
      { key: 'eve', email: 'eve@example.com', name: 'Eve', accounts: { owl: 'guest' } },
      { key: 'out', email: 'out@example.com', name: 'Out', accounts: { owl: 'guest' } },
      { key: 'rival', email: 'rival@example.com', name: 'Rival', accounts: { fox: 'owner' } },
    ],
    projects: [
      { key: 'star', account: 'owl', name: 'Starfall', members: { kim: 'lead', lou: 'contributor', eve: 'viewer' } },
      { key: 'moon', account: 'owl', name: 'Moon', members: { kim: 'lead' } },
      { key: 'fox', account: 'fox', name: 'Foxhole' },
    ],
    tokens: [
      ...['kim', 'lou', 'eve', 'out', 'rival'].map((user) => ({ key: user, user, name: user, scopes: SCOPES })),
      { key: 'builds', user: 'kim', name: 'builds', scopes: ['read:builds', 'write:comments'] },
      { key: 'tasks', user: 'kim', name: 'tasks', scopes: ['read:tasks'] },
    ],
    tasks: [
      { key: 'task', project: 'star', title: 'Cook' },
      { key: 'other', project: 'star', title: 'Bake' },
      { key: 'foxes', project: 'fox', title: 'Dig' },
    ],
  })
})
afterAll(() => studio.close())

const id = (kind: string, key: string) => studio.world[kind as 'tasks']![key]!.id
const ask = (
  method: string,
  path: string,
  {
    token = 'kim',
    project = 'star',
    ...more
  }: { token?: string; project?: string; body?: object; raw?: Buffer<ArrayBuffer>; headers?: Record<string, string> } = {},
) =>
  studio.ask(`/api/v1/projects/${id('projects', project)}/${path}`, {
    method,
    token: studio.world.tokens![token]!.token as string,
    ...more,
  })
const write = async (token = 'kim', task = 'task') =>
  (await ask('POST', `tasks/${id('tasks', task)}/comments`, { token, body: { body: 'See' } })).json.id as number
const attach = (comment: number, bytes: Buffer | string, name = 'shot.png', more: Parameters<typeof ask>[2] = {}) =>
  ask('POST', `comments/${comment}/attachments?name=${encodeURIComponent(name)}`, {
    raw: Buffer.from(bytes as string) as Buffer<ArrayBuffer>,
    headers: { 'content-type': 'application/octet-stream' },
    ...more,
  })
const uploaded = async (bytes: Buffer | string, name?: string) => {
  const { json } = await attach(await write(), bytes, name)
  return json.attachments[0] as { id: string; name: string; type: string; bytes: number }
}
/** The bytes, which `ask` would decode. */
const download = async (file: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${studio.site}/api/v1/projects/${id('projects', 'star')}/files/${file}`, {
    headers: { authorization: `Bearer ${studio.world.tokens!.kim!.token}`, ...headers },
  })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

describe('an attachment', () => {
  test('is stored without personal data and shown with its comment', async () => {
    const comment = await write()
    const made = await attach(comment, png({ more: personalChunks() }), 'C:\\Users\\kim\\shot.png')
    expect(made.status).toBe(201)
    const [file] = made.json.attachments
    expect(file).toMatchObject({ name: 'shot.png', type: 'image/png', width: 3, height: 2 })
    const { json } = await ask('GET', `tasks/${id('tasks', 'task')}/comments`)
    expect(json.comments.find((one: { id: number }) => one.id === comment).attachments).toEqual([file])
    const { bytes } = await download(file.id)
    expect(bytes.length).toBe(file.bytes)
    expect(bytes.includes('Kim')).toBe(false)
  })

  test('is served so that browsers cache it, show only pictures and execute nothing', async () => {
    const picture = await uploaded(png(), 'Möwe "2".png')
    const { status, headers } = await download(picture.id)
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': `inline; filename="M_we _2_.png"; filename*=UTF-8''M%C3%B6we%20%222%22.png`,
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
    })
    const again = await download(picture.id, { 'if-none-match': headers.get('etag')! })
    expect(again).toMatchObject({ status: 304, bytes: Buffer.alloc(0) })
    for (const [name, content] of [
      ['evil.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
      ['evil.html', '<script>alert(1)</script>'],
      ['evil.png', '<script>alert(1)</script>'],
      ['evil.pdf', '%PDF-1.7'],
    ] as const) {
      const file = await uploaded(content, name)
      const { headers } = await download(file.id)
      expect(headers.get('content-type'), name).toBe('application/octet-stream')
      expect(headers.get('content-disposition'), name).toMatch(/^attachment;/)
    }
  })

  test('can be read in ranges', async () => {
    const { id: file } = await uploaded('0123456789', 'digits.txt')
    for (const [range, status, text, content] of [
      ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
      ['bytes=7-', 206, '789', 'bytes 7-9/10'],
      ['bytes=-2', 206, '89', 'bytes 8-9/10'],
      ['bytes=0-1,4-5', 200, '0123456789', null],
    ] as const) {
      const answer = await download(file, { range })
      expect([answer.status, String(answer.bytes), answer.headers.get('content-range')], range).toEqual([status, text, content])
    }
    expect((await download(file, { range: 'bytes=10-' })).status).toBe(416)
    const changed = await download(file, { range: 'bytes=2-4', 'if-range': '"another"' })
    expect([changed.status, String(changed.bytes)]).toEqual([200, '0123456789'])
  })

  test('is deleted with its comment, at once for readers and a day later from the store', async () => {
    const comment = await write()
    const { json } = await attach(comment, 'soon gone', 'x.txt')
    const file = json.attachments[0].id
    expect((await ask('DELETE', `comments/${comment}`)).json.attachments).toEqual([])
    expect((await download(file)).status).toBe(404)
    await studio.db.execute(sql`update file_contents set used_at = now() - interval '2 days'`)
    expect((await sweep(studio.db)).removed).toBe(1)
    const doomed = await write('kim', 'other')
    await attach(doomed, 'of a task', 'x.txt')
    await studio.db.execute(sql`delete from tasks where id = ${id('tasks', 'other')}`)
    expect(await studio.db.rows(sql`select from files where comment_id = ${doomed}`)).toEqual([])
  })

  test('needs a name, bytes, and fewer than the limits', async () => {
    const comment = await write()
    expect((await attach(comment, '')).json).toMatchObject({ error: 'empty_file' })
    expect((await ask('POST', `comments/${comment}/attachments`)).json).toMatchObject({ error: 'empty_file' })
    expect((await attach(comment, Buffer.alloc(FILE_MAX + 1))).status).toBe(413)
    expect((await attach(comment, png().subarray(0, 40))).json).toMatchObject({ error: 'damaged_picture' })
    expect((await attach(comment, png({ claimed: [100_000, 100_000] }))).json).toMatchObject({ error: 'picture_too_large' })
    // Neither JSON nor its complexity matters.
    expect((await attach(comment, '['.repeat(200_000), 'deep.json')).status).toBe(201)
    for (let i = 1; i < ATTACHMENTS_MAX; i++) expect((await attach(comment, `${i}`, `${i}.txt`)).status).toBe(201)
    expect((await attach(comment, 'one more')).json).toMatchObject({ error: 'too_many_attachments' })
  })

  test('has exactly the largest size', async () => {
    const largest = Buffer.alloc(FILE_MAX, 1)
    const file = await uploaded(largest, 'largest.bin')
    expect(file.bytes).toBe(FILE_MAX)
    expect((await download(file.id)).bytes.equals(largest)).toBe(true)
  })
})

describe('access', () => {
  test('only the author attaches, and only where they can write', async () => {
    const comment = await write('lou')
    expect((await attach(comment, 'x')).json).toMatchObject({ error: 'not_the_author' })
    expect((await attach(comment, 'x', 'x', { token: 'eve' })).status).toBe(403)
    expect((await attach(comment, 'x', 'x', { token: 'out' })).status).toBe(404)
    expect((await attach(comment, 'x', 'x', { token: 'rival', project: 'fox' })).status).toBe(404)
    expect((await attach(comment, 'x', 'x', { token: 'kim', project: 'moon' })).status).toBe(404)
    expect((await attach(comment, 'x', 'x', { token: 'tasks' })).json).toMatchObject({ required_scope: 'write:comments' })
    expect((await attach(comment, 'x', 'x', { token: 'lou' })).status).toBe(201)
    await ask('DELETE', `comments/${comment}`, { token: 'lou' })
    expect((await attach(comment, 'x', 'x', { token: 'lou' })).status).toBe(404)
  })

  test('a file is read by those who can read its record, with the scope of the record', async () => {
    const { id: file } = await uploaded('secret', 's.txt')
    const read = (token: string, project = 'star') => ask('GET', `files/${file}`, { token, project })
    for (const token of ['kim', 'lou', 'eve', 'tasks']) expect((await read(token)).status, token).toBe(200)
    expect((await read('builds')).json).toMatchObject({ error: 'insufficient_scope', required_scope: 'read:tasks' })
    expect((await read('out')).status).toBe(404)
    expect((await read('rival')).status).toBe(404)
    expect((await read('rival', 'fox')).status).toBe(404)
    expect((await read('kim', 'moon')).status).toBe(404)
    for (const other of ['00000000-0000-0000-0000-000000000000', '1', '%2e%2e%2fid', 'x'.repeat(300)])
      expect((await ask('GET', `files/${other}`)).json, other).toEqual({ error: 'not_found', message: 'File not found.' })
    const stranger = await fetch(`${studio.site}/api/v1/projects/${id('projects', 'star')}/files/${file}`)
    expect(stranger.status).toBe(401)
  })

  test('a file that the store has lost is gone, not an endless response', async () => {
    const { id: file } = await uploaded('to be lost', 'l.txt')
    const { sha256, account_id } = (await studio.db.one<{ sha256: Buffer; account_id: number }>(
      sql`select sha256, account_id from files where id = ${file}`,
    ))!
    await studio.db.files!.remove(`${account_id}/${sha256.toString('hex')}`)
    expect((await ask('GET', `files/${file}`)).json).toMatchObject({ error: 'object_lost' })
  })
})

test('an account has no more bytes than its quota, and another account notices nothing', async () => {
  const used = (await studio.db.one<{ used: number }>(
    sql`select sum(bytes)::integer as used from files where account_id = ${id('accounts', 'owl')}`,
  ))!.used
  await studio.db.execute(
    sql`update accounts set quotas = ${JSON.stringify({ file_bytes: used + 10 })}::jsonb where id = ${id('accounts', 'owl')}`,
  )
  const comment = await write()
  expect((await attach(comment, '12345678901')).json).toMatchObject({ error: 'quota_exceeded', quota: 'file_bytes' })
  const all = await Promise.all(['1', '2', '3', '4'].map((mark) => attach(comment, mark.repeat(4))))
  expect(all.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422])
  const foxes = await ask('POST', `tasks/${id('tasks', 'foxes')}/comments`, {
    token: 'rival',
    project: 'fox',
    body: { body: 'x' },
  })
  expect((await attach(foxes.json.id, 'x'.repeat(500), 'x', { token: 'rival', project: 'fox' })).status).toBe(201)
  await studio.db.execute(sql`update accounts set quotas = '{}' where id = ${id('accounts', 'owl')}`)
})

test('one person writes only so many comments and files a minute', async () => {
  const limited = await openStudio({}, { beside: studio, rates: { comments: { points: 3, seconds: 60 } } })
  const at = `/api/v1/projects/${id('projects', 'star')}`
  const send = (path: string, token: string, body: object) =>
    limited.ask(`${at}${path}`, { method: 'POST', token: studio.world.tokens![token]!.token as string, body })
  const path = `/tasks/${id('tasks', 'task')}/comments`
  const { json } = await send(path, 'builds', { body: '1' })
  await send(path, 'kim', { body: '2' })
  expect((await send(`/comments/${json.id}/attachments?name=x`, 'builds', { three: 3 })).status).toBe(201)
  for (const [token, where] of [
    ['kim', path],
    ['builds', `/comments/${json.id}/attachments?name=x`],
  ] as const)
    expect((await send(where, token, { body: '4' })).json).toMatchObject({ error: 'rate_limited' })
  expect((await send(path, 'lou', { body: 'of somebody else' })).status).toBe(201)
  await limited.close()
})

test('an export has the files, and loads elsewhere', async () => {
  const bytes = png({ width: 9, height: 9 })
  await uploaded(bytes, 'exported.png')
  let text = ''
  await exportWorld(
    studio.db,
    { account_id: id('accounts', 'owl') as number },
    { vault: studio.service.vault, audience: 'admin' },
    async (part) => {
      text += part
    },
  )
  const elsewhere = await openStudio()
  await elsewhere.load(JSON.parse(text))
  const { account_id, sha256 } = (await elsewhere.db.one<{ account_id: number; sha256: Buffer }>(
    sql`select account_id, sha256 from files where name = 'exported.png'`,
  ))!
  for (let i = 0; i < 2; i++) {
    expect(await readWhole(elsewhere.db, account_id, sha256, bytes.length)).toEqual(bytes)
    await sweep(elsewhere.db)
  }
  await elsewhere.close()
})
