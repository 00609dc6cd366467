import { rateLimited } from '../../contract/errors.ts'
import { Gate } from '../../db/gate.ts'

/**
 * A search for words is the dearest of all reads: somebody's next one, in the app or by the API, waits for the one before, a flood of them
 * gets no more than half of the time, and whoever waits too long is refused. By user.
 */
export const searches = new Gate({ atOnce: 1, timeout: 2_000, rest: 1, refusal: () => rateLimited(1) })
