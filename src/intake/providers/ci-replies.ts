import { type FetchedReply, Unreachable } from '../../net/safe-fetch.ts'
import { isLimited, secondsToWait } from './rate-limits.ts'

/** The CI refuses a request: another attempt would get the same answer. */
export class Refused extends Unreachable {
  override readonly name = 'Refused'

  /** Of the reply, if there was one. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

const REFUSALS: ReadonlyMap<number, string> = new Map([
  [400, 'refuses the request'],
  [401, 'does not accept the login'],
  [403, 'does not permit this login to do that'],
  [404, "does not have it, or this login can't see it"],
  [422, 'refuses the request'],
])

interface Asked {
  /** `Jenkins at https://ci.example`. */
  ci: string
  /** `GET /job/Cook/api/json`. */
  request: string
  /** What people have to check if it is refused. */
  needs: string
}

/** What an unwelcome reply means: a refusal is final, after anything else the request is repeated, as late as the server asks for. */
export function failureOf(reply: FetchedReply, { ci, request, needs }: Asked): Unreachable {
  const { status } = reply
  const refusal = isLimited(reply) ? undefined : REFUSALS.get(status)
  return refusal === undefined
    ? new Unreachable(`${ci} answers ${status} to ${request}.`, { retryAfter: secondsToWait(reply) })
    : new Refused(`${ci} ${refusal} (HTTP ${status} to ${request}). ${needs}`, status)
}
