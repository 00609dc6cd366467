import { useMemo } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { Filter } from '../../ui/form/field.tsx'
import { Loading } from '../../ui/infinite-list.tsx'
import { Failed } from '../../ui/notice.tsx'
import { BuildsPerDay } from './builds-per-day.tsx'
import { Causes } from './causes.tsx'
import { Durations } from './durations.tsx'
import { seconds } from './figure-parts.tsx'
import { LeadTimes } from './lead-times.tsx'
import { PassRates } from './pass-rates.tsx'
import { PERIOD_OPTIONS, usePeriod, usePlots } from './plots.ts'
import { TimeToGreen } from './time-to-green.tsx'

/** The trends of the project; loaded after the page. */
export default function Trends({ projectId }: { projectId: string }) {
  const [days, setDays] = usePeriod()
  const { data, error, refetch } = usePlots(projectId)
  return (
    <section className="grid gap-3" aria-label="Trends">
      <div className="flex items-center justify-between gap-2">
        <h2 className="font-semibold">Trends</h2>
        <Filter label="Period" value={days} onChange={setDays} options={PERIOD_OPTIONS} />
      </div>
      {error && <Failed error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading lines={4} />}
      {data && <Figures data={data} projectId={projectId} />}
    </section>
  )
}

const DAY = 86_400

/** Days without builds are included, so that the data shows its period. */
function Figures({ data, projectId }: { data: AppReply<'showPlots'>; projectId: string }) {
  const from = seconds(`${data.builds[0]!.day}T00:00:00Z`)
  const days = data.builds.length
  const period = useMemo(() => [from, from + days * DAY] as const, [from, days])
  const part = { data, projectId, days, period }
  return (
    <div className="grid gap-3 lg:grid-cols-2 lg:items-start">
      <BuildsPerDay {...part} />
      <PassRates {...part} />
      <Durations {...part} />
      <TimeToGreen {...part} />
      <Causes {...part} />
      <LeadTimes {...part} />
    </div>
  )
}
