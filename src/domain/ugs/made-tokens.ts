import type { MadeTokenKind } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { rotateToken } from '../integrations/settings.ts'
import type { Vault } from '../privacy/secrets.ts'
import * as ugsTokens from './tokens.ts'

/** A token of a tool that a person created and so may still know: an Unreal Game Sync token, or the webhook token of an integration. */
interface MadeToken {
  kind: MadeTokenKind
  id: number
  account_id: number
  project_id: number
  name: string
  user_id: number
  created_at: string
}

const MAX = 500

const made = (where: Sql): Sql => sql`
  select * from (
    select 'ugs_token' as kind, t.id, t.account_id, t.project_id, t.name, t.created_by_user_id as user_id, t.created_at
    from ugs_tokens t join projects p on p.id = t.project_id and p.deleted_at is null
    where t.revoked_at is null and t.created_by_user_id is not null
    union all
    select 'integration', i.id, p.account_id, i.project_id, i.provider, i.created_by_user_id, i.created_at
    from integrations i join projects p on p.id = i.project_id and p.deleted_at is null
    where i.deleted_at is null and i.created_by_user_id is not null) t
  where ${where} order by t.created_at desc, t.kind, t.id desc limit ${MAX}`

/** The tokens of one person; without one, of everybody who has left the account. */
export const list = (db: Database, accountId: number, userId: number | undefined): Promise<MadeToken[]> =>
  db.rows(
    made(
      sql`t.account_id = ${accountId} and ${
        userId === undefined
          ? sql`not exists (select from account_members m where m.account_id = t.account_id and m.user_id = t.user_id)`
          : sql`t.user_id = ${userId}`
      }`,
    ),
  )

/** In every account. */
export const listOfUser = (db: Database, userId: number): Promise<MadeToken[]> => db.rows(made(sql`t.user_id = ${userId}`))

/** Revokes an Unreal Game Sync token; gives an integration a new token, which has to be entered in its tool. */
export async function revoke(db: Database, vault: Vault, { kind, id, account_id, project_id }: MadeToken): Promise<void> {
  if (kind === 'ugs_token') await ugsTokens.revoke(db, id, { account_id, project_id })
  else await rotateToken(db, vault, id)
}
