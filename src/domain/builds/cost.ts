import type { AgentPrices, BuildCost } from '../../contract/routes/build-cost.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { matcherOf } from '../branches/branch-names.ts'
import { RUNNING } from '../branches/build-statuses.ts'

/** Builds of one agent, added up. */
export interface AgentBuilds {
  agent: string
  builds: number
  seconds: number
  without_duration: number
}

/** The sums of finished builds `b`, for a statement that groups by agent. */
export const AGENT_BUILDS = sql`b.agent, count(*)::integer as builds, coalesce(sum(b.duration_seconds), 0)::float8 as seconds,
  (count(*) filter (where b.duration_seconds is null))::integer as without_duration`
export const IS_FINISHED = sql`b.status not in ${RUNNING}`

export async function pricesOf(db: Database, { account_id, project_id }: ProjectKey): Promise<AgentPrices | null> {
  const found = await db.one<{ prices: AgentPrices | null }>(sql`
    select agent_prices as prices from projects where account_id = ${account_id} and id = ${project_id}`)
  return found?.prices ?? null
}

/** Adds up the cost of builds. Nothing is guessed: builds without a duration or a price are only counted, and if all are, the amount is unknown. */
export function costBy(prices: AgentPrices | null): (rows: readonly AgentBuilds[]) => BuildCost {
  const list = (prices?.prices ?? []).map(({ agent, per_hour }) => ({ matches: matcherOf(agent.trim().toLowerCase()), per_hour }))
  return (rows) => {
    const cost: BuildCost = { builds: 0, minutes: 0, amount: prices && 0, without_duration: 0, without_price: 0 }
    for (const { agent, builds, seconds, without_duration } of rows) {
      cost.builds += builds
      cost.minutes += seconds / 60
      cost.without_duration += without_duration
      const price = list.find(({ matches }) => matches(agent.toLowerCase()))
      if (price === undefined) cost.without_price += prices ? builds - without_duration : 0
      else cost.amount! += (seconds / 3_600) * price.per_hour
    }
    const isUnknown = cost.amount === null || (cost.builds > 0 && cost.builds === cost.without_duration + cost.without_price)
    return { ...cost, minutes: rounded(cost.minutes), amount: isUnknown ? null : rounded(cost.amount!) }
  }
}

const rounded = (number: number) => Math.round(number * 100) / 100
