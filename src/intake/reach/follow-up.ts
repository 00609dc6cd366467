import type { BuildStatus } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { enqueue } from '../../db/queue.ts'
import { asking, type IntegrationContext, isHistory } from '../../domain/integrations/context.ts'
import type { Fact } from '../facts.ts'
import { providers } from '../providers/index.ts'
import { coveredBy } from './reach.ts'

/** Asks the configured server for what the delivery leaves out; of imported builds only for those that failed. */
export async function followUp(db: Database, context: IntegrationContext, fact: Fact, id: number) {
  if (isHistory(context) && fact.kind === 'build' && fact.status !== 'failed') return
  const job = context.config.server ? providers[context.provider].followUp?.(fact, id, context.account_id) : undefined
  if (job) await enqueue(db, job.kind, job.payload, { ...asking(context), ...(job.name !== undefined && { name: job.name }) })
}

interface Waiting {
  id: number
  external_id: string | null
  job: string
  number: string
  status: BuildStatus
  url: string
}

const WAITING_MAX = 50

/** The same for the newest builds of a place that a lead has just confirmed. */
export async function followUpConfirmed(db: Database, context: IntegrationContext) {
  const isOurs = await coveredBy(db, context)
  const builds = await db.rows<Waiting>(sql`
    select id, external_id, ci_job_name as job, build_number as number, status, url from build_runs
    where account_id = ${context.account_id} and project_id = ${context.project_id} and integration_id = ${context.integration_id}
      and created_at > goldmaster_now() - interval '3 days' and build_number <> '' and coalesce(output_log, '') = '' and log_object is null
    order by created_at desc, id desc limit ${WAITING_MAX}`)
  for (const { id, external_id, job, number, status, url } of builds)
    if (isOurs({ job, url }))
      await followUp(
        db,
        context,
        {
          kind: 'build',
          build: { job, number, ...(external_id !== null && { external_id }) },
          status,
          ...(url !== '' && { url }),
        },
        id,
      )
}
