import { type BuildStatus, PASSED_STATUSES, RUNNING_STATUSES } from '../../contract/sets.ts'
import { raw } from '../../db/database.ts'

/** Literals in the statement, not parameters: PostgreSQL needs them to choose an index. */
const words = (statuses: readonly BuildStatus[]) => raw(`(${statuses.map((status) => `'${status}'`).join(', ')})`)

export const RUNNING = words(RUNNING_STATUSES)
export const PASSED = words(PASSED_STATUSES)
/** Builds that finished by themselves. */
export const PASSED_OR_FAILED = words([...PASSED_STATUSES, 'failed'])
