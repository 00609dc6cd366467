import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { SCOPES } from '../../contract/sets.ts'
import { openDatabase, sql } from '../../db/database.ts'
import { create, LastUsed, revoke } from './tokens.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    users: [
      ...workshop.users,
      {
        key: 'two',
        email: 'two@example.com',
        name: 'Two',
        accounts: { owl: 'member', fox: 'member' },
        default_account: 'fox',
      },
      { key: 'none', email: 'none@example.com', name: 'None' },
    ],
    tokens: [
      ...workshop.tokens,
      { key: 'two', user: 'two', name: 'Two of mine', scopes: [], expires_at: '2999-01-01' },
      { key: 'none', user: 'none', name: 'none', scopes: ['read:tasks'] },
    ],
  })
})
afterAll(() => studio.close())

const { id, tokenOf } = visitor(() => studio)
const ping = (token: string) => studio.ask('/api/v1/ping', { token })
const row = async (tokenId: number) =>
  (await studio.db.one<{ last_used_at: string | null; hash: Buffer; prefix: string }>(
    sql`select last_used_at, hash, prefix from api_tokens where id = ${tokenId}`,
  ))!
const user = () => Number(id('users', 'lead'))

describe('ping', () => {
  test('returns the owner and the scopes of the token', async () => {
    expect((await ping(tokenOf('lead'))).json).toEqual({
      ok: true,
      user_id: user(),
      account_id: Number(id('accounts', 'owl')),
      token: { name: 'lead', prefix: tokenOf('lead').slice(0, 8), scopes: [...SCOPES], expires_at: null },
    })
  })

  test("returns the user's default account, the scope every token has, and the expiry", async () => {
    expect((await ping(tokenOf('two'))).json).toMatchObject({
      account_id: Number(id('accounts', 'fox')),
      token: { name: 'Two of mine', scopes: ['ping'], expires_at: '2999-01-01T00:00:00.000Z' },
    })
  })

  test('works for a user without any account', async () => {
    expect(await ping(tokenOf('none'))).toMatchObject({ status: 200, json: { account_id: null } })
  })

  test('never echoes the token', async () => {
    expect((await ping(tokenOf('lead'))).text).not.toContain(tokenOf('lead'))
  })
})

describe('a token', () => {
  test('has 43 letters and digits and is stored as a hash and its first eight characters', async () => {
    const made = await create(studio.db, { user_id: user(), name: 'new', scopes: ['read:tasks'], created_via: 'web' })
    expect(made.token).toMatch(/^[A-Za-z0-9]{43}$/)
    expect(made.scopes).toEqual(['ping', 'read:tasks'])
    const kept = JSON.stringify(
      await studio.db.rows(sql`select t.*, encode(hash, 'hex') as hex from api_tokens t where id = ${made.id}`),
    )
    expect(kept).not.toContain(made.token)
    expect((await row(made.id)).prefix).toBe(made.token.slice(0, 8))
    expect((await ping(made.token)).status).toBe(200)
  })

  test('is refused everywhere by the next request once revoked', async () => {
    const made = await create(studio.db, { user_id: user(), name: 'short', scopes: [...SCOPES], created_via: 'web' })
    const paths = ['/api/v1/ping', `/api/v1/projects/${id('projects', 'star')}/tasks`]
    for (const path of paths) expect((await studio.ask(path, { token: made.token })).status).toBe(200)
    expect(await revoke(studio.db, made.id)).toBe(1)
    for (const path of paths) expect(await studio.ask(path, { token: made.token })).toMatchObject({ status: 401, text: '' })
    expect(await revoke(studio.db, made.id)).toBe(0)
  })

  test('expires at the exact time', async () => {
    const made = await create(studio.db, {
      user_id: user(),
      name: 'ending',
      scopes: [],
      created_via: 'cli',
      expires_at: '2999-01-01',
    })
    expect((await ping(made.token)).status).toBe(200)
    await studio.db.execute(sql`update api_tokens set expires_at = now() where id = ${made.id}`)
    expect((await ping(made.token)).status).toBe(401)
  })

  test('loses the access that its user loses', async () => {
    const path = `/api/v1/projects/${id('projects', 'star')}/tasks`
    const loaded = await studio.load({
      users: [{ key: 'guest', email: 'guest@example.com', name: 'Guest', accounts: { [id('accounts', 'owl')]: 'member' } }],
      tokens: [{ key: 'guest', user: 'guest', name: 'guest', scopes: ['read:tasks'] }],
    })
    const token = loaded.tokens!.guest!.token as string
    expect((await studio.ask(path, { token })).status).toBe(200)
    await studio.db.execute(sql`delete from account_members where user_id = ${loaded.users!.guest!.id}`)
    expect((await studio.ask(path, { token })).status).toBe(404)
  })
})

describe('the time of last use', () => {
  test('is collected by requests and written by a flush, in one statement', async () => {
    const made = await create(studio.db, { user_id: user(), name: 'used', scopes: [...SCOPES], created_via: 'web' })
    const began = Date.now()
    for (let i = 0; i < 5; i++) await ping(made.token)
    await studio.ask(`/api/v1/projects/${id('projects', 'star')}/tasks`, { token: made.token })
    expect((await row(made.id)).last_used_at).toBe(null)
    await studio.service.lastUsed.flush(studio.db)
    const written = Date.parse((await row(made.id)).last_used_at!)
    expect(written).toBeGreaterThanOrEqual(began)
    expect(written).toBeLessThanOrEqual(Date.now())
  })

  test('is not changed by a request whose token is refused', async () => {
    const made = await create(studio.db, { user_id: user(), name: 'refused', scopes: [], created_via: 'web' })
    await revoke(studio.db, made.id)
    await ping(made.token)
    await studio.service.lastUsed.flush(studio.db)
    expect((await row(made.id)).last_used_at).toBe(null)
  })

  test('never goes back when nodes write in any order', async () => {
    const tokenId = Number(id('tokens', 'lead'))
    await studio.db.execute(sql`update api_tokens set last_used_at = '2999-01-01' where id = ${tokenId}`)
    const node = new LastUsed()
    node.note(tokenId)
    await node.flush(studio.db)
    expect((await row(tokenId)).last_used_at).toBe('2999-01-01T00:00:00.000Z')
  })

  test('is kept for the next flush when the database is unreachable', async () => {
    const made = await create(studio.db, { user_id: user(), name: 'away', scopes: [], created_via: 'web' })
    const node = new LastUsed()
    node.note(made.id)
    const away = openDatabase('postgres://nobody@127.0.0.1:1/nowhere')
    await expect(node.flush(away)).rejects.toThrow('ECONNREFUSED')
    await away.close()
    await node.flush(studio.db)
    expect((await row(made.id)).last_used_at).not.toBe(null)
  })
})
