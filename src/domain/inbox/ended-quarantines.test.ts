import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTools, type Tools } from '../../../test/support/tools.ts'
import { sql } from '../../db/database.ts'
import { announceEndedQuarantines } from './ended-quarantines.ts'
import * as inbox from './inbox.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

test('the owner of a test gets one notification for each quarantine that expires', async () => {
  const { db, service, world, site } = tools.studio
  const [kim, project] = [world.users.kim!.id as number, tools.project]
  const name = { job_name: 'Tests', build_number: '1' }
  await tools.ci({ ...name, status: 'SUCCESS' })
  await tools.studio.ask(`/webhooks/tests?${new URLSearchParams(name)}`, {
    method: 'POST',
    raw: '<testsuite name="Ai"><testcase classname="Ai" name="walks"/><testcase classname="Ai" name="swims"/></testsuite>',
    headers: { 'content-type': 'application/xml', 'x-webhook-token': tools.tokenOf('jenkins') },
  })
  const cases = await db.rows<{ id: string }>(sql`select id::text from test_cases order by id`)
  const quarantine = (id: string) => {
    const quarantined_until = new Date(Date.now() + 86_400_000).toISOString()
    return tools.api(`tests/${id}`, { method: 'PATCH', body: { quarantined_until, reason: 'waits for a server' } })
  }
  for (const { id } of cases) await quarantine(id)
  const end = () =>
    db.execute(
      sql`update test_quarantines set until = goldmaster_now() - interval '1 minute' where test_case_id = ${cases[0]!.id}`,
    )
  const told = async () => {
    for (const _ of [1, 2]) await announceEndedQuarantines(db, { vault: service.vault, site })
    return (await inbox.list(db, kim, {})).notifications.map(({ title, path }) => [title, path])
  }
  const ended = ['Quarantine ended: Ai.walks', `/projects/${project}/tests/${cases[0]!.id}`]
  const mails = async () => (await db.rows<{ text: string }>(sql`select text from mails order by id`)).map(({ text }) => text)

  expect(await told()).toEqual([])
  await end()
  expect(await told()).toEqual([ended])
  expect(await mails()).toEqual([])

  await quarantine(cases[0]!.id)
  await db.execute(sql`
    insert into notification_preferences (user_id, kind, in_app, mail, chat) values (${kim}, 'quarantine', true, true, false)`)
  await db.execute(
    sql`update test_quarantines set until = goldmaster_now() - interval '2 seconds' where test_case_id = ${cases[0]!.id}`,
  )
  expect(await told()).toEqual([ended, ended])
  expect(await mails()).toEqual([expect.stringContaining('Reason of the quarantine: waits for a server')])

  await db.execute(sql`update test_quarantines set until = goldmaster_now() - interval '1 minute', owner_user_id = null`)
  expect(await told()).toHaveLength(2)
})
