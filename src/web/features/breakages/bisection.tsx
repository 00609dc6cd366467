import { Link } from '@tanstack/react-router'
import type { BreakageDetail } from '../../../contract/health-shapes.ts'
import { labelOf } from '../../../contract/labels.ts'
import type { BisectionStatus, BisectionVerdict, Pill as PillKind } from '../../../contract/sets.ts'
import { wordsOf } from '../../api.ts'
import { useEasing } from '../../polling.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useNames } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Section } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { ChangeLink } from '../branches/branch-row.tsx'

interface Props {
  projectId: string
  breakage: BreakageDetail
  locked: boolean
}

const LOOKS: Record<BisectionStatus, PillKind> = {
  running: 'info',
  found: 'ok',
  no_change: 'neutral',
  stuck: 'warn',
  cancelled: 'neutral',
  failed: 'err',
}
const VERDICTS: Record<BisectionVerdict, PillKind> = { good: 'ok', bad: 'err', skip: 'neutral' }

/** The search for the change that caused a breakage with builds of the CI: its state, builds and cost. */
export function Bisection({ projectId, breakage, locked }: Props) {
  const { bisection, can_bisect } = breakage
  if (!bisection && (!can_bisect || locked)) return null
  return (
    <Section title="Bisection" actions={!locked && <Actions projectId={projectId} breakage={breakage} />}>
      {bisection ? (
        <Search projectId={projectId} bisection={bisection} />
      ) : (
        <p className="text-sm text-soft">
          Nothing points at one change. The CI can build changes of the range until the cause is found. Most searches need four to
          eight builds.
        </p>
      )}
      {bisection?.status === 'running' && <Poll projectId={projectId} id={breakage.id} begun={bisection.builds.length} />}
    </Section>
  )
}

/** Its builds are no events of the breakage. */
function Poll({ projectId, id, begun }: { projectId: string; id: string; begun: number }) {
  useApi('showBreakage', { project_id: projectId, id }, { every: useEasing(begun) })
  return null
}

function Actions({ projectId, breakage: { id, bisection, can_bisect } }: Omit<Props, 'locked'>) {
  const start = useWrite('startBisection', ['showBreakage', 'listBreakageHistory'])
  const cancel = useWrite('cancelBisection', ['showBreakage', 'listBreakageHistory'])
  const say = useToast()
  if (bisection?.status === 'running')
    return (
      <Confirm
        label="Cancel bisection"
        title="Cancel this bisection?"
        action="Cancel bisection"
        look="quiet"
        run={() => cancel.mutateAsync({ project_id: projectId, id })}
        done="Bisection canceled"
      >
        No further builds are started. A build that already runs at the CI goes on.
      </Confirm>
    )
  if (!can_bisect) return null
  return (
    <Button
      busy={start.isPending}
      onClick={() =>
        start.mutate(
          { project_id: projectId, id },
          {
            onSuccess: () => say('Bisection started'),
            onError: (error) => say(`Couldn’t start the bisection: ${wordsOf(error)}`, 'err'),
          },
        )
      }
    >
      {bisection ? 'Bisect again' : 'Start bisection'}
    </Button>
  )
}

function Search({ projectId, bisection }: { projectId: string; bisection: NonNullable<BreakageDetail['bisection']> }) {
  const nameOf = useNames()
  const { status, job, found_change, probability, reason, change_count, remaining_count, builds, waits_until, user_id } =
    bisection
  const minutes = Math.round(bisection.duration_seconds / 60)
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Pill kind={LOOKS[status]}>{labelOf('bisection_status', status)}</Pill>
        {found_change && (
          <span>
            <ChangeLink projectId={projectId} change={found_change} /> is the cause with {Math.round(probability! * 100)}%
          </span>
        )}
        {status === 'running' && (
          <span>
            {remaining_count} of {change_count} changes left
          </span>
        )}
        {reason && !found_change && <span>{reason}</span>}
        {waits_until && (
          <span>
            Waiting for tomorrow’s builds: <Time at={waits_until} both />
          </span>
        )}
      </div>
      <p className="text-sm text-soft">
        {builds.length} {builds.length === 1 ? 'build' : 'builds'} of {job}, {minutes} min. Started by{' '}
        {user_id === null ? 'a former member' : nameOf(user_id)} <Time at={bisection.started_at} />.
      </p>
      {builds.length > 0 && (
        <ol aria-label="Builds of the bisection" className="grid gap-1 text-sm">
          {builds.map(({ number, build_id, change, verdict }) => (
            <li key={number} className="flex flex-wrap items-center gap-2">
              <span className="w-6 text-right text-xs text-soft tabular-nums">{number}</span>
              {verdict ? (
                <Pill kind={VERDICTS[verdict]}>{labelOf('bisection_verdict', verdict)}</Pill>
              ) : (
                <Pill kind="info">Building</Pill>
              )}
              {change ? <ChangeLink projectId={projectId} change={change} /> : 'a deleted change'}
              {build_id && (
                <Link
                  to="/projects/$projectId/builds/$buildId"
                  params={{ projectId, buildId: build_id }}
                  className="text-soft underline"
                  aria-label={`Build ${number} of the bisection`}
                >
                  Build
                </Link>
              )}
            </li>
          ))}
        </ol>
      )}
    </>
  )
}
