import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../db/database.ts'
import { exportWorld } from '../../world/export.ts'
import { loadWorld } from '../../world/world.ts'
import { Vault } from '../privacy/secrets.ts'
import * as accountSettings from './account-settings.ts'
import { deleteUser, FORMER } from './forget-person.ts'

const vault = new Vault('a key of these tests, and long enough')
const NAME = 'Zebedee Quillfeather'

const world = {
  accounts: ['owl', 'fox'].map((key) => ({ key, name: key })),
  users: [
    { key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner', fox: 'owner' } },
    { key: 'zeb', email: 'zeb@example.com', name: NAME, accounts: { owl: 'member' } },
  ],
  projects: ['owl', 'fox'].map((key) => ({ key, account: key, name: key, members: { kim: 'lead' } })),
  tasks: [
    { key: 'owl', project: 'owl', title: `Ask ${NAME}`, user: 'zeb' },
    { key: 'fox', project: 'fox', title: `Ask ${NAME}` },
  ],
}

let here: TestDatabase
let there: TestDatabase
beforeAll(async () => {
  ;[here, there] = await Promise.all([createDatabase(), createDatabase()])
})
afterAll(() => Promise.all([here.drop(), there.drop()]))

const load = ({ db }: TestDatabase, text: string) => loadWorld(db, Readable.from([text]), { vault })
const titles = async ({ db }: TestDatabase) =>
  (await db.rows<{ title: string }>(sql`select title from tasks order by account_id, id`)).map(({ title }) => title)

test('a person who left an account is forgotten there, also where it was loaded later, and not in an account that they never saw', async () => {
  const made = await load(here, JSON.stringify(world))
  const [owl, zeb] = [made.accounts.owl!.id, made.users.zeb!.id as number]
  await accountSettings.remove(here.db, owl, zeb, 'owner')
  let text = ''
  await exportWorld(here.db, { account_id: owl }, { vault, audience: 'operator' }, async (part) => {
    text += part
  })
  await load(there, text)
  for (const [database, left] of [
    [here, [`Ask ${FORMER}`, `Ask ${NAME}`]],
    [there, [`Ask ${FORMER}`]],
  ] as const) {
    const { id } = (await database.db.one<{ id: number }>(sql`select id from users where email = 'zeb@example.com'`))!
    expect(await deleteUser(database.db, id)).toMatchObject({ accounts: 1 })
    expect(await titles(database)).toEqual(left)
  }
})
