import { afterAll, beforeAll, expect, test } from 'vitest'
import { countingBuffers } from '../../../test/support/buffers.ts'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../db/database.ts'
import { deleteUser } from './forget-person.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
  const { db } = own
  await db.execute(sql`insert into accounts (id, name) values (1, 'Owl'), (2, 'Fox')`)
  await db.execute(sql`
    insert into users (id, email, name) select n, 'person' || n || '@owl.example', 'Ana Lindqvist' || n from generate_series(1, 9) n`)
  await db.execute(sql`
    insert into account_members (account_id, user_id, role) select case when n = 9 then 2 else 1 end, n, 'owner' from generate_series(1, 9) n`)
  await db.execute(sql`insert into projects (id, account_id, name) values (1, 1, 'Starfall'), (2, 2, 'Den')`)
  await fill(1, 0, 50)
})
afterAll(() => own.drop())

/** Records of all kinds that grow: written by person 9 in account 2, or by person 8 in account 1. */
const fill = (account: 1 | 2, from: number, to: number) =>
  own.db.transaction(async (db) => {
    await db.execute(sql`set local session_replication_role = replica`)
    const [id, person, numbers] = [
      sql`n + ${account * 1_000_000}::integer`,
      account === 1 ? 8 : 9,
      sql`generate_series(${from + 1}::integer, ${to}::integer) n`,
    ]
    const place = sql`${account}::integer, ${account}::integer`
    await db.execute(sql`
      insert into tasks (id, account_id, project_id, title, user_id, created_by_user_id) select ${id}, ${place}, 'Crate ' || n, ${person}, ${person} from ${numbers}`)
    await db.execute(sql`
      insert into changes (id, account_id, project_id, identifier, source_type, author, author_user_id, timestamp)
      select ${id}, ${place}, 'c' || n, 'GitCommit', 'Somebody Else', ${person}, now() from ${numbers}`)
    await db.execute(
      sql`insert into build_runs (id, account_id, project_id, status) select ${id}, ${place}, 'failed' from ${numbers}`,
    )
    await db.execute(sql`
      insert into investigations (id, account_id, build_run_id, status, attributed_user_id, suspects)
      select ${id}, ${account}::integer, ${id}, 'completed', ${person}, '[{"change_id": 1, "reasons": ["mentions “crate”"]}]' from ${numbers}`)
    await db.execute(sql`
      insert into comments (id, account_id, project_id, task_id, body, user_id) select ${id}, ${place}, ${id}, 'Seen', ${person} from ${numbers}`)
    await db.execute(sql`
      insert into notifications (user_id, account_id, project_id, kind, subject, subject_id, title, path)
      select ${person}, ${place}, 'task', 'task', n::text, 'A task', '/tasks' from ${numbers}`)
    await db.execute(sql`
      insert into mails (to_user_id, to_address, subject, text, account_id)
      select ${person}, 'other' || n || '@fox.example', 'A task', 'Yours', ${account}::integer from ${numbers}`)
    await db.execute(sql`
      insert into invitations (account_id, email, role, token_hash, invited_by, expires_at)
      select ${account}::integer, 'guest' || n || '@fox.example', 'member', sha256(convert_to((${id})::text, 'UTF8')), ${person}, now() + interval '7 days' from ${numbers}`)
    await db.execute(sql`
      insert into audit_log (account_id, position, at, user_id, action) select ${account}::integer, n, now(), ${person}, 'editTask' from ${numbers}`)
  })

/** What it costs to delete a person of account 1. */
async function cost(person: number): Promise<number> {
  await own.db.execute(sql`analyze`)
  const { db, read } = countingBuffers(own.db)
  await deleteUser(db, person)
  return read()
}

test('deleting a person costs the same beside 20 times as many records of another account', async () => {
  await fill(2, 0, 1_000)
  const few = await cost(1)
  await fill(2, 1_000, 20_000)
  const many = await cost(2)
  expect(await own.db.rows(sql`select name from users where id in (1, 2, 9) order by id`)).toEqual(
    ['Former member', 'Former member', 'Ana Lindqvist9'].map((name) => ({ name })),
  )
  expect(many, `${few} and ${many} buffers`).toBeLessThanOrEqual(1.3 * few)
}, 180_000)
