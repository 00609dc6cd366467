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

/** Runs all jobs of an account, also those that are due later and those that follow, until none is left. */
export async function workOffAll({ db, service }: Studio, accountId: number): Promise<void> {
  const context = { ...contextOf({ db, service }), allowed: allowedHosts(['127.0.0.1']) }
  for (;;) {
    const jobs = await db.rows<{ kind: JobKind; payload: never }>(sql`
      with gone as (delete from jobs where account_id = ${accountId} returning id, kind, payload, run_at)
      select kind, payload from gone order by run_at, id`)
    if (jobs.length === 0) return
    for (const { kind, payload } of jobs) await WORK[kind](context, payload)
  }
}

const contextOf = ({ db, service }: Pick<Studio, 'db' | 'service'>) => ({
  db,
  vault: service.vault,
  log: service.log,
  allowed: allowedHosts([]),
  site: 'https://gold.example',
})

async function doJobs({ db, service }: Studio, kind: JobKind, when: Sql, atOnce = 1): Promise<number> {
  const jobs = await db.rows<{ payload: never }>(sql`
    with gone as (
      delete from jobs where kind = ${kind} and ${when} returning id, payload)
    select payload from gone order by id`)
  const context = contextOf({ db, service })
  const waiting = [...jobs]
  const work = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) await WORK[kind](context, job.payload)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return jobs.length
}
