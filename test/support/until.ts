import { setTimeout as sleep } from 'node:timers/promises'

/** A little less than a test's timeout, so that the stack shows what it waited for. */
const TIMEOUT_MS = 220_000

/** Waits for a condition. Only a condition that never holds fails: a busy machine does not. */
export async function until(holds: () => boolean | Promise<boolean>, timeout = TIMEOUT_MS): Promise<void> {
  for (const end = Date.now() + timeout; !(await holds()); await sleep(20))
    if (Date.now() > end) throw new Error('It did not come to pass in time.')
}
