/** Several reads in one request of the web app: `?get=/v1/me&get=/v1/projects/7/overview`. */
export const BATCH_PATH = '/v1/batch'
export const BATCH_MAX = 20

/** A line of the response: the index of the read, and its own response. */
export interface BatchLine {
  part: number
  status: number
  retry_after: string | null
  body: unknown
}
