import type { BuildCost } from '../routes/build-cost.ts'

/** `€190`, `€4.50`. */
export const moneyWords = (amount: number, currency: string): string =>
  amount.toLocaleString('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: amount < 100 ? 2 : 0,
    maximumFractionDigits: amount < 100 ? 2 : 0,
  })

/** `12 h` or `45 min`. */
export const minutesWords = (minutes: number): string =>
  minutes < 120
    ? `${Math.round(minutes)} min`
    : `${(minutes / 60).toLocaleString('en', { maximumFractionDigits: minutes < 6_000 ? 1 : 0 })} h`

/** `41 builds, 12.5 h, €190`. */
export const costWords = ({ builds, minutes, amount }: BuildCost, currency: string | null): string =>
  [
    builds === 1 ? '1 build' : `${builds.toLocaleString('en')} builds`,
    minutes > 0 && minutesWords(minutes),
    amount !== null && currency !== null && moneyWords(amount, currency),
  ]
    .filter(Boolean)
    .join(', ')

/** What the amount leaves out: `3 builds without a duration, 2 without a price`. Empty if nothing. */
export function uncountedWords({ without_duration, without_price }: BuildCost): string {
  const parts = [
    [without_duration, 'without a duration'],
    [without_price, 'without a price'],
  ].filter(([count]) => count !== 0)
  return parts.map(([count, what], index) => `${count} ${index > 0 ? '' : count === 1 ? 'build ' : 'builds '}${what}`).join(', ')
}

/** How long a breakage was broken, or is by now. */
export const redWords = (
  { red_seconds, red_since }: { red_seconds: number; red_since: string | null },
  now = Date.now(),
): string => minutesWords((red_seconds + (red_since === null ? 0 : Math.max(0, now - Date.parse(red_since)) / 1000)) / 60)
