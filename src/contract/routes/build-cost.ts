import { type Static, Type } from 'typebox'
import { instant, integer, nullable, object, own } from '../fields.ts'
import { AGENT_PRICES_MAX, PATTERN_MAX } from '../limits.ts'

/** What builds cost: their minutes times the price of their agent. */

const number = Type.Number()

/** Prices of agents by name; the first matching pattern counts. */
export const AgentPrices = object({
  /** ISO 4217, such as EUR. */
  currency: own(Type.String({ pattern: '^[A-Z]{3}$' })),
  prices: Type.Array(
    object({
      /** A star matches any text; a star alone also matches builds that name no agent. */
      agent: own(Type.String({ minLength: 1, maxLength: PATTERN_MAX, pattern: '\\S' })),
      per_hour: Type.Number({ minimum: 0, maximum: 1_000_000 }),
    }),
    { minItems: 1, maxItems: AGENT_PRICES_MAX },
  ),
})
export type AgentPrices = Static<typeof AgentPrices>

export const buildCost = {
  /** Finished builds. */
  builds: integer,
  /** Of the builds with a known duration. */
  minutes: number,
  /** Of the builds with a known duration and a price; null if the project has no prices. */
  amount: nullable(number),
  /** Builds whose duration is unknown; they count in nothing else. */
  without_duration: integer,
  /** Builds with a duration on agents without a price; only their minutes count. */
  without_price: integer,
}
const BuildCost = object(buildCost)
export type BuildCost = Static<typeof BuildCost>

export const redTime = {
  /** How long it was broken, until it was fixed. */
  red_seconds: integer,
  /** Since when it is broken; null if it is fixed. */
  red_since: nullable(instant),
}

/** The newest occurrence of a breakage: how long it lasted or since when it lasts, and its builds. */
export const BreakageCost = object({ ...buildCost, currency: nullable(own(Type.String())), ...redTime })
