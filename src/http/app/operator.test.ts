import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { operatorRoutes } from '../../contract/app/operator.ts'
import { sql } from '../../db/database.ts'

const PASSWORD = 'a long enough password'
let studio: Studio
let operator: Visitor
let member: Visitor
beforeAll(async () => {
  const users = workshop.users.map((user) => ({ ...user, password: PASSWORD }))
  studio = await openStudio({ ...workshop, users }, { rates: { taskWrites: { points: 1, seconds: 600 } } })
  const [first, second] = users.map(({ email }) => email)
  await studio.db.execute(sql`update users set operator = true where email = ${first}`)
  operator = await signIn(studio, first!, PASSWORD)
  member = await signIn(studio, second!, PASSWORD)
})
afterAll(() => studio.close())

const { id, tokenOf } = visitor(() => studio)

test.each(Object.entries(operatorRoutes))('%s is available to operators only', async (_, { path }) => {
  const place = path.replace('/v1', '')
  expect((await operator.app(place)).status).toBe(200)
  expect(await member.app(place)).toMatchObject({ status: 404, json: { error: 'not_found' } })
  expect((await studio.ask(`/app/api${path}`)).status).toBe(401)
  expect((await studio.ask(`/api${path}`, { token: tokenOf('lead') })).status).toBe(404)
})

test('a request that a rate limit refuses is shown with its account and address', async () => {
  const create = () =>
    studio.ask(`/api/v1/projects/${id('projects', 'star')}/tasks`, {
      method: 'POST',
      token: tokenOf('lead'),
      body: { task: { title: 'x' } },
    })
  expect([(await create()).status, (await create()).status, (await create()).status]).toEqual([201, 429, 429])
  const { json } = await operator.app('/operator/status')
  expect(json.refused).toEqual([
    { account_id: expect.any(Number), account: expect.any(String), address: '127.0.0.1', reason: 'LIMIT_TASK_WRITES', count: 2 },
  ])
})

test('every area shows its state, and what to do next if there is a problem', async () => {
  const { json } = await operator.app('/operator/status')
  expect(json.areas.map(({ name }: { name: string }) => name)).toEqual([
    'nodes',
    'queue',
    'accounts',
    'deliveries',
    'lanes',
    'destinations',
    'breakers',
    'previews',
    'refused',
    'statements',
    'purges',
    'storage',
    'mails',
    'backups',
  ])
  for (const { level, text, next } of json.areas) {
    expect(text).not.toBe('')
    if (level !== 'ok') expect(next).toMatch(/\w/)
  }
})
