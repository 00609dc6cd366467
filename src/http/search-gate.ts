import { rateLimited } from '../contract/errors.ts'
import { Gate } from '../db/gate.ts'

/**
 * A search for words is the dearest of all reads: somebody's next one, in the app or by the API, waits for the one before, and a flood of
 * them is refused. By user.
 */
export const searches = new Gate({ atOnce: 1, waiting: 8, patience: 2_000, refusal: () => rateLimited(1) })
