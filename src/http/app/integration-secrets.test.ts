import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'
import { openConfig } from '../../domain/integrations/config.ts'

const PASSWORD = 'a long enough password'
const KEPT = '[kept secret]'
const JENKINS = { server: 'https://ci.example.com', user: 'gold', api_token: 'token of the first owner' }
const PERFORCE = { server: 'ssl:p4.example.com:1666', user: 'gold', password: 'ticket', fingerprint: 'AA:BB', charset: 'utf8' }
const owner = (key: string) => ({ key, email: `${key}@example.com`, name: key, password: PASSWORD, accounts: { owl: 'owner' } })

let studio: Studio
let second: Visitor
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    users: [owner('first'), owner('second')],
    projects: [{ key: 'star', account: 'owl', name: 'Star', members: { first: 'owner', second: 'owner' } }],
    integrations: [
      { key: 'jenkins', project: 'star', provider: 'jenkins', config: JENKINS },
      { key: 'perforce', project: 'star', provider: 'perforce', config: PERFORCE },
    ],
  })
  second = await signIn(studio, 'second@example.com', PASSWORD)
})
afterAll(() => studio.close())

const pathOf = (key: string) => `/projects/${studio.world.projects.star!.id}/integrations/${studio.world.integrations[key]!.id}`
const edit = (key: string, body: object) => second.app(pathOf(key), { method: 'PATCH', body })
const setConfig = (key: string, config: object) => edit(key, { config })
const stored = async (key: string) => {
  const { id } = studio.world.integrations[key]!
  const row = await studio.db.one<{ config: Record<string, unknown> }>(sql`select config from integrations where id = ${id}`)
  return openConfig(studio.service.vault, { integration_id: id, config: row!.config })
}
const refused = (field: string) => ({
  status: 422,
  json: { error: 'invalid_parameter', message: expect.stringContaining(`config.${field} `) },
})

test.each([
  ['jenkins', 'api_token', { ...JENKINS, api_token: KEPT, server: 'https://thief.example.net' }],
  ['jenkins', 'api_token', { ...JENKINS, api_token: KEPT, server: 'http://ci.example.com' }],
  ['jenkins', 'api_token', { ...JENKINS, api_token: KEPT, user: 'somebody else' }],
  ['jenkins', 'api_token', { api_token: KEPT, server: 'https://ci.example.com' }],
  ['jenkins', 'api_token', { ...JENKINS, api_token: KEPT, proxy: 'http://thief.example.net' }],
  ['perforce', 'password', { ...PERFORCE, password: KEPT, server: 'tcp:p4.example.com:1666' }],
  ['perforce', 'password', { ...PERFORCE, password: KEPT, fingerprint: 'CC:DD' }],
])(
  'a stored secret of %s is not sent to another server or as another user: %s must be entered again',
  async (key, field, config) => {
    const before = await stored(key)
    expect(await setConfig(key, config)).toMatchObject(refused(field))
    expect(await edit(key, { active: false, config })).toMatchObject(refused(field))
    expect(await stored(key)).toEqual(before)
    expect((await second.app(pathOf(key))).json.active).toBe(true)
  },
)

test('a stored secret is kept for the same server, and a new one may go to any', async () => {
  const charset = { ...PERFORCE, password: KEPT, charset: 'utf16' }
  expect(await setConfig('perforce', charset)).toMatchObject({ status: 200, json: { config: charset } })
  expect(await stored('perforce')).toEqual({ ...PERFORCE, charset: 'utf16' })
  const moved = { ...PERFORCE, server: 'ssl:new.example.com:1666', password: 'new ticket' }
  expect((await setConfig('perforce', moved)).status).toBe(200)
  expect(await stored('perforce')).toEqual(moved)
})

test.each([{ sealed: 'AAAA' }, ['text'], 12, true, ''])('a secret is text: %j is refused', async (api_token) => {
  const before = await stored('jenkins')
  expect(await setConfig('jenkins', { ...JENKINS, api_token })).toMatchObject(refused('api_token'))
  const create = second.app(`/projects/${studio.world.projects.star!.id}/integrations`, {
    method: 'POST',
    body: { provider: 'jenkins', config: { ...JENKINS, api_token } },
  })
  expect(await create).toMatchObject(refused('api_token'))
  expect(await stored('jenkins')).toEqual(before)
})

test('our own sealed form from one integration cannot be decrypted in another', async () => {
  const { id } = studio.world.integrations.perforce!
  const row = await studio.db.one<{ config: { password: object } }>(sql`select config from integrations where id = ${id}`)
  const stolen = { server: 'https://thief.example.net', user: 'gold', api_token: row!.config.password }
  expect(await setConfig('jenkins', stolen)).toMatchObject(refused('api_token'))
  const world = { integrations: [{ project: studio.world.projects.star!.id, provider: 'jenkins', config: stolen }] }
  await expect(studio.load(world)).rejects.toThrow('integrations[0]: config.api_token must be text and not empty')
})

test('a secret that is not stored cannot be kept, and the placeholder keeps no other setting', async () => {
  expect(await setConfig('jenkins', { ...JENKINS, api_token: 'new', password: KEPT })).toMatchObject(refused('password'))
  expect(await setConfig('jenkins', { ...JENKINS, api_token: KEPT, server: KEPT })).toMatchObject(refused('api_token'))
})

test('a server URL with a password is refused, because URLs are shown', async () => {
  const config = { ...JENKINS, server: 'https://gold:hidden@ci.example.com' }
  expect(await setConfig('jenkins', config)).toMatchObject(refused('server'))
})

test('the secret stays with its server when one edit moves the server and another keeps the secret at once', async () => {
  const one = { ...JENKINS, server: 'https://one.example.com', api_token: 'one' }
  const two = { ...JENKINS, server: 'https://two.example.com', api_token: 'two' }
  expect((await setConfig('jenkins', one)).status).toBe(200)
  const asked = Array.from({ length: 8 }, (_, i) => setConfig('jenkins', i % 2 ? two : { ...one, api_token: KEPT }))
  await Promise.all(asked)
  expect([one, two]).toContainEqual(await stored('jenkins'))
})
