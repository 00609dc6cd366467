import { type Database, sql } from '../../db/database.ts'

/** The classes of our advisory locks. */
const KIND = 0x7475726e
const BREAKAGES = 0x6272656b

/**
 * Serializes work that depends on two records of a project that may arrive at the same instant (a commit and its build, a decision and the
 * build that waits for it): the later transaction sees what the earlier one wrote. Builds and deployments take this lock first;
 * transactions that locked changes or approvals take it last and wait for none of them afterwards.
 */
export const lockProject = (db: Database, projectId: number) =>
  db.execute(sql`select pg_advisory_xact_lock(${KIND}, ${projectId}::integer)`)

/**
 * For everything that changes the breakages of a project: the work takes long, and pushes and decisions must not wait for it. A transaction
 * with this lock takes no other lock of the project afterwards.
 */
export const lockBreakages = (db: Database, projectId: number) =>
  db.execute(sql`select pg_advisory_xact_lock(${BREAKAGES}, ${projectId}::integer)`)

/** For build reports: they check whether a build may fix a breakage before or after breakages are worked out, not meanwhile. */
const awaitBreakages = (projectId: number) => sql`pg_advisory_xact_lock_shared(${BREAKAGES}, ${projectId}::integer)`

/** For a transaction that reports builds among other things. */
export const lockReports = (db: Database, projectId: number) =>
  db.execute(sql`select ${awaitBreakages(projectId)}, pg_advisory_xact_lock(${KIND}, ${projectId}::integer)`)

/**
 * For a transaction that reports a single build: builds don't depend on each other, so these share the lock and are written in parallel.
 * Only builds that share a name, which may be the same build, are serialized.
 */
export async function lockBuilds(db: Database, projectId: number, names: string[]) {
  // First: if we held a name and then waited for an exclusive lock, we would block the transactions its holder waits for.
  await db.execute(sql`select ${awaitBreakages(projectId)}, pg_advisory_xact_lock_shared(${KIND}, ${projectId}::integer)`)
  if (names.length > 0)
    await db.execute(sql`
      select pg_advisory_xact_lock(key) from (
        select distinct hashtextextended(name, ${projectId}) as key from unnest(${names}::text[]) name order by key) keys`)
}
