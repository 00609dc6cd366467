import type { AppReply } from '../../contract/app/routes.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { membersCalled, reporterOf } from '../../domain/assets/checkouts.ts'
import { requireAsset } from '../../domain/previews/previews.ts'
import { FairQueue } from '../../processes/fair-queue.ts'
import type { JobContext } from '../job-context.ts'
import type { CheckedOut } from '../providers/checked-out.ts'
import { abilitiesOf } from '../providers/servers.ts'
import { reach } from '../reach/reach.ts'

/** Somebody who opens the page again within this time sees the same. */
const FRESH_MS = 20_000
const CACHED_MAX = 1_000
/** Servers are asked for so many files at once, by this process: accounts take turns, so that the silent server of one keeps nobody waiting. */
const queue = new FairQueue(4)

type Known = CheckedOut[] | null
const cache = new Map<string, { until: number; known: Promise<Known> }>()

/** Who has an asset checked out, as far as its version control says so now; null if it can't be asked, or did not answer. */
export async function readCheckouts(
  { db, vault, allowed, log }: JobContext,
  by: ProjectKey,
  assetId: string,
): Promise<AppReply<'listCheckouts'>> {
  const { path } = await requireAsset(db, by, assetId)
  const reporter = await reporterOf(db, by, assetId)
  const read = reporter?.config.server ? abilitiesOf(reporter.provider).checkouts : undefined
  if (!reporter || !read) return { checkouts: null }
  const known = await cached(`${reporter.integration_id} ${path}`, async () => {
    try {
      return await queue.enter(by.account_id, async () =>
        read(await reach({ db, vault, allowed }, reporter, { path }), path, { allowed }),
      )
    } catch (error) {
      log.info(
        { integration: reporter.integration_id, error: (error as Error).message },
        'could not read who has a file checked out',
      )
      return null
    }
  })
  if (!known) return { checkouts: null }
  const members = await membersCalled(
    db,
    by.account_id,
    reporter.provider,
    known.map(({ name }) => name),
  )
  return { checkouts: known.map((one) => ({ ...one, user_id: members.get(one.name.toLowerCase()) ?? null })) }
}

function cached(key: string, read: () => Promise<Known>): Promise<Known> {
  const now = Date.now()
  const found = cache.get(key)
  if (found && found.until > now) return found.known
  if (cache.size >= CACHED_MAX)
    for (const [old, { until }] of cache) if (until <= now || cache.size >= CACHED_MAX) cache.delete(old)
  const known = read()
  cache.set(key, { until: now + FRESH_MS, known })
  return known
}
