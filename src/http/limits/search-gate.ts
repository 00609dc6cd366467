import { rateLimited } from '../../contract/errors.ts'
import { Gate } from '../../db/gate.ts'

/**
 * A text search is the most expensive read: a user's next one, in the app or by the API, waits for the previous one, a flood of them gets
 * no more than half of the time, and a search that waits too long is refused. Per user.
 */
export const searches = new Gate({ atOnce: 1, timeout: 2_000, rest: 1, refusal: () => rateLimited(1) })
