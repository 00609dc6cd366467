import { ApiError } from '../../contract/errors.ts'
import type { Jobs } from '../../db/queue.ts'
import { type Quotas, refuseFile } from '../../domain/accounts/quotas.ts'
import type { IntegrationContext } from '../../domain/integrations/context.ts'
import * as subjects from '../../domain/integrations/job-subjects.ts'
import { dropExcess, giveUp, nextPending, type PendingPreview } from '../../domain/previews/pending.ts'
import { fileStore, put, sizeOf, storeMade } from '../../domain/previews/store.ts'
import { OverBudget, within } from '../../net/budget.ts'
import { NoAnswer, Unreachable } from '../../net/safe-fetch.ts'
import { makePreview } from '../../previews/make-preview.ts'
import type { ServerFile } from '../abilities.ts'
import type { JobContext } from '../job-context.ts'
import { abilitiesOf } from '../providers/servers.ts'
import { NotListed, reach } from '../reach/reach.ts'
import { fetchSoon } from './fetch-soon.ts'

/** After this time the job makes way for others and continues later. */
const TURN_MS = 20_000
/** An Unreal package has its thumbnail in its header; other files are only read if they are whole. */
const PACKAGE_BYTES = 8_000_000
const FILE_BYTES = 32_000_000
const TEXT_BYTES = 70_000

/** What one file may take: its bytes, and what is asked to find it. */
const FILE = { bytes: FILE_BYTES + 4 * 1024 * 1024, values: 250_000, pages: 10, seconds: 120 }

const limitOf = (path: string): number =>
  /\.u(?:asset|map)$/i.test(path) ? PACKAGE_BYTES : /\.(?:csv|ini|json|po)$/i.test(path) ? TEXT_BYTES : FILE_BYTES

interface PreviewContext extends JobContext {
  /** Quotas of accounts that have none of their own. */
  quotas?: Quotas | undefined
}

/** Makes previews of the files that an integration's changes left, newest first, one after the other. */
export async function fetchPreviews(
  context: PreviewContext,
  { account_id, integration_id }: Jobs['fetch_previews'],
  signal?: AbortSignal,
) {
  const { db } = context
  const subject = await subjects.integration(db, { account_id, id: integration_id })
  const read = subject && abilitiesOf(subject.provider).file
  if (!subject?.config.server || !read) return
  await dropExcess(db, account_id, subject.project_id)
  const until = Date.now() + TURN_MS
  for (;;) {
    signal?.throwIfAborted()
    const next = await nextPending(db, { account_id, id: integration_id }, subject.project_id)
    if (!next) return
    if (Date.now() > until) return fetchSoon(db, subject)
    await fetchOne(context, subject, next, async () => {
      const config = await reach({ ...context, signal }, subject, next)
      return within(FILE, () => read(context, config, next, limitOf(next.path), signal))
    })
  }
}

async function fetchOne(
  { db, log, quotas }: PreviewContext,
  { account_id, project_id, integration_id }: IntegrationContext,
  pending: PendingPreview,
  fetch: () => Promise<ServerFile>,
) {
  try {
    const { bytes, isCut } = await fetch()
    const made =
      bytes.length === 0 ? { reason: 'The file is empty.' } : await makePreview(account_id, { path: pending.path, isCut }, bytes)
    if ('reason' in made) return await giveUp(db, account_id, pending, made.reason)
    const stored = await storeMade(made, fileStore(db, account_id))
    await db.transaction(async (db) => {
      if (quotas) await refuseFile(db, quotas, account_id, 'previews', sizeOf(stored))
      await put(
        db,
        { account_id, project_id },
        { assetId: pending.asset_id, version: pending.version, onlyPending: true },
        stored,
      )
    })
  } catch (error) {
    // The server or this service is busy: the same file is tried again later.
    if (error instanceof NoAnswer) throw error
    if (error instanceof ApiError && error.code === 'quota_exceeded')
      return giveUp(db, account_id, pending, 'The account has no space left for files.')
    if (error instanceof NotListed) return giveUp(db, account_id, pending, error.message)
    if (!(error instanceof Unreachable || error instanceof OverBudget)) throw error
    log.warn({ integration: integration_id, error: error.message }, 'could not fetch a file for its preview')
    await giveUp(
      db,
      account_id,
      pending,
      'The server does not give this file. Check the settings of the integration, or upload a preview.',
    )
  }
}
