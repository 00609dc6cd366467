import type { AppReply } from '../../../contract/app/routes.ts'
import { BuildStatus } from '../../ui/pill.tsx'
import { spanOf } from '../../ui/text/time.tsx'

type Step = AppReply<'showBuild'>['steps'][number]

const BARS: Record<string, string> = { failed: 'bg-err', running: 'bg-info', building: 'bg-info', cancelled: 'bg-strong-line' }

/** The duration of each phase, one bar each on a common scale. */
export function BuildSteps({ steps }: { steps: readonly Step[] }) {
  const now = Date.now()
  const starts = steps.flatMap(({ started_at }) => (started_at ? [Date.parse(started_at)] : []))
  const ends = steps.flatMap((step) => (step.started_at ? [endOf(step, now)] : []))
  const from = Math.min(...starts)
  const whole = Math.max(1, Math.max(...ends) - from)
  return (
    <ol className="grid gap-1.5">
      {steps.map((step) => (
        <li
          key={`${step.name} ${step.started_at}`}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 text-sm sm:grid-cols-[minmax(7rem,12rem)_minmax(0,1fr)_5rem_5rem]"
        >
          <span className="truncate" title={step.detail || step.name}>
            {step.name}
          </span>
          <span aria-hidden="true" className="relative h-2 rounded-full bg-hover max-sm:order-last max-sm:col-span-2">
            {step.started_at && (
              <span
                className={`absolute inset-y-0 min-w-1 rounded-full ${BARS[step.status] ?? 'bg-ok'}`}
                style={{
                  left: `${(100 * (Date.parse(step.started_at) - from)) / whole}%`,
                  width: `${(100 * (endOf(step, now) - Date.parse(step.started_at))) / whole}%`,
                }}
              />
            )}
          </span>
          <span className="text-right text-xs text-soft tabular-nums max-sm:hidden">{spanOf(step.duration_seconds)}</span>
          <span className="justify-self-end">
            <BuildStatus value={step.status} />
          </span>
          {step.detail && step.status === 'failed' && (
            <span className="col-span-full text-xs text-err sm:col-start-2">{step.detail}</span>
          )}
        </li>
      ))}
    </ol>
  )
}

const endOf = ({ started_at, finished_at, duration_seconds }: Step, now: number) =>
  finished_at
    ? Date.parse(finished_at)
    : duration_seconds !== null
      ? Date.parse(started_at!) + duration_seconds * 1000
      : Math.max(now, Date.parse(started_at!))
