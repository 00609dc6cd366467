/** Several things to read in one request of the web app: `?get=/v1/me&get=/v1/projects/7/overview`. */
export const BATCH_PATH = '/v1/batch'
export const BATCH_MAX = 20

/** A line of the answer: which of them, in the order they were asked, and what it would have answered alone. */
export interface BatchLine {
  part: number
  status: number
  retry_after: string | null
  body: unknown
}
