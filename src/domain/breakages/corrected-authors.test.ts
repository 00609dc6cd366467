import { afterAll, beforeAll, expect, test } from 'vitest'
import { countingBuffers } from '../../../test/support/buffers.ts'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../db/database.ts'
import { correctAuthors } from './corrected-authors.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
  const { db } = own
  await db.execute(sql`insert into accounts (id, name) values (1, 'Owl'), (2, 'Fox')`)
  await db.execute(sql`insert into users (id, email, name) values (1, 'ana@owl.example', 'Ana'), (2, 'ben@owl.example', 'Ben')`)
  await db.execute(sql`insert into projects (id, account_id, name) values (1, 1, 'Starfall'), (2, 1, 'Attic'), (3, 2, 'Den')`)
  await db.execute(sql`
    insert into changes (id, account_id, project_id, identifier, source_type, author, timestamp)
    select n, case when n = 3 then 2 else 1 end, n, 'c' || n, 'GitCommit', 'Nobody', now() from generate_series(1, 3) n`)
  await suspect(1, 1, 1, 1)
  await suspect(2, 1, 2, 2)
  await suspect(3, 2, 3, 3)
  // Another account, whose records have the same number.
  await suspect(4, 2, 3, 1)
})
afterAll(() => own.drop())

/** A failed build with its investigation and breakage, which all suspect a change; the author is thought to be person 1. */
async function suspect(id: number, account: number, project: number, change: number, author = 1) {
  const suspects = JSON.stringify([{ change_id: change, user_id: author, score: 0.9, reasons: ['touches the file'] }])
  const { db } = own
  const key = sql`${account}::integer, ${project}::integer`
  await db.execute(sql`insert into build_runs (id, account_id, project_id, status) select ${id}, ${key}, 'failed'`)
  await db.execute(sql`
    insert into investigations (id, account_id, build_run_id, status, suspects, attributed_user_id)
    select ${id}, ${account}::integer, ${id}, 'completed', ${suspects}::jsonb, ${author}::integer`)
  await db.execute(sql`
    insert into breakages (id, account_id, project_id, fingerprint, state, suspects, opened_at, last_seen_at, fixed_at)
    select ${id}, ${key}, 'f' || ${id}::text, 'fixed', ${suspects}::jsonb, now() - interval '1 year', now() - interval '1 year', now() - interval '1 year'`)
  await db.execute(sql`
    insert into breakage_occurrences (account_id, project_id, breakage_id, number, opened_at, suspects, attributed_user_id)
    select ${key}, ${id}, 1, now() - interval '1 year', ${suspects}::jsonb, ${author}::integer`)
}

const authors = async () =>
  (
    await own.db.rows<{ place: string; user_id: number | null }>(sql`
      select 'investigation ' || id as place, (suspects -> 0 ->> 'user_id')::integer as user_id from investigations where id < 10
      union all select 'breakage ' || id, (suspects -> 0 ->> 'user_id')::integer from breakages where id < 10
      union all select 'occurrence ' || breakage_id, (suspects -> 0 ->> 'user_id')::integer from breakage_occurrences where breakage_id < 10
      order by 1`)
  ).map(({ place, user_id }) => `${place}: ${user_id}`)

/** Other people's failures of the same project, of other changes. */
const fill = (from: number, to: number) =>
  own.db.transaction(async (db) => {
    await db.execute(sql`set local session_replication_role = replica`)
    const numbers = sql`generate_series(${from + 1}::integer, ${to}::integer) n`
    const suspects = sql`jsonb_build_array(jsonb_build_object('change_id', n + 1000, 'user_id', 2, 'score', 0.9, 'reasons', '[]'::jsonb))`
    await db.execute(
      sql`insert into build_runs (id, account_id, project_id, status) select n + 10, 1, 1, 'failed' from ${numbers}`,
    )
    await db.execute(sql`
      insert into investigations (id, account_id, build_run_id, status, suspects) select n + 10, 1, n + 10, 'completed', ${suspects} from ${numbers}`)
    await db.execute(sql`
      insert into breakages (id, account_id, project_id, fingerprint, state, suspects, opened_at, last_seen_at, fixed_at)
      select n + 10, 1, 1, 'f' || n, 'fixed', ${suspects}, now(), now(), now() from ${numbers}`)
    await db.execute(sql`
      insert into breakage_occurrences (account_id, project_id, breakage_id, number, opened_at, suspects)
      select 1, 1, n + 10, 1, now(), ${suspects} from ${numbers}`)
  })

/** What the correction reads, with person 1 named again. */
async function cost(): Promise<number> {
  await own.db.execute(sql`vacuum analyze investigations, breakages, breakage_occurrences`)
  const { db, read } = countingBuffers(own.db)
  await correctAuthors(db, { account_id: 1, user_id: 1 }, async () => {})
  return read()
}

test('a person who wrote nothing is no longer named by suspects of their account, and the other account keeps its own', async () => {
  await fill(0, 1_000)
  const few = await cost()
  expect(await authors()).toEqual([
    'breakage 1: null',
    'breakage 2: null',
    'breakage 3: 1',
    'breakage 4: 1',
    'investigation 1: null',
    'investigation 2: null',
    'investigation 3: 1',
    'investigation 4: 1',
    'occurrence 1: null',
    'occurrence 2: null',
    'occurrence 3: 1',
    'occurrence 4: 1',
  ])
  const { others } = (await own.db.one<{ others: number }>(sql`
    select count(*)::integer as others from investigations where suspects @> '[{"user_id": 2}]'`))!
  expect(others, 'suspects by somebody else').toBe(1_000)
  await own.db.execute(sql`update investigations set suspects = jsonb_set(suspects, '{0,user_id}', '1') where id < 10`)
  await own.db.execute(sql`update breakages set suspects = jsonb_set(suspects, '{0,user_id}', '1') where id < 10`)
  await own.db.execute(
    sql`update breakage_occurrences set suspects = jsonb_set(suspects, '{0,user_id}', '1') where breakage_id < 10`,
  )
  await fill(1_000, 50_000)
  const many = await cost()
  expect((await authors()).filter((one) => one.endsWith(': 1'))).toHaveLength(6)
  // What an update writes into full and half empty pages differs by up to 100 pages; reading the tables would take thousands.
  expect(many, `${few} and ${many} buffers`).toBeLessThanOrEqual(few * 1.3 + 100)
}, 120_000)
