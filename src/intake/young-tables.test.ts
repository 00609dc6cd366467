import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { type Sql, sql } from '../db/database.ts'
import { newestOf } from '../domain/assets/decisions.ts'
import { raiseVersions } from '../domain/assets/version-numbers.ts'
import { buildsOf, hasBuildsOf } from '../domain/branches/positions.ts'
import { placing } from '../domain/changes/branches.ts'
import { type Arrival, tookEffect } from '../domain/integrations/deliveries.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
})
afterAll(() => own.drop())

const owner = { account_id: 1, project_id: 1 }
const arrival = { account_id: 1, integration_id: 1, dedupe_key: 'a' } as Arrival
const written = sql`with written as (select 1::bigint as id, 'a' as identifier, now() as timestamp, true as news)`

/** Whether a table is searched by all columns of an index, and not by one of them with a filter for the rest. */
const conditionsOf = async (statement: Sql) => {
  const plan = await own.db.rows<{ 'QUERY PLAN': string }>(sql`explain ${statement}`, { unprepared: true })
  return plan.map((line) => line['QUERY PLAN'].trim()).filter((line) => line.startsWith('Index Cond'))
}

// A plan is kept while the table grows from nothing, until PostgreSQL analyzes it. Before version 17 it used lists as filters.
test.each<[what: string, statement: Sql, columns: string[][]]>([
  ['an earlier delivery', tookEffect([arrival]), [['account_id', 'integration_id', 'dedupe_key']]],
  [
    'builds that wait for a change',
    sql`select ${hasBuildsOf(owner, ['a'])}`,
    [
      ['project_id', 'commit_hash'],
      ['project_id', 'changelist'],
    ],
  ],
  [
    'builds that name a change',
    buildsOf(owner, [1]),
    [
      ['project_id', 'commit_hash'],
      ['project_id', 'changelist'],
    ],
  ],
  [
    'changes that follow',
    sql`${written}, ${placing(owner, [{ identifier: 'a', branch: 'main', tool_position: null, previous: 'b' }])} select from late`,
    [['account_id', 'project_id', 'branch', 'previous']],
  ],
  [
    'assets whose versions an import moves',
    sql`${written}, ${raiseVersions(owner, [{ identifier: 'a', path: 'a.png' }])} select from version_moves`,
    [
      ['account_id', 'project_id', 'path'],
      ['account_id', 'asset_id'],
    ],
  ],
  [
    'the newest requests of assets that are decided together',
    sql`select n.status from unnest(array[gen_random_uuid()]) asked (id) join lateral (${newestOf(owner)}) n on true`,
    [['account_id', 'asset_id']],
  ],
])('%s are found by the full index in tables without statistics', async (_, statement, columns) => {
  const conditions = await conditionsOf(statement)
  for (const names of columns)
    expect(conditions).toContainEqual(expect.toSatisfy((line: string) => names.every((name) => line.includes(`(${name} = `))))
})

test('no statement is JIT-compiled: that takes longer than any of them', async () => {
  expect(await own.db.one(sql`show jit`)).toEqual({ jit: 'off' })
})
