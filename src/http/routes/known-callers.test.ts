import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { type Sql, sql } from '../../db/database.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(workshop)
})
afterAll(() => studio.close())

const { inside } = visitor(() => studio)
const create = (title: string, task: object = {}) =>
  inside('/tasks', { as: 'artist', method: 'POST', body: { task: { title, ...task } } })
const titled = async (title: string) =>
  (await studio.db.one<{ n: number }>(sql`select count(*) as n from tasks where title = ${title}`))!.n
const entries = async () =>
  (await studio.db.one<{ n: number }>(sql`select count(*) as n from audit_log where action = 'createTask'`))!.n

const token = (set: Sql) => sql`update api_tokens set ${set} where name = 'artist'`
const account = (set: Sql) => sql`update accounts set ${set} where name = 'Night Owl'`

describe('a recently authorized caller creates nothing', () => {
  test.each<{ once: string; change: Sql; back: Sql; answer: object }>([
    {
      once: 'their token is revoked',
      change: token(sql`revoked_at = now()`),
      back: token(sql`revoked_at = null`),
      answer: { status: 401 },
    },
    {
      once: 'their token has lost the scope',
      change: token(sql`scopes = '{read:tasks}'`),
      back: token(sql`scopes = '{read:tasks,write:tasks}'`),
      answer: { status: 403, json: { error: 'insufficient_scope' } },
    },
    {
      once: 'their token is limited to no project',
      change: token(sql`project_ids = '{}'`),
      back: token(sql`project_ids = null`),
      answer: { status: 404, json: { error: 'not_found' } },
    },
    {
      once: 'they are a viewer',
      change: sql`insert into project_members (account_id, project_id, user_id, project_role)
        select p.account_id, p.id, u.id, 'viewer' from projects p, users u where p.name = 'Starfall' and u.email = 'artist@example.com'`,
      back: sql`delete from project_members where project_role = 'viewer'`,
      answer: { status: 403, json: { error: 'insufficient_role' } },
    },
    {
      once: 'the account does not allow their address',
      change: account(sql`allowed_addresses = '{203.0.113.0/24}'`),
      back: account(sql`allowed_addresses = null`),
      answer: { status: 403, json: { error: 'address_not_allowed' } },
    },
    {
      once: 'the trial of the account has ended',
      change: account(sql`swept_at = now()`),
      back: account(sql`swept_at = null`),
      answer: { status: 403, json: { error: 'demo_read_only' } },
    },
  ])('once $once', async ({ once, change, back, answer }) => {
    expect((await create(`Before ${once}`)).status).toBe(201)
    const told = await entries()
    await studio.db.execute(change)
    for (const task of [{}, { priority: 'none of these' }]) expect(await create(`After ${once}`, task)).toMatchObject(answer)
    await studio.db.execute(back)
    expect([await titled(`After ${once}`), await entries()]).toEqual([0, told])
    expect((await create(`Again ${once}`)).status).toBe(201)
  })
})

test('a caller whose role has changed, and still suffices, creates a task', async () => {
  expect((await create('As approver')).status).toBe(201)
  await studio.db.execute(sql`insert into project_members (account_id, project_id, user_id, project_role)
    select p.account_id, p.id, u.id, 'lead' from projects p, users u where p.name = 'Starfall' and u.email = 'artist@example.com'`)
  expect((await create('As lead')).status).toBe(201)
  expect(await titled('As lead')).toBe(1)
})

test('a task for a non-member is refused with that error', async () => {
  const rival = await studio.db.one<{ id: number }>(sql`select id from users where email = 'rival@example.com'`)
  expect((await create('For a friend')).status).toBe(201)
  expect(await create('For a stranger', { user_id: rival!.id })).toMatchObject({
    status: 422,
    json: { error: 'invalid_assignee' },
  })
})
