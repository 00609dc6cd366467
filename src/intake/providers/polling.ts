import type { Database } from '../../db/database.ts'
import { enqueue, isQueued } from '../../db/queue.ts'
import { eachRow } from '../../domain/accounts/isolation.ts'
import { asking } from '../../domain/integrations/context.ts'
import { withServer } from '../../domain/integrations/polled.ts'
import { providers } from './index.ts'

/** Starts polling the servers of tools that can't send. Polling continues by itself; here it starts again if it broke off. */
export async function startPolls(db: Database) {
  for (const { name: provider, poll } of Object.values(providers)) {
    if (poll === undefined) continue
    await eachRow(db, 'start_polls', await withServer(db, provider), async (context) => {
      const { kind, payload, name } = poll(context.integration_id, context.account_id)
      if (!(await isQueued(db, { name, account_id: context.account_id })))
        await enqueue(db, kind, payload, { ...asking(context), name })
    })
  }
}
