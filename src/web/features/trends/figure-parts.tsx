import type { AppReply } from '../../../contract/app/routes.ts'

/** The props of every figure of the trends. */
export interface Part {
  projectId: string
  data: AppReply<'showPlots'>
  days: number
  period: readonly [from: number, to: number]
}

/** Shown instead of an empty chart. */
export const None = ({ children }: { children: string }) => (
  <p className="grid h-[190px] place-items-center rounded-md bg-canvas px-4 text-center text-xs text-soft">{children}</p>
)

/** The number of passed builds; one that waits for approval counts as passed. */
export const passedOf = ({ builds }: Part['data']) => builds.reduce((sum, day) => sum + day.completed + day.waiting, 0)

export const seconds = (iso: string) => Date.parse(iso) / 1000
export const whole = (value: number) => (Number.isInteger(value) ? String(value) : '')
export const short = (value: number) =>
  value === 0 ? '0' : value < 60 ? `${Math.round(value)} s` : value < 3600 ? `${Math.round(value / 60)} min` : hours(value / 3600)
export const hours = (value: number) =>
  value === 0 ? '0' : value < 1 ? `${Math.round(value * 60)} min` : value < 72 ? `${round(value)} h` : `${round(value / 24)} days`
const round = (value: number) => Math.round(value * 10) / 10
/** The middle value; of an even number of values the mean of the middle two, as the service computes it. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = [sorted[Math.floor((sorted.length - 1) / 2)] ?? 0, sorted[Math.floor(sorted.length / 2)] ?? 0] as const
  return (middle[0] + middle[1]) / 2
}
