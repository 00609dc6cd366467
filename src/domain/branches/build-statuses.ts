import { type BuildStatus, PASSED_STATUSES, RUNNING_STATUSES } from '../../contract/sets.ts'
import { raw } from '../../db/database.ts'

/** Words of the statement, not values given to it: PostgreSQL chooses an index by them. */
const words = (statuses: readonly BuildStatus[]) => raw(`(${statuses.map((status) => `'${status}'`).join(', ')})`)

export const RUNNING = words(RUNNING_STATUSES)
export const PASSED = words(PASSED_STATUSES)
/** Those that came to an end by themselves. */
export const PASSED_OR_FAILED = words([...PASSED_STATUSES, 'failed'])
