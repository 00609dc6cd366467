import type { ProviderName } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { IntegrationContext } from './context.ts'
import { CONTEXT } from './job-subjects.ts'

/** Active integrations of a tool with a configured server, of one account or all. Demo accounts have no servers. */
export const withServer = (db: Database, provider: ProviderName, accountId?: number) =>
  db.rows<IntegrationContext>(sql`
    select ${CONTEXT} from integrations i
    join projects p on p.account_id = i.account_id and p.id = i.project_id and p.status = 'active'
    join accounts a on a.id = i.account_id and not a.demo and a.swept_at is null
    where i.provider = ${provider} and i.active and i.deleted_at is null and i.config ->> 'server' <> ''
      ${accountId === undefined ? sql`` : sql`and i.account_id = ${accountId}`}`)
