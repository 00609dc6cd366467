import { Limited } from '../history/ask.ts'
import type { HistoryReply } from '../history/history.ts'
import { at, list, number, text } from '../reading.ts'
import { Refused } from './ci-replies.ts'

/** How long to wait if a server refuses a query as too expensive and doesn't say how long. */
const LIMITED_S = 60
/** Codes of Linear and monday.com. */
const LIMITS = /^(RATELIMITED|RATE_LIMIT_EXCEEDED|COMPLEXITY_BUDGET_EXHAUSTED|ComplexityException|maxConcurrencyExceeded)$/i

/** The data of a GraphQL reply. A refusal is also a success for HTTP: it throws `Limited` or `Refused`. */
export function dataOf({ body }: HistoryReply, label: string): unknown {
  const [first] = list(at(body, 'errors'))
  const code = text(at(first, 'extensions', 'code')) ?? text(at(body, 'error_code'))
  if (first === undefined && code === undefined) return at(body, 'data')
  if (code !== undefined && LIMITS.test(code)) throw new Limited(number(at(first, 'extensions', 'retry_in_seconds')) ?? LIMITED_S)
  const said = text(at(first, 'message')) ?? text(first) ?? text(at(body, 'error_message')) ?? code
  throw new Refused(`${label} refuses the query: ${said?.slice(0, 300)} Check the settings and the token under Server access.`)
}
