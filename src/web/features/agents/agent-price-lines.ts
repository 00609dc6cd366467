import type { AgentPrices } from '../../../contract/routes/build-cost.ts'

/** `BUILD-*: 4.50`, one agent or pattern per line. */
export const linesOfPrices = (prices: AgentPrices | null) =>
  (prices?.prices ?? []).map(({ agent, per_hour }) => `${agent}: ${per_hour}`).join('\n')

/** Null without any line. A price that is no number is sent as null, which the service refuses. */
export function pricesOf(lines: string, currency: string): AgentPrices | null {
  const prices = lines
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const split = line.lastIndexOf(':')
      const [agent, price] = split === -1 ? [line, ''] : [line.slice(0, split), line.slice(split + 1)]
      return { agent: agent.trim(), per_hour: price.trim() === '' ? Number.NaN : Number(price) }
    })
  return prices.length === 0 ? null : { currency: currency.trim().toUpperCase(), prices }
}
