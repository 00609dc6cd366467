import { currentBudget } from './budget.ts'
import { countValues } from './json-complexity.ts'
import { Unreachable } from './safe-fetch.ts'

/** Of one reply. A page of 100 records with everything that a tool says about them has some 40,000 values. */
export const REPLY = { values: 250_000, depth: 100 }

/**
 * The JSON of another server's reply; undefined if it is something else. Counted before it is parsed: 4 MB of `{},` take 200 MB as objects,
 * and are 4 kB on the way.
 */
export function replyJson(body: Buffer): unknown {
  const values = countValues(body, REPLY)
  if (values === undefined)
    throw new Unreachable(`The reply of the server has more than ${REPLY.values} values, or nests deeper than ${REPLY.depth}.`)
  currentBudget()?.spend('values', values)
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

/** For a server that answers nothing else. */
export function requireJson(body: Buffer, server: string): unknown {
  const json = replyJson(body)
  if (json === undefined) throw new Unreachable(`${server} answers with no JSON.`)
  return json
}
