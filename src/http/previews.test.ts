import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn } from '../../test/support/callers/visitor.ts'
import { personalChunks, png, SECRET } from '../../test/support/files/pictures.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { PREVIEW_MAX } from '../contract/limits.ts'
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
      { key: 'kim', email: 'kim@example.com', name: 'Kim', password: 'a long enough password', accounts: { owl: 'owner' } },
      { key: 'lou', email: 'lou@example.com', name: 'Lou', accounts: { owl: 'member' } },
      { key: 'eve', email: 'eve@example.com', name: 'Eve', accounts: { owl: 'guest' } },
      { key: 'rival', email: 'rival@example.com', name: 'Rival', accounts: { fox: 'owner' } },
    ],
    projects: [
      { key: 'star', account: 'owl', name: 'Starfall', members: { kim: 'lead', lou: 'contributor', eve: 'viewer' } },
      { key: 'fox', account: 'fox', name: 'Foxhole' },
    ],
    tokens: [
      ...['kim', 'lou', 'eve', 'rival'].map((user) => ({ key: user, user, name: user, scopes: SCOPES })),
      { key: 'reads', user: 'kim', name: 'reads', scopes: ['read:assets'] },
      { key: 'writes', user: 'kim', name: 'writes', scopes: ['write:previews'] },
    ],
    changes: [
      { key: 'change', project: 'star', source_type: 'Changelist', identifier: '1203', author: 'kim', description: 'Rock' },
    ],
    assets: [
      {
        key: 'rock',
        project: 'star',
        name: 'T_Rock.uasset',
        path: '//star/T_Rock.uasset',
        asset_type: 'texture',
        version: 3,
        approvals: [{ status: 'pending', commit_sha: '1203' }],
      },
      { key: 'bare', project: 'star', name: 'T_Bare.uasset', path: '//star/T_Bare.uasset', asset_type: 'texture' },
      { key: 'foxes', project: 'fox', name: 'T_Fox.uasset', path: '//fox/T_Fox.uasset', asset_type: 'texture' },
    ],
  })
})
afterAll(() => studio.close())

const id = (kind: string, key: string) => String(studio.world[kind as 'tasks']![key]!.id)
const place = (asset = 'rock', version: number | string = 3) => `assets/${id('assets', asset)}/versions/${version}/preview`
const ask = (
  method: string,
  path: string,
  {
    token = 'kim',
    project = 'star',
    ...more
  }: { token?: string; project?: string; raw?: Buffer; headers?: Record<string, string> } = {},
) =>
  studio.ask(`/api/v1/projects/${id('projects', project)}/${path}`, {
    method,
    token: studio.world.tokens![token]!.token as string,
    ...(more as { raw?: Buffer<ArrayBuffer> }),
  })
const forgetPreviews = () => studio.db.execute(sql`delete from previews where account_id = ${id('accounts', 'owl')}`)
const upload = (bytes: Buffer, path = place(), more: Parameters<typeof ask>[2] = {}) =>
  ask('PUT', path, { raw: bytes, headers: { 'content-type': 'application/octet-stream' }, ...more })
