import { type BuildStatus, PASSED_STATUSES, RUNNING_STATUSES } from '../../contract/sets.ts'
import { raw, sql } from '../../db/database.ts'

/** Literals in the statement, not parameters: PostgreSQL needs them to choose an index. */
const words = (statuses: readonly BuildStatus[]) => raw(`(${statuses.map((status) => `'${status}'`).join(', ')})`)

export const RUNNING = words(RUNNING_STATUSES)
export const PASSED = words(PASSED_STATUSES)
/** Builds that finished by themselves. */
export const PASSED_OR_FAILED = words([...PASSED_STATUSES, 'failed'])

/** A build `b` that may have been shipped: its CI says that it passed, or its tests excuse what failed. A test gate takes nothing back from a store. */
export const MAY_BE_SHIPPED = sql`(b.status in ${PASSED} or b.verdict = 'passed')`

/** A build `b` whose CI or tests say that it failed: its investigation decides what it counts as. Everything else asks for its `verdict`. */
export const MAY_FAIL = sql`(b.status = 'failed' or b.verdict = 'failed')`

/** A build `b` of a branch, also a bisecting one of an old change: a preflight builds a change that is not on the branch. */
export const IS_OF_BRANCH = sql`b.kind <> 'preflight'`

/** A build `b` of a branch that nobody made to search for something: it stands for its change. */
export const IS_REGULAR = sql`b.kind = 'regular'`
