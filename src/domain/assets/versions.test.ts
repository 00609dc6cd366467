import { afterAll, beforeAll, expect, test } from 'vitest'
import { commit, openTools, push, type Tools } from '../../../test/support/tools.ts'
import { sql } from '../../db/database.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

test('of several commits of one push that touch a file, the last one counts, and each is a version', async () => {
  const touch = (name: string) => commit(name.repeat(40), { modified: ['Content/T_Twice.png'] })
  await tools.github(push([touch('a'), touch('b'), touch('c')]))
  const found = await tools.studio.db.rows(sql`
    select a.version, c.identifier, p.commit_sha from assets a join changes c on c.account_id = a.account_id and c.id = a.last_change_id
    left join approvals p on p.account_id = a.account_id and p.asset_id = a.id where a.path = 'Content/T_Twice.png'`)
  expect(found).toEqual([{ version: 3, identifier: 'c'.repeat(40), commit_sha: 'c'.repeat(40) }])
})
