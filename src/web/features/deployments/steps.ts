import type { AppReply } from '../../../contract/app/routes.ts'
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from '../../../contract/sets.ts'
import { statusAfterUpload } from '../../../contract/spellings/stores.ts'

type Dated = Pick<
  AppReply<'showDeployment'>,
  'status' | 'store' | 'created_at' | 'submitted_at' | 'deployed_at' | 'live_at' | 'reached'
>

interface Step {
  status: DeploymentStatus
  /** When it was reached; null if unknown, or if it is still ahead. */
  at: string | null
}

const WAY: DeploymentStatus[] = ['pending', 'submitted', 'uploading', 'in_review', 'approved', 'live']
/** A result after which nothing follows. */
const ENDS: DeploymentStatus[] = ['rejected', 'rolled_back']

/** When each status was reached: by the history, otherwise by the four times that every deployment has. */
function timesOf({ store, created_at, submitted_at, deployed_at, live_at, reached }: Dated) {
  const times = new Map<DeploymentStatus, string>([['pending', created_at]])
  const known = {
    submitted: submitted_at,
    live: live_at,
    ...(statusAfterUpload(store) === 'uploading' && { uploading: deployed_at }),
  }
  for (const [status, at] of Object.entries(known)) if (at) times.set(status as DeploymentStatus, at)
  for (const { status, at } of reached) if (status !== 'pending') times.set(status, at)
  return times
}

/** The statuses that a deployment reached, in the order of their times and the current one last; then those that may follow. Many stores skip some. */
export function stepsOf(deployment: Dated): Step[] {
  const { status } = deployment
  const times = timesOf(deployment)
  const rank = (one: DeploymentStatus) => (one === 'pending' ? Number.MIN_SAFE_INTEGER : Date.parse(times.get(one)!))
  const past = [...times.keys()]
    .filter((one) => one !== status)
    .sort((a, b) => rank(a) - rank(b) || DEPLOYMENT_STATUSES.indexOf(a) - DEPLOYMENT_STATUSES.indexOf(b))
  const ahead = ENDS.includes(status) ? [] : WAY.slice(WAY.indexOf(status) + 1).filter((one) => !past.includes(one))
  return [
    ...past.map((one) => ({ status: one, at: times.get(one)! })),
    { status, at: times.get(status) ?? null },
    ...ahead.map((one) => ({ status: one, at: null })),
  ]
}
