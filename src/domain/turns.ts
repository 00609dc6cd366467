import { type Database, sql } from '../db/database.ts'

/** Our own kind of advisory lock. */
const KIND = 0x7475726e

/**
 * Whatever follows from two records of a project that may arrive at the same instant (a commit and its build, a decision and the
 * build that waits for it) is worked out one transaction at a time: the later one sees what the earlier one wrote. Builds and
 * deployments take their turn first; whoever locked changes or approvals before takes it last, and waits for none of them afterwards.
 */
export const takeTurn = (db: Database, projectId: number) =>
  db.count(sql`select pg_advisory_xact_lock(${KIND}, ${projectId}::integer)`)
