import { expect, test } from 'vitest'
import { createEmptyDatabase } from '../../test/support/database.ts'
import { sql } from './database.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migration-files.ts'

test.each([
  ['where a mail was sent, those who did not follow theirs stay unconfirmed', sql`now()`, [true, true, false]],
  ['where none was ever sent, nobody could have followed one', sql`null`, [true, true, true]],
])('%s; names elsewhere stay what they are', async (_, sent, verified) => {
  const { url, db, drop } = await createEmptyDatabase()
  try {
    await migrate(
      url,
      undefined,
      migrations().filter(({ number }) => number <= 9),
    )
    await db.execute(sql`
      insert into users (id, email, name, email_verified, operator)
      values (1, 'owner@example.com', 'Owner', false, true), (2, 'file@example.com', 'File', true, false), (3, 'self@example.com', 'Self', false, false)`)
    await db.execute(sql`insert into connected_accounts (user_id, provider, uid) values (3, 'github', 'self')`)
    await db.execute(sql`insert into mails (to_user_id, subject, text, sent_at) values (3, 'Confirm', 'it', ${sent})`)
    await migrate(url)
    const users = await db.rows<{ email_verified: boolean }>(sql`select email_verified from users order by id`)
    expect(users.map(({ email_verified }) => email_verified)).toEqual(verified)
    expect(await db.rows(sql`select proven from connected_accounts`)).toEqual([{ proven: true }])
  } finally {
    await drop()
  }
})
