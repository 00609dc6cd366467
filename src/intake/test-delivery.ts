import { notFound } from '../contract/errors.ts'
import { type Database, sql } from '../db/database.ts'
import type { IntegrationContext } from '../domain/integrations/context.ts'
import { deliver } from './deliver.ts'
import type { Delivered } from './persist.ts'
import { providers } from './providers/index.ts'

const TITLE = 'A test delivery from Goldmaster'
const JOB = 'goldmaster-test'

/** Sends ourselves what the tool would send, without its signature: from reading to recording everything is as for a real one. */
export async function testDelivery(db: Database, integrationId: number): Promise<Delivered> {
  const context = await db.one<IntegrationContext>(sql`
    select i.id as integration_id, i.provider, i.config, p.id as project_id, p.account_id, p.engine, p.approval_types
    from integrations i join projects p on p.id = i.project_id where i.id = ${integrationId} and i.deleted_at is null`)
  if (!context) throw notFound('Integration')
  const provider = providers[context.provider]
  const received = new Date()
  const about = { mark: received.getTime(), now: received.toISOString(), title: TITLE, job: JOB }
  const { path = provider.paths[0]!, headers = {}, body } = provider.sample(about)
  return deliver(db, context, provider, {
    path,
    headers: { 'content-type': 'application/json', 'user-agent': 'goldmaster (test delivery)', ...headers },
    raw: Buffer.from(JSON.stringify(body)),
    body,
    url: '',
    received,
    config: context.config,
  })
}
