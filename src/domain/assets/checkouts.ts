import { CHECKOUT_PROVIDERS } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { COUNTS } from '../accounts/connected-accounts.ts'
import type { IntegrationContext } from '../integrations/context.ts'
import { CONTEXT } from '../integrations/job-subjects.ts'

/** The integration that reported the last change of an asset. */
export const reporterOf = (db: Database, { account_id, project_id }: ProjectKey, assetId: string) =>
  db.one<IntegrationContext>(sql`
    select ${CONTEXT}
    from assets s join changes c on c.account_id = s.account_id and c.id = s.last_change_id
    join integrations i on i.id = c.integration_id and i.active and i.deleted_at is null
    join projects p on p.account_id = s.account_id and p.id = s.project_id
    where s.account_id = ${account_id} and s.project_id = ${project_id} and s.id = ${assetId}`)

/** Whether the tool that reported the last change of the asset can be asked who has it checked out: pages ask only then. */
export const canListCheckouts = (account: Sql, id: Sql) => sql`exists (
  select from assets s join changes c on c.account_id = s.account_id and c.id = s.last_change_id
  join integrations i on i.id = c.integration_id and i.active and i.deleted_at is null
    and i.provider = any (${CHECKOUT_PROVIDERS}::text[]) and i.config ->> 'server' <> ''
  where s.account_id = ${account} and s.id = ${id})`

/** Members by their names in a tool, in lower case. */
export async function membersCalled(db: Database, accountId: number, provider: string, names: readonly string[]) {
  const rows = await db.rows<{ name: string; user_id: number }>(sql`
    select lower(a.uid) as name, min(a.user_id) as user_id
    from account_members m join connected_accounts a on a.user_id = m.user_id
    where m.account_id = ${accountId} and a.provider = ${provider} and ${COUNTS} and lower(a.uid) = any (${names.map((name) => name.toLowerCase())}::text[])
    group by 1 having count(distinct a.user_id) = 1`)
  return new Map(rows.map(({ name, user_id }) => [name, user_id]))
}
