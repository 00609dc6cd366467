import { enqueue, type Jobs } from '../../../db/queue.ts'
import { asking } from '../../../domain/integrations/context.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import { apply } from '../../apply.ts'
import type { JobContext } from '../../job-context.ts'
import { BY_SETTINGS, reach } from '../../reach/reach.ts'
import { type Json, object, objects, word } from '../../reading.ts'
import { Refused } from '../ci-replies.ts'
import { pollName } from './follow-up.ts'
import { hasNames, named, readJob, updatedAt } from './job.ts'
import { hordeAt } from './server.ts'
import { streamsIn } from './streams.ts'

const EVERY_S = 30
/** Older jobs are not looked at, even if they still run. */
const WINDOW_MS = 3 * 86_400_000
/** How far back the first poll goes. */
const FIRST_MS = 3_600_000
const PAGE = 100
const PAGES = 20
/** Jobs that are read in one poll; the next one continues. */
const JOBS = 50

type Horde = ReturnType<typeof hordeAt>

/** Reads the jobs that changed since the last poll, oldest change first, and polls again. */
export async function pollHorde(
  { db, vault, allowed }: JobContext,
  { account_id, integration_id, since }: Jobs['poll_horde'],
  signal?: AbortSignal,
) {
  const context = await subjects.integration(db, { account_id, id: integration_id })
  if (!context?.config.server) return
  const config = await reach({ db, vault, allowed, signal }, context, BY_SETTINGS)
  const horde = hordeAt(config, allowed, signal)
  const graphs = new Map<string, unknown>()
  let last = since ?? new Date(Date.now() - FIRST_MS).toISOString()

  for (const { id, updated } of await changedSince(horde, config, last)) {
    const job = await wholeJob(horde, id, graphs)
    const facts = job === undefined ? [] : readJob(job, config)
    await db.transaction((db) => apply(db, context, facts))
    // Not the time of the job as read: others may have changed between that and the list.
    last = updated
  }
  const again = { ...asking(context), name: pollName(integration_id), delay: EVERY_S }
  await enqueue(db, 'poll_horde', { account_id, integration_id, since: last }, again)
}

/** Only ids and times are listed: a job with all its steps is large. */
async function changedSince({ json }: Horde, config: Json, since: string): Promise<{ id: string; updated: string }[]> {
  const created = new Date(Date.now() - WINDOW_MS).toISOString()
  const changed: { id: string; updated: string }[] = []
  for (const stream of streamsIn(config)) {
    for (let page = 0; page < PAGES; page++) {
      const query = new URLSearchParams({
        streamId: stream.id,
        minCreateTime: created,
        includePreflight: 'true',
        filter: 'id,updateTime',
        index: String(page * PAGE),
        count: String(PAGE),
      })
      const jobs = objects(await json(`/jobs?${query}`))
      for (const job of jobs) {
        const [id, updated] = [word(job.id), updatedAt(job)]
        if (id !== undefined && updated > since) changed.push({ id, updated })
      }
      if (jobs.length < PAGE) break
    }
  }
  const sorted = changed.toSorted((one, other) => one.updated.localeCompare(other.updated))
  // Changes of the same moment are read together: the next poll starts after it.
  const until = sorted[JOBS - 1]?.updated
  return until === undefined ? sorted : sorted.filter(({ updated }) => updated <= until)
}

/** A job with the names of its steps; undefined if it was deleted meanwhile. */
async function wholeJob({ json }: Horde, id: string, graphs: Map<string, unknown>): Promise<Json | undefined> {
  const path = `/jobs/${encodeURIComponent(id)}`
  const job = object(await orUndefined(json(path)))
  if (job === undefined || hasNames(job)) return job
  const key = word(job.graphHash) ?? id
  if (!graphs.has(key)) graphs.set(key, await orUndefined(json(`${path}/graph`)))
  return named(job, graphs.get(key))
}

const orUndefined = (reply: Promise<unknown>) =>
  reply.catch((error) => {
    if (!(error instanceof Refused)) throw error
    return undefined
  })
