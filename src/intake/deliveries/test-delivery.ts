import { notFound } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import type { IntegrationContext } from '../../domain/integrations/context.ts'
import * as deliveries from '../../domain/integrations/deliveries.ts'
import { scrub } from '../../domain/privacy/scrub.ts'
import { type Applied, apply } from '../apply.ts'
import { requireBounds } from '../bounds.ts'
import { arrivalOf } from '../deliver.ts'
import type { Fact } from '../facts.ts'
import type { Delivered } from '../persist.ts'
import type { Delivery, Provider } from '../provider.ts'
import { providers } from '../providers/index.ts'

const TITLE = 'A test delivery from Goldmaster'
const JOB = 'goldmaster-test'

/** Sends ourselves a sample of the tool's delivery, without its signature. */
export async function testDelivery(db: Database, integrationId: number): Promise<Delivered> {
  const context = await db.one<IntegrationContext>(sql`
    select i.id as integration_id, i.provider, i.config, p.id as project_id, p.account_id, p.engine, p.approval_rules
    from integrations i join projects p on p.id = i.project_id where i.id = ${integrationId} and i.deleted_at is null`)
  if (!context) throw notFound('Integration')
  const provider = providers[context.provider]
  const received = new Date()
  const about = { mark: received.getTime(), now: received.toISOString(), title: TITLE, job: JOB }
  const { path = provider.paths[0]!, headers = {}, body } = provider.sample(about)
  return rehearse(db, context, provider, {
    path,
    headers: { 'content-type': 'application/json', 'user-agent': 'goldmaster (test delivery)', ...headers },
    raw: Buffer.from(JSON.stringify(body)),
    body,
    url: '',
    received,
    config: context.config,
  })
}

/** Reads and applies a delivery like any other, then rolls back: only the log keeps it. */
export async function rehearse(
  db: Database,
  context: IntegrationContext,
  provider: Provider,
  delivery: Delivery,
  replayOf?: number,
): Promise<Delivered> {
  const began = performance.now()
  const facts = provider.read(delivery)
  requireBounds(facts)
  const { outcome, records, warnings } = await appliedAndUndone(db, context, facts)
  const note = `A test: it would have made ${countsOf(records) || 'nothing'}. Nothing of it was kept.`
  const id = await deliveries.note(
    db,
    { ...arrivalOf(context, provider, delivery, replayOf), test: true },
    { outcome, status: 200, records: [], message: note, milliseconds: Math.round(performance.now() - began) },
  )
  const warning = scrub(warnings.join(' '))
  return { status: outcome, delivery_id: String(id), note, ...(warning !== '' && { warning }) }
}

class Undone extends Error {
  readonly applied: Applied
  constructor(applied: Applied) {
    super()
    this.applied = applied
  }
}

async function appliedAndUndone(db: Database, context: IntegrationContext, facts: readonly Fact[]): Promise<Applied> {
  try {
    return await db.transaction(async (db) => {
      throw new Undone(await apply(db, context, facts))
    })
  } catch (error) {
    if (error instanceof Undone) return error.applied
    throw error
  }
}

/** `1 build run, 2 changes` */
function countsOf(records: Applied['records']): string {
  const counts = new Map<string, number>()
  for (const { type } of records) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].map(([type, count]) => `${count} ${type.replaceAll('_', ' ')}${count === 1 ? '' : 's'}`).join(', ')
}
