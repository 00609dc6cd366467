import type { AppReply } from '../../../contract/app/routes.ts'
import { wordsOf } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'

type Deployment = AppReply<'showDeployment'>

const WAY = ['pending', 'submitted', 'uploading', 'in_review', 'approved', 'live'] as const

/** The way to the players: what is behind, where it stands, what is ahead. */
export function DeploymentWay({ deployment }: { deployment: Deployment }) {
  const { status } = deployment
  const ended = status === 'rejected' || status === 'rolled_back'
  const at =
    status === 'rejected' ? WAY.indexOf('in_review') : status === 'rolled_back' ? WAY.indexOf('live') : WAY.indexOf(status)
  const times: Partial<Record<(typeof WAY)[number], string | null>> = {
    pending: deployment.created_at,
    submitted: deployment.submitted_at,
    uploading: deployment.deployed_at,
    live: deployment.live_at,
  }
  return (
    <ol className="grid gap-2 rounded-lg border border-line bg-panel p-4 sm:grid-cols-6">
      {WAY.map((step, i) => {
        const here = i === at
        const bar = here && ended ? 'bg-err' : i < at || (here && status === 'live') ? 'bg-ok' : here ? 'bg-info' : 'bg-hover'
        return (
          <li
            key={step}
            aria-current={here ? 'step' : undefined}
            className="flex min-w-0 items-center gap-3 text-sm sm:grid sm:content-start sm:gap-1.5"
          >
            <span aria-hidden="true" className={`h-1.5 w-10 rounded-full sm:w-full ${bar}`} />
            <span className={here ? 'font-medium' : 'text-soft'}>{here && ended ? wordsOf(status) : wordsOf(step)}</span>
            {times[step] && (
              <span className="text-xs text-soft">
                <Time at={times[step]} both />
              </span>
            )}
          </li>
        )
      })}
    </ol>
  )
}
