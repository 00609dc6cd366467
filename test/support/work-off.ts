import { type Sql, sql } from '../../src/db/database.ts'
import type { JobKind } from '../../src/db/queue.ts'
import { WORK } from '../../src/jobs/worker.ts'
import { allowedHosts } from '../../src/net/addresses.ts'
import type { Studio } from './studio.ts'

/** Runs the waiting jobs of one kind now, and returns how many there were. */
export const workOff = (studio: Studio, kind: JobKind): Promise<number> => doJobs(studio, kind, sql`true`)

/** Only jobs that are due by the clock of the database, which `advanceClock` moves; several at once on request. */
export const workOffDue = (studio: Studio, kind: JobKind, atOnce = 1): Promise<number> =>
  doJobs(studio, kind, sql`run_at <= goldmaster_now()`, atOnce)

async function doJobs({ db, service }: Studio, kind: JobKind, when: Sql, atOnce = 1): Promise<number> {
  const jobs = await db.rows<{ payload: never }>(sql`
    with gone as (
      delete from jobs where kind = ${kind} and ${when} returning id, payload)
    select payload from gone order by id`)
  const context = { db, vault: service.vault, log: service.log, allowed: allowedHosts([]), site: 'https://gold.example' }
  const waiting = [...jobs]
  const work = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) await WORK[kind](context, job.payload)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return jobs.length
}
