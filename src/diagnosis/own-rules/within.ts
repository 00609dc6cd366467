import { createContext, Script } from 'node:vm'

export class TookTooLong extends Error {}

const CALL = new Script('work()')

/** Runs it for at most this long; then it is interrupted, even in the middle of matching a pattern. */
export function within<T>(milliseconds: number, work: () => T): T {
  try {
    return CALL.runInContext(createContext({ work }), { timeout: milliseconds }) as T
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new TookTooLong(`It took longer than ${milliseconds} ms.`)
  }
}

const ATTEMPTS = 3

/** Retries if other work on the machine took the time. */
export function patientlyWithin<T>(milliseconds: number, work: () => T): T {
  for (let attempt = 1; ; attempt++) {
    const used = process.cpuUsage()
    try {
      return within(milliseconds, work)
    } catch (error) {
      const worked = process.cpuUsage(used).user / 1000
      if (!(error instanceof TookTooLong) || attempt === ATTEMPTS || worked > milliseconds / 2) throw error
    }
  }
}
