import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin } from '../../../test/support/admin.ts'
import { beginBeyond32Bits, createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { fillTables, fullWorld } from '../../../test/support/studios/full-account.ts'
import { raw, sql } from '../../db/database.ts'
import { loadWorld } from '../../world/world.ts'
import { Vault } from '../privacy/secrets.ts'
import * as accountSettings from './account-settings.ts'
import { deleteAccount } from './deletion.ts'
import { FORMER } from './forget-person.ts'
import { TABLE_OWNERSHIP } from './table-ownership.ts'
import { PLACEMENTS, someOf } from './table-placement.ts'
import * as users from './users.ts'

const vault = new Vault('a key of these tests, and long enough')
const NAME = 'Zebedee Quillfeather'
const ADDRESS = 'zebedee@quillfeather.example'

let own: TestDatabase
let account: number
let other: number
let project: number
let person: number
beforeAll(async () => {
  own = await createDatabase()
  await beginBeyond32Bits(own.db)
  const zebedee = {
    key: 'zeb',
    email: ADDRESS,
    name: NAME,
    password: 'a long enough password',
    accounts: { owl: 'member', fox: 'member' },
  }
  const only = { key: 'only', email: 'only@night-owl.example', name: 'Only Here', accounts: { owl: 'member' } }
  const world = { ...fullWorld, users: [...fullWorld.users, zebedee, only] }
  const made = await loadWorld(own.db, Readable.from([JSON.stringify(world)]), { vault })
  ;({ account_id: account, project_id: project } = await fillTables(own.db, vault, made.integrations.full!.id))
  other = made.accounts.fox!.id
  person = made.users.zeb!.id
  // Left one account earlier.
  await accountSettings.remove(own.db, other, person, 'owner')
})
afterAll(() => own.drop())

/** All columns that can hold a text, including the queue's. */
const columns = () =>
  own.db.rows<{ table: string; column: string; type: string }>(sql`
    select table_name::text as table, column_name::text as column, udt_name::text as type from information_schema.columns c
    join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER'
      and udt_name in ('text', '_text', 'json', 'jsonb', 'bytea', 'varchar')`)

/** Every column of the database that contains one of the texts. */
async function traces(...marks: string[]): Promise<string[]> {
  const found: string[] = []
  for (const { table, column, type } of await columns()) {
    const text = type === 'bytea' ? sql`encode(${raw(column)}, 'escape')` : sql`${raw(`"${column}"`)}::text`
    const there = await own.db.one(sql`
      select from ${raw(table)} where exists (select from unnest(${marks}::text[]) mark where position(lower(mark) in lower(${text})) > 0) limit 1`)
    if (there) found.push(`${table}.${column}`)
  }
  return found
}

/** Writes a text into every column of the account that accepts it. */
async function plant(text: string, levels: string[], account_id = account): Promise<void> {
  for (const { table, column, type } of await columns()) {
    const holding = TABLE_OWNERSHIP[table]
    // Skip hashes.
    if (!holding || !levels.includes(holding.level) || table === 'users' || (type === 'bytea' && column !== 'body')) continue
    const values: Record<string, ReturnType<typeof sql>> = {
      bytea: sql`convert_to(${text}, 'UTF8')`,
      _text: sql`array[${text}]`,
      text: sql`${text}`,
    }
    const value = values[type] ?? sql`${JSON.stringify([text])}::${raw(type)}`
    const whose = holding.of({ account_id })
    const first =
      PLACEMENTS[table] === 'by account'
        ? await someOf(own.db, table, account_id, whose, 1)
        : sql`t.ctid = (select t.ctid from ${raw(table)} t where ${whose} limit 1)`
    await own.db
      .transaction(async (db) => {
        await db.execute(sql`set local goldmaster.quiet = 'on'`)
        await db.execute(sql`update ${raw(table)} t set ${raw(column)} = ${value} where ${first}`)
      })
      // A column with a closed set of values or with a reference to it.
      .catch(() => {})
  }
}

test('no name and no address of a deleted user is left anywhere, and history shows a former member', async () => {
  for (const statement of [
    sql`insert into mails (to_address, subject, text) values (${ADDRESS}, 'Hello', 'x')`,
    sql`insert into sessions (user_id, token, expires_at, user_agent) values (${person}, 't', now(), ${NAME})`,
    sql`insert into jobs (owner, kind, payload, state) values ('', 'mail_password_reset', ${JSON.stringify({ email: ADDRESS })}::json, 'waiting')`,
    sql`insert into invitations (account_id, email, role, token_hash, expires_at) values (${account}, ${ADDRESS}, 'member', sha256('i'), now())`,
    sql`insert into outbox (account_id, project_id, kind, row_id, facts)
      values (${account}, ${project}, 'task', '1', ${JSON.stringify({ title: NAME })}::json)`,
    sql`update tasks set user_id = ${person}, assignee_handle = null where id = (select min(id) from tasks where project_id = ${project})`,
  ])
    await own.db.execute(statement)
  await plant(`${NAME} <${ADDRESS.toUpperCase()}>`, ['account', 'project', 'person'])
  await plant(`Of ${NAME}, ${ADDRESS}`, ['account', 'project'], other)
  await own.db.execute(sql`
    insert into mails (to_address, account_id, subject, text) values ('friend@example.com', ${account}, 'Hello', ${`${NAME} invited you`})`)
  expect((await traces(NAME)).length).toBeGreaterThan(60)
  const out = JSON.parse(await admin({ db: own.db, vault }, 'user', 'delete', ADDRESS, '--yes', '--json'))
  expect(out).toMatchObject({ id: person, deleted: true })
  expect(await traces(NAME, ADDRESS)).toEqual([])
  const posted = await own.db.rows(sql`
    select text as said from mails where to_address = 'friend@example.com' union all select email from invitations where email = ${FORMER}`)
  expect(posted).toEqual([{ said: `${FORMER} invited you` }])
  const assigned = await own.db.one(sql`select u.name from tasks t join users u on u.id = t.user_id where t.user_id = ${person}`)
  expect(assigned).toEqual({ name: FORMER })
  const left = await own.db.one(sql`
    select (select count(*) from api_tokens where user_id = ${person}) as tokens, (select count(*) from logins where user_id = ${person}) as logins,
      (select count(*) from account_members where user_id = ${person}) as accounts`)
  expect(left).toEqual({ tokens: 0, logins: 0, accounts: 0 })
})

test.each(['Ana "Bo" Lee', 'Ana Lee (Bo)', 'state": "open'])(
  'a name with punctuation is removed from JSON too, and nothing else: %s',
  async (name) => {
    const { id } = await users.create(own.db, { email: 'ana@quoted.example', name, account_id: account })
    const set = (metadata: object) => sql`
    update tasks set metadata = ${JSON.stringify(metadata)}::jsonb where id = (select min(id) from tasks where project_id = ${project})`
    await own.db.execute(set({ by: `said ${name} yesterday`, state: 'open' }))
    await admin({ db: own.db, vault }, 'user', 'delete', String(id), '--yes')
    const task = await own.db.one(
      sql`select metadata from tasks where id = (select min(id) from tasks where project_id = ${project})`,
    )
    expect(task).toEqual({ metadata: { by: `said ${FORMER} yesterday`, state: 'open' } })
  },
)

test.each([
  ['literal', 'pushed by Åsa Gößler', null],
  ['in another case', 'pushed by ÅSA GÖßLER', null],
  ['JSON-escaped', '"\\u00c5sa G\\u00F6\\u00dfler"', null],
  ['a longer name, which stays', 'pushed by Åsa Gößlers', 'pushed by Åsa Gößlers'],
])('a non-ASCII name is removed from the body of a delivery: %s', async (_, body, left) => {
  const { id } = await users.create(own.db, { email: 'asa@goessler.example', name: 'Åsa Gößler', account_id: account })
  const first = sql`(select min(d.id) from deliveries d join integrations i on i.id = d.integration_id where i.project_id = ${project})`
  await own.db.execute(sql`update deliveries set body = convert_to(${body}, 'UTF8') where id = ${first}`)
  await admin({ db: own.db, vault }, 'user', 'delete', String(id), '--yes')
  expect(await own.db.one(sql`select convert_from(body, 'UTF8') as body from deliveries where id = ${first}`)).toEqual({
    body: left,
  })
})

test.each(['former  Member', 'Bug Ui'])('a user whose name occurs in many unrelated texts can be deleted: %s', async (name) => {
  const { id } = await users.create(own.db, { email: 'former@quoted.example', name, account_id: account })
  await own.db.execute(sql`
    insert into tasks (account_id, project_id, title, labels)
    select ${account}, ${project}, ${FORMER}, '{bug,ui}' from generate_series(1, 1000)`)
  await admin({ db: own.db, vault }, 'user', 'delete', String(id), '--yes')
  await own.db.execute(sql`delete from tasks where title = ${FORMER} and project_id = ${project}`)
})

test('the last owner of an account cannot be deleted', async () => {
  const owner = await own.db.one<{ id: number }>(sql`
    select user_id as id from account_members where account_id = ${other} and role = 'owner'`)
  await expect(admin({ db: own.db, vault }, 'user', 'delete', String(owner!.id), '--yes')).rejects.toThrow(/needs an owner/)
})

test('a deletion without a prompt needs --yes', async () => {
  await expect(admin({ db: own.db, vault }, 'account', 'delete', String(account))).rejects.toThrow(/--yes/)
  expect(await own.db.one(sql`select from accounts where id = ${account}`)).toBeDefined()
})

const remaining = async (scope: { account_id: number; project_id?: number }, levels: string[]) => {
  const found: string[] = []
  // What is swept names files that a job removes first.
  for (const [table, { of, level, swept }] of Object.entries(TABLE_OWNERSHIP))
    if (!swept && levels.includes(level) && (await own.db.one(sql`select from ${raw(table)} t where ${of(scope)} limit 1`)))
      found.push(table)
  return found
}

test('a deleted project leaves the other projects untouched', async () => {
  const count = () => own.db.one(sql`select count(*) from tasks where project_id <> ${project}`)
  const before = await count()
  // `plant` replaced the rules with a text.
  await own.db.execute(sql`update projects set approval_rules = null`)
  await admin({ db: own.db, vault }, 'project', 'delete', String(project), '--yes')
  expect(await remaining({ account_id: account, project_id: project }, ['project'])).toEqual([])
  expect(await count()).toEqual(before)
})

test('an interrupted deletion can be restarted and leaves nothing of the account', async () => {
  const name = 'Gloamwick Games'
  await plant(name, ['account', 'project'])
  const { id: member } = (await own.db.one<{ id: number }>(sql`
    select user_id as id from account_members where account_id = ${account} order by 1 limit 1`))!
  const projectOf = async (account: number) =>
    (await own.db.one<{ id: number }>(sql`select max(id) as id from projects where account_id = ${account}`))!.id
  const invited = 'both@example.com'
  for (const [of, whose] of [
    [account, name],
    [other, 'Fox'],
  ] as const) {
    await own.db.execute(sql`
      insert into invitations (account_id, email, role, token_hash, expires_at) values (${of}, ${invited}, 'member', sha256(${whose}::bytea), now())`)
    await own.db.execute(sql`
      insert into mails (to_address, to_user_id, account_id, subject, text, unsubscribe) values
        (${invited}, null, ${of}, ${`Ann invited you to ${whose}`}, 'x', ''), (null, ${member}, ${of}, 'Hello', ${`Of ${whose}`}, ''),
        (${invited}, null, null, ${`Kim invited you to ${whose}`}, 'x', ''),
        (null, ${member}, null, 'Today', ${`${whose}\nhttps://gold.example/projects/${await projectOf(of)}`}, 'stop')`)
  }
  const people = await own.db.rows<{ email: string }>(sql`
    select u.email from users u join account_members m on m.user_id = u.id and m.account_id = ${account}
    where not exists (select from account_members o where o.user_id = u.id and o.account_id <> ${account})`)
  const neighbours = () =>
    own.db.one(sql`
      select (select count(*) from tasks where account_id = ${other}) as tasks,
        (select count(*) from account_members where account_id = ${other}) as members`)
  const before = await neighbours()
  let steps = 0
  const killed = deleteAccount(own.db, account, () => {
    if (++steps === 20) throw new Error('killed')
  })
  await expect(killed).rejects.toThrow('killed')
  expect(await own.db.one(sql`select from accounts where id = ${account}`)).toBeDefined()
  await admin({ db: own.db, vault }, 'account', 'delete', String(account), '--yes')
  expect(await remaining({ account_id: account }, ['account', 'project'])).toEqual([])
  expect(people.length).toBeGreaterThan(0)
  expect(await traces(name, ...people.map(({ email }) => email))).toEqual([])
  expect(await neighbours()).toEqual(before)
  const kept = await own.db.rows<{ subject: string }>(sql`
    select subject from mails where to_address = ${invited} or to_user_id = ${member} order by id`)
  expect(kept.map(({ subject }) => subject)).toEqual(['Ann invited you to Fox', 'Hello', 'Kim invited you to Fox', 'Today'])
})
