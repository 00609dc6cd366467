import { sql } from '../../db/database.ts'

/**
 * For an operator, who names a record by its id alone: `account_id = ${ANY_ACCOUNT} and id = …` looks it up in the key of each account in
 * turn. Everybody else names the account.
 */
export const ANY_ACCOUNT = sql`any (array(select id from accounts))`
