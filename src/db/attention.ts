/** For this long after a request, work that nobody waits for leaves more of the processor to the next one. */
const LATELY_MS = 1_000

let askedAt = Number.NEGATIVE_INFINITY

/** Somebody waits for a response of this process. */
export const noteRequest = () => {
  askedAt = performance.now()
}

/** Whether somebody waited for a response of this process just now. */
export const isAskedLately = (): boolean => performance.now() - askedAt < LATELY_MS