const download = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${studio.site}/api/v1/projects/${id('projects', 'star')}/${path}`, {
    headers: { authorization: `Bearer ${studio.world.tokens!.kim!.token}`, ...headers },
  })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}
const listed = async () => (await ask('GET', `assets/${id('assets', 'rock')}/previews`)).json.previews

const painted = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#369' } })
    .png()
    .toBuffer()

describe('an uploaded picture', () => {
  test('has two sizes, a placeholder and its original without personal data', async () => {
    const picture = png({ width: 40, height: 20, more: personalChunks() })
    const { status, json } = await upload(picture)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      version: 3,
      state: 'ready',
      kind: 'picture',
      source: 'upload',
      reason: null,
      width: 40,
      height: 20,
      has_pictures: true,
      original: { type: 'image/png' },
    })
    expect(json.placeholder).toMatch(/^data:image\/webp;base64,/)
    const original = await download(`${place()}?size=original`)
    expect(original.headers.get('content-type')).toBe('image/png')
    expect(original.bytes.length).toBe(json.original.bytes)
    for (const size of ['small', 'large', 'original'])
      expect((await download(`${place()}?size=${size}`)).bytes.includes(SECRET)).toBe(false)
  })

  test('is scaled to 320 and 1600 pixels on its longest side, never up', async () => {
    expect((await upload(await painted(3000, 1500))).json).toMatchObject({ width: 3000, height: 1500 })
    const sizeOf = async (size: string) => {
      const { width, height, format } = await sharp((await download(`${place()}?size=${size}`)).bytes).metadata()
      return { width, height, format }
    }
    expect(await sizeOf('small')).toEqual({ width: 320, height: 160, format: 'webp' })
    expect(await sizeOf('large')).toEqual({ width: 1600, height: 800, format: 'webp' })
    await upload(await painted(100, 50))
    expect(await sizeOf('large')).toEqual({ width: 100, height: 50, format: 'webp' })
  })

  test('is turned as the camera was held', async () => {
    const held = sharp({ create: { width: 80, height: 40, channels: 3, background: '#369' } }).jpeg()
    const { json } = await upload(await held.withMetadata({ orientation: 6 }).toBuffer())
    expect(json).toMatchObject({ width: 40, height: 80 })
    for (const size of ['small', 'large'])
      expect(await sharp((await download(`${place()}?size=${size}`)).bytes).metadata()).toMatchObject({ width: 40, height: 80 })
  })

  test('has the change of the newest version, and none of an older one', async () => {
    const change = Object.values(studio.world.changes!)[0]!.id
    await studio.db.execute(sql`
      update assets set last_change_id = ${change} where account_id = ${id('accounts', 'owl')} and id = ${id('assets', 'rock')}`)
    await forgetPreviews()
    const changeOf = async (version: number) => (await upload(png(), place('rock', version))).json.change_id
    expect([await changeOf(3), await changeOf(2)]).toEqual([change, null])
    await forgetPreviews()
  })

  test('is sent with its hash, in a sandbox, and forever only if its time is named', async () => {
    const { updated_at } = (await upload(png())).json
    const { headers, bytes } = await download(place())
    expect(headers.get('content-type')).toBe('image/webp')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox; frame-ancestors 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    const forever = await download(`${place()}?at=${updated_at}`)
    expect(forever.headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
    expect((await download(place(), { 'if-none-match': headers.get('etag')! })).status).toBe(304)
    const part = await download(place(), { range: 'bytes=2-5' })
    expect([part.status, part.bytes]).toEqual([206, bytes.subarray(2, 6)])
  })

  test('replaces the former one, whose files are removed', async () => {
    await upload(await painted(60, 60))
    const { bytes: former } = await download(`${place()}?size=original`)
    const { json } = await upload(await painted(70, 70))
    expect((await listed()).map(({ width }: { width: number }) => width)).toEqual([70])
    expect(json.created_at < json.updated_at).toBe(true)
    await studio.db.execute(sql`update file_contents set used_at = now() - interval '2 days'`)
    await sweep(studio.db)
    expect((await download(`${place()}?size=original`)).bytes.equals(former)).toBe(false)
    for (const size of ['small', 'large', 'original']) expect((await download(`${place()}?size=${size}`)).status).toBe(200)
    const { count } = (await studio.db.one<{ count: number }>(sql`select count(*) from file_contents`))!
    expect(count).toBeLessThanOrEqual(3)
  })

  test('belongs to its version; the list is newest first, in pages', async () => {
    for (const version of [1, 2, 3]) await upload(await painted(10 * version, 10), place('rock', version))
    const versions = async (query: string) => {
      const { json } = await ask('GET', `assets/${id('assets', 'rock')}/previews?${query}`)
      return [json.previews.map(({ version }: { version: number }) => version), json.pagination.has_more]
    }
    expect(await versions('')).toEqual([[3, 2, 1], false])
    expect(await versions('limit=2')).toEqual([[3, 2], true])
    expect(await versions('before_version=2')).toEqual([[1], false])
    for (const version of [0, 4, '1e0', 'x', '99999999999999999999'])
      expect((await upload(png(), place('rock', version))).json).toMatchObject({ error: 'not_found' })
    expect((await download(place('rock', 4))).status).toBe(404)
  })
})

test.each([
  ['video/mp4', Buffer.from('\0\0\0\x14ftypisom\0\0\0\0isom', 'latin1'), 'video'],
  ['video/webm', Buffer.from('1a45dfa3', 'hex'), 'video'],
  ['model/gltf-binary', Buffer.from('glTF\x02\0\0\0\x0c\0\0\0', 'latin1'), 'model'],
  ['text/plain', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), 'text'],
])('a file of the type %s is kept as it is and shown by its content', async (type, bytes, kind) => {
  expect((await upload(bytes)).json).toMatchObject({ kind, has_pictures: false, original: { type, bytes: bytes.length } })
  const sent = await download(`${place()}?size=original`)
  expect(sent.headers.get('content-type')).toMatch(type)
  expect(sent.headers.get('x-content-type-options')).toBe('nosniff')
  expect(sent.bytes).toEqual(bytes)
  expect((await download(place())).status).toBe(404)
})

test('a sound has its wave, and can be played', async () => {
  const sound = readFileSync(new URL('../previews/sounds/fixtures/tone.ogg', import.meta.url))
  const original = { type: 'audio/ogg', bytes: sound.length }
  expect((await upload(sound)).json).toMatchObject({ kind: 'waveform', has_pictures: true, original })
  const sent = await download(`${place()}?size=original`, { range: 'bytes=0-99' })
  expect(sent.headers.get('content-type')).toBe('audio/ogg')
  expect(sent.bytes).toEqual(sound.subarray(0, 100))
})

test('a world file has previews of versions, which are made while it is loaded', async () => {
  const project = id('projects', 'star')
  const asset = (key: string, more: object) => ({ key, project, name: key, path: `Content/${key}.png`, version: 2, ...more })
  const picture = (await painted(60, 30)).toString('base64')
  const { assets } = await studio.load({
    assets: [asset('wall', { previews: [{ file: picture }, { version: 1, file: Buffer.from('a,b').toString('base64') }] })],
  })
  const place = `assets/${assets.wall!.id}`
  const { previews } = (await ask('GET', `${place}/previews`)).json
  expect(previews).toMatchObject([
    { version: 2, kind: 'picture', width: 60, height: 30 },
    { version: 1, kind: 'text' },
  ])
  const read = () => download(`${place}/versions/2/preview?size=small`)
  const before = await read()
  expect(before.headers.get('content-type')).toBe('image/webp')
  await sweep(studio.db)
  expect((await read()).bytes).toEqual(before.bytes)
  for (const [previews, reason] of [
    [[{ version: 3, file: picture }], 'assets[0] (door): previews[0]: Version not found'],
    [[{ file: picture }, { file: png().subarray(0, 40).toString('base64') }], 'assets[0] (door): previews[1]: '],
    [[{ file: 'T_Door.png' }], 'assets[0] (door): previews[0].file must be a file in base64'],
  ] as const)
    await expect(studio.load({ assets: [asset('door', { previews })] })).rejects.toThrow(reason)
})

test('a text is shown without the addresses and credentials in it', async () => {
  await upload(
    Buffer.from(
      '"Last-Translator: Kim <kim@example.com>\\n"\nAccessToken=ghp_0123456789abcdefghijklmnopqrstuvwxyz\nMaxPlayers=8\n',
    ),
  )
  const text = (await download(`${place()}?size=original`)).bytes.toString()
  expect(text).toContain('MaxPlayers=8')
  expect(text).not.toMatch(/@example|ghp_0123/)
})

test.each([
  ['nothing', Buffer.alloc(0), 422, 'empty_file'],
  ['a file of an unknown type', Buffer.from('c1832a9e', 'hex'), 422, 'unusable_preview'],
  ['a cut picture', png().subarray(0, 40), 422, 'damaged_picture'],
  ['a picture of 10 gigapixels', png({ claimed: [100_000, 100_000] }), 422, 'picture_too_large'],
  ['a picture whose pixels are missing', png({ claimed: [9_000, 9_000] }), 422, 'unusable_preview'],
])('%s is refused and changes nothing', async (_, bytes, status, error) => {
  await upload(png())
  const before = await listed()
  expect(await upload(bytes)).toMatchObject({ status, json: { error } })
  expect(await listed()).toEqual(before)
})

test('a file over the limit is refused before it is read', async () => {
  const { status } = await upload(Buffer.alloc(PREVIEW_MAX + 1))
  expect(status).toBe(413)
})

test('previews count against the file quota of the account', async () => {
  const set = (quotas: object) =>
    studio.db.execute(sql`update accounts set quotas = ${JSON.stringify(quotas)}::jsonb where id = ${id('accounts', 'owl')}`)
  await upload(png())
  await set({ file_bytes: 200 })
  expect((await upload(png({ width: 200, height: 200 }))).json).toMatchObject({ error: 'quota_exceeded', quota: 'file_bytes' })
  // The pictures that are made of a file count too.
  await forgetPreviews()
  const text = Buffer.from('P')
  const file = await painted(3000, 3000)
  await set({ file_bytes: file.length + text.length })
  expect((await upload(text)).status).toBe(200)
  expect((await upload(file)).json).toMatchObject({ error: 'quota_exceeded', quota: 'bytes of previews' })
  await set({})
})

test('previews have the access checks of their asset', async () => {
  await upload(png())
  const show = (token: string, project = 'star') => ask('GET', place(), { token, project })
  expect((await show('eve')).status).toBe(200)
  expect((await show('reads')).status).toBe(200)
  expect((await show('writes')).json).toMatchObject({ required_scope: 'read:assets' })
  expect((await show('rival')).status).toBe(404)
  expect((await show('rival', 'fox')).status).toBe(404)
  expect((await upload(png(), place(), { token: 'eve' })).json).toMatchObject({ error: 'insufficient_role' })
  expect((await upload(png(), place(), { token: 'reads' })).json).toMatchObject({ required_scope: 'write:previews' })
  expect((await upload(png(), place(), { token: 'lou' })).status).toBe(200)
  expect((await upload(png(), place('foxes', 1))).status).toBe(404)
  expect((await upload(png(), place('rock'), { token: 'rival', project: 'fox' })).status).toBe(404)
})

test('the web app gets the preview of the newest version with approvals and the asset', async () => {
  await upload(png({ width: 30, height: 30 }))
  const kim = await signIn(studio, 'kim@example.com', 'a long enough password')
  const inProject = `/projects/${id('projects', 'star')}`
  const asset = (await kim.app(`${inProject}/assets/${id('assets', 'rock')}`)).json
  expect(asset.preview).toMatchObject({ version: 3, state: 'ready', kind: 'picture', width: 30, height: 30, reason: null })
  const { json } = await kim.app(`${inProject}/approvals?changes=true&previews=true`)
  expect(json.approvals).toMatchObject([
    { asset_path: '//star/T_Rock.uasset', asset_type: 'texture', change: { author: 'kim' }, preview: asset.preview },
  ])
  expect((await kim.app(`${inProject}/approvals`)).json.approvals[0]).not.toHaveProperty('preview')
  expect((await kim.app(`${inProject}/assets/${id('assets', 'bare')}`)).json.preview).toBe(null)
  expect((await ask('GET', `assets/${id('assets', 'rock')}`)).json).not.toHaveProperty('preview')
})

test('an export has the previews, which are the same where it is loaded', async () => {
  await upload(await painted(90, 45))
  let text = ''
  await exportWorld(
    studio.db,
    { account_id: Number(id('accounts', 'owl')) },
    { vault: studio.service.vault, audience: 'admin' },
    async (part) => {
      text += part
    },
  )
  const elsewhere = await openStudio()
  try {
    await elsewhere.load(JSON.parse(text))
    const previews = ({ db }: Studio) =>
      db.rows<{ account_id: number; small_sha256: Buffer; small_bytes: number }>(sql`
        select p.account_id, p.version, p.state, p.kind, p.placeholder, p.width, p.height, p.small_sha256, p.small_bytes, p.large_sha256,
          p.original_sha256, p.original_type, a.path
        from previews p join assets a on a.account_id = p.account_id and a.id = p.asset_id order by a.path, p.version`)
    const found = await previews(elsewhere)
    const ours = (await previews(studio)).filter(({ account_id }) => account_id === Number(id('accounts', 'owl')))
    expect(found).toEqual(ours.map((one) => ({ ...one, account_id: found[0]!.account_id })))
    const of90 = found.find((one) => (one as unknown as { width: number }).width === 90)!
    const small = await readWhole(elsewhere.db, of90.account_id, of90.small_sha256, of90.small_bytes)
    expect(small).toEqual((await download(place())).bytes)
  } finally {
    await elsewhere.close()
  }
})
