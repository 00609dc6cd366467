import { type Database, sql } from '../../db/database.ts'

/** Our own kinds of advisory locks. */
const KIND = 0x7475726e
const BREAKAGES = 0x6272656b

/**
 * Whatever follows from two records of a project that may arrive at the same instant (a commit and its build, a decision and the
 * build that waits for it) is worked out one transaction at a time: the later one sees what the earlier one wrote. Builds and
 * deployments take their turn first; whoever locked changes or approvals before takes it last, and waits for none of them afterwards.
 */
export const lockProject = (db: Database, projectId: number) =>
  db.execute(sql`select pg_advisory_xact_lock(${KIND}, ${projectId}::integer)`)

/**
 * For whatever changes the breakages of a project: working one out takes long, and pushes and decisions do not wait for it. Whoever has
 * this lock takes no other of the project afterwards.
 */
export const lockBreakages = (db: Database, projectId: number) =>
  db.execute(sql`select pg_advisory_xact_lock(${BREAKAGES}, ${projectId}::integer)`)

/** For reports of builds: whether something is broken that a build may mend is asked before or after it is worked out, not meanwhile. */
const awaitBreakages = (projectId: number) => sql`pg_advisory_xact_lock_shared(${BREAKAGES}, ${projectId}::integer)`

/** For a transaction that reports builds among other things. */
export const lockReports = (db: Database, projectId: number) =>
  db.execute(sql`select ${awaitBreakages(projectId)}, pg_advisory_xact_lock(${KIND}, ${projectId}::integer)`)

/**
 * For a transaction that reports a single build: nothing follows from two builds, so they share a turn and are written side by side.
 * Only what may be the same build, being called by one of the same names, is written one after the other.
 */
export async function lockBuilds(db: Database, projectId: number, names: string[]) {
  // First: whoever had a name and then waited behind an exclusive turn would hold up those whom that turn waits for.
  await db.execute(sql`select ${awaitBreakages(projectId)}, pg_advisory_xact_lock_shared(${KIND}, ${projectId}::integer)`)
  if (names.length > 0)
    await db.execute(sql`
      select pg_advisory_xact_lock(key) from (
        select distinct hashtextextended(name, ${projectId}) as key from unnest(${names}::text[]) name order by key) keys`)
}
