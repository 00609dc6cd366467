import { setTimeout as sleep } from 'node:timers/promises'

/** A little less than a test has, so that the stack tells what it waited for. */
const TIMEOUT_MS = 220_000

/** Waits until something is so. Only what never comes ends it: a busy machine is no failure. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + TIMEOUT_MS; !(await holds()); await sleep(20))
    if (Date.now() > end) throw new Error('It did not come to pass in time.')
}
