import type { AppReply } from '../../../contract/app/routes.ts'
import type { DeploymentStatus } from '../../../contract/sets.ts'
import { statusLabel } from '../../../contract/spellings/stores.ts'
import { Time } from '../../ui/text/time.tsx'

type Deployment = AppReply<'showDeployment'>

const WAY: DeploymentStatus[] = ['pending', 'submitted', 'uploading', 'in_review', 'approved', 'live']

/** A review has one of two results; a rollback was live before, or never was. */
const wayOf = (status: DeploymentStatus): DeploymentStatus[] =>
  status === 'rejected' ? [...WAY.slice(0, 4), 'rejected'] : status === 'rolled_back' ? [...WAY, 'rolled_back'] : WAY

/** The steps to release: past, current and future. Many stores skip steps. */
export function DeploymentWay({ deployment }: { deployment: Deployment }) {
  const { status } = deployment
  const times: Partial<Record<DeploymentStatus, string | null>> = {
    pending: deployment.created_at,
    submitted: deployment.submitted_at,
    uploading: deployment.deployed_at,
    live: deployment.live_at,
  }
  const bar = (step: DeploymentStatus) => {
    if (step !== status) return times[step] ? 'bg-ok' : 'bg-hover'
    return step === 'live' ? 'bg-ok' : step === 'rejected' || step === 'rolled_back' ? 'bg-err' : 'bg-info'
  }
  return (
    <ol aria-label="Progress" className="grid gap-2 rounded-lg border border-line bg-panel p-4 sm:auto-cols-fr sm:grid-flow-col">
      {wayOf(status).map((step) => (
        <li
          key={step}
          aria-current={step === status ? 'step' : undefined}
          className="flex min-w-0 items-center gap-3 text-sm sm:grid sm:content-start sm:gap-1.5"
        >
          <span aria-hidden="true" className={`h-1.5 w-10 rounded-full sm:w-full ${bar(step)}`} />
          <span className={step === status ? 'font-medium' : 'text-soft'}>{statusLabel({ ...deployment, status: step })}</span>
          {times[step] && (
            <span className="text-xs text-soft">
              <Time at={times[step]} both />
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}
