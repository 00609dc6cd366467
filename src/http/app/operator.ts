import type { operatorRoutes } from '../../contract/app/operator.ts'
import type { AppReply } from '../../contract/app/routes.ts'
import { VERSION } from '../../contract/version.ts'
import * as mails from '../../domain/mail/mails.ts'
import { judged } from '../../domain/operations/areas.ts'
import { readStatus } from '../../domain/operations/status.ts'
import type { Handlers } from '../routes/call.ts'

export const operatorHandlers = {
  async showServiceStatus({ db, retention, refusedRequests }): Promise<AppReply<'showServiceStatus'>> {
    // Counts of this process are shown at once, those of others within half a minute.
    await refusedRequests.flush(db)
    const status = await readStatus(db, { retention })
    return {
      version: VERSION,
      schema: status.schema,
      areas: judged(status),
      nodes: status.nodes.map(({ mails: _, backs_up, ...node }) => node),
      jobs: status.jobs,
      lanes: status.lanes,
      troubles: status.troubles,
      failing_accounts: status.failing,
      refused: status.refused.most,
      slow_statements: status.slow.statements,
      tables: status.sizes.tables,
      backups: status.backups.newest,
    }
  },
  listMails: async ({ db, query, mailing, retention }) => ({
    ...(await mails.list(db, query.before)),
    smtp: mailing,
    kept_days: retention.mails,
  }),
} satisfies Handlers<keyof typeof operatorRoutes>
