import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { FORMER } from '../../domain/accounts/forget-person.ts'

const PASSWORD = 'a long enough password'

let studio: Studio
const people: Record<string, Visitor> = {}
beforeAll(async () => {
  const person = (key: string, accounts: object) => ({
    key,
    email: `${key}@example.com`,
    name: `${key} Quillfeather`,
    password: PASSWORD,
    accounts,
  })
  studio = await openStudio({
    accounts: ['owl', 'fox'].map((key) => ({ key, name: `The ${key}`, plan: 'team', payment_method: true })),
    users: [
      person('owner', { owl: 'owner' }),
      person('admin', { owl: 'admin', fox: 'member' }),
      person('worker', { owl: 'member' }),
      person('leaver', { owl: 'member', fox: 'guest' }),
      person('rival', { fox: 'owner' }),
    ],
    projects: [
      { key: 'star', account: 'owl', name: 'Star' },
      { key: 'moon', account: 'owl', name: 'Moon' },
      { key: 'den', account: 'fox', name: 'Den' },
    ],
    tasks: ['star', 'moon', 'den'].map((project) => ({ project, title: `Ask leaver Quillfeather about the ${project}` })),
    integrations: [{ key: 'ci', project: 'star', provider: 'linear' }],
    tokens: ['worker', 'leaver'].map((user) => ({ key: user, user, name: user, scopes: ['read:tasks'] })),
  })
  for (const name of ['owner', 'admin', 'worker', 'leaver', 'rival'])
    people[name] = await signIn(studio, `${name}@example.com`, PASSWORD)
})
afterAll(() => studio.close())

const account = () => `/accounts/${studio.world.accounts.owl!.id}`
const place = (key: string) => `${account()}/projects/${studio.world.projects[key]!.id}`
const remove = (who: string, path: string, body: object) => people[who]!.app(`${path}/deletion`, { method: 'POST', body })
const projectsOf = async (who: string) =>
  (await people[who]!.app('/me')).json.projects.map(({ name }: { name: string }) => name).sort()
const tell = () =>
  studio.ask(`/webhooks/linear?token=${studio.world.integrations.ci!.webhook_token}`, { method: 'POST', body: { action: 'x' } })

test('a deleted project is hidden at once, then its rows are deleted, and other projects stay', async () => {
  expect((await remove('worker', place('star'), { name: 'Star' })).status).toBe(403)
  expect((await remove('owner', place('star'), { name: 'Moon' })).json).toMatchObject({ error: 'invalid_parameter' })
  expect((await remove('owner', place('den'), { name: 'Den' })).status).toBe(404)
  expect(await projectsOf('worker')).toEqual(['Moon', 'Star'])
  expect((await remove('admin', place('star'), { name: 'star ' })).status).toBe(200)
  expect(await projectsOf('worker')).toEqual(['Moon'])
  expect((await people.owner!.app(`/projects/${studio.world.projects.star!.id}/tasks`)).status).toBe(404)
  expect((await tell()).status).toBe(404)
  expect((await people.owner!.app(account())).json.projects).toBe(1)
  expect(await workOff(studio, 'delete_project')).toBe(1)
  expect(await studio.db.rows(sql`select name from projects order by name`)).toEqual([{ name: 'Den' }, { name: 'Moon' }])
  const [entry] = (await people.owner!.app(`${account()}/audit_log?action=deleteProject`)).json.entries
  expect(entry).toMatchObject({ before: { name: 'Star' }, after: null, user_id: studio.world.users.admin!.id })
})

test('a user who deletes themselves is signed out at once, then forgotten, also in accounts they had left', async () => {
  const left = `/accounts/${studio.world.accounts.fox!.id}/members/${studio.world.users.leaver!.id}`
  expect((await people.leaver!.app(left, { method: 'DELETE' })).status).toBe(200)
  expect((await remove('leaver', '/me', { email: 'owner@example.com' })).status).toBe(422)
  expect((await remove('leaver', '/me', { email: 'Leaver@example.com' })).status).toBe(200)
  expect((await people.leaver!.app('/me')).status).toBe(401)
  expect((await studio.ask('/api/v1/ping', { token: studio.world.tokens.leaver!.token as string })).status).toBe(401)
  const [entry] = (await people.owner!.app(`${account()}/audit_log?action=deleteMe`)).json.entries
  expect(entry).toMatchObject({ user_id: studio.world.users.leaver!.id })
  expect(await workOff(studio, 'delete_user')).toBe(1)
  const titles = await studio.db.rows<{ title: string }>(sql`select title from tasks`)
  expect(titles.map(({ title }) => title).sort()).toEqual(['den', 'moon'].map((name) => `Ask ${FORMER} about the ${name}`))
})

test('an account is closed at once: members without another account are signed out and deleted with it', async () => {
  expect((await remove('admin', account(), { name: 'The owl' })).status).toBe(403)
  expect((await remove('owner', account(), { name: 'The fox' })).status).toBe(422)
  expect((await remove('owner', account(), { name: 'The owl' })).status).toBe(200)
  expect((await people.owner!.app('/me')).status).toBe(401)
  expect((await people.worker!.app('/me')).status).toBe(401)
  expect((await people.admin!.app('/me')).json.accounts).toMatchObject([{ name: 'The fox' }])
  expect((await people.admin!.app(account())).status).toBe(404)
  expect((await tell()).status).toBe(404)
  const listed = await studio.ask('/api/v1/projects', { token: studio.world.tokens.worker!.token as string })
  expect(listed.json?.projects ?? []).toEqual([])
  expect(await workOff(studio, 'delete_account')).toBe(1)
  expect(await studio.db.rows(sql`select name from accounts`)).toEqual([{ name: 'The fox' }])
  expect(await studio.db.rows(sql`select email from users order by id`)).toMatchObject([
    { email: 'admin@example.com' },
    { email: `former-member-${studio.world.users.leaver!.id}@deleted.invalid` },
    { email: 'rival@example.com' },
  ])
})

test('a demo, which all visitors share, cannot be deleted', async () => {
  const made = await studio.load({
    accounts: [{ key: 'demo', name: 'Showroom', demo: true }],
    users: [{ key: 'guide', email: 'guide@example.com', name: 'Guide', password: PASSWORD, accounts: { demo: 'owner' } }],
    projects: [{ key: 'show', account: 'demo', name: 'Show' }],
  })
  people.guide = await signIn(studio, 'guide@example.com', PASSWORD)
  const demo = `/accounts/${made.accounts.demo!.id}`
  for (const [path, body] of [
    [`${demo}/deletion`, { name: 'Showroom' }],
    [`${demo}/projects/${made.projects.show!.id}/deletion`, { name: 'Show' }],
    [`${demo}/exports`, {}],
    [`/projects/${made.projects.show!.id}/exports`, {}],
    ['/me/deletion', { email: 'guide@example.com' }],
  ] as const)
    expect((await people.guide.app(path, { method: 'POST', body })).status, path).toBe(403)
})

test('the last owner of an account must transfer it first', async () => {
  const fox = `/accounts/${studio.world.accounts.fox!.id}`
  const refused = await remove('rival', '/me', { email: 'rival@example.com' })
  expect(refused).toMatchObject({ status: 422, json: { error: 'last_owner', message: expect.stringContaining('The fox') } })
  expect((await people.rival!.app('/me')).status).toBe(200)
  await people.rival!.app(`${fox}/members/${studio.world.users.admin!.id}`, { method: 'PATCH', body: { role: 'owner' } })
  expect((await remove('rival', '/me', { email: 'rival@example.com' })).status).toBe(200)
})
