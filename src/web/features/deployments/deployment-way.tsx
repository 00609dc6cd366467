import type { AppReply } from '../../../contract/app/routes.ts'
import type { DeploymentStatus } from '../../../contract/sets.ts'
import { statusLabel } from '../../../contract/spellings/stores.ts'
import { Time } from '../../ui/text/time.tsx'
import { stepsOf } from './steps.ts'

type Deployment = AppReply<'showDeployment'>

const END: Partial<Record<DeploymentStatus, string>> = { live: 'bg-ok', rejected: 'bg-err', rolled_back: 'bg-err' }

/** The steps to release: past, current and future. */
export function DeploymentWay({ deployment }: { deployment: Deployment }) {
  const bar = (step: DeploymentStatus, isReached: boolean) => {
    if (step === deployment.status) return END[step] ?? 'bg-info'
    return isReached ? (step === 'rejected' || step === 'rolled_back' ? 'bg-err' : 'bg-ok') : 'bg-hover'
  }
  return (
    <ol aria-label="Progress" className="grid gap-2 rounded-lg border border-line bg-panel p-4 sm:auto-cols-fr sm:grid-flow-col">
      {stepsOf(deployment).map(({ status, at }) => (
        <li
          key={status}
          aria-current={status === deployment.status ? 'step' : undefined}
          className="flex min-w-0 items-center gap-3 text-sm sm:grid sm:content-start sm:gap-1.5"
        >
          <span aria-hidden="true" className={`h-1.5 w-10 rounded-full sm:w-full ${bar(status, at !== null)}`} />
          <span className={status === deployment.status ? 'font-medium' : 'text-soft'}>
            {statusLabel({ ...deployment, status })}
          </span>
          {at && (
            <span className="text-xs text-soft">
              <Time at={at} both />
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}
