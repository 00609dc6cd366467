import { useFilters } from '../../filters.ts'
import { useApi } from '../../queries.ts'

/** Trends are about days: a new build need not be included at once. */
const LOOK_MS = 300_000
const PERIODS = [7, 30, 90]
export const PERIOD_OPTIONS = PERIODS.map((days) => [String(days), `Last ${days} days`] as const)

/** The period of the trends, stored in the URL. */
export function usePeriod() {
  const [{ days: asked }, filter] = useFilters('days')
  const days = PERIODS.find((period) => String(period) === asked) ?? 30
  return [days, (next: string) => filter({ days: next })] as const
}

/** The data of the trends; the overview requests it before they are loaded with their chart library. */
export function usePlots(projectId: string) {
  const [days] = usePeriod()
  return useApi('showPlots', { project_id: projectId, query: { days_back: days } }, { every: LOOK_MS })
}
