import { Link, useParams } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import type { BreakageDetail } from '../../../contract/health-shapes.ts'
import { titleOf } from '../../../contract/labels/breakage-title.ts'
import { costWords, redWords, uncountedWords } from '../../../contract/labels/cost-words.ts'
import { labelOf, TERMS } from '../../../contract/labels.ts'
import { useApi } from '../../queries.ts'
import { useLocked, useNames } from '../../session.ts'
import { DefinitionCard } from '../../ui/definition-list.tsx'
import { Loading } from '../../ui/infinite-list.tsx'
import { Failed } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'
import { BranchLinks } from '../branches/branch-links.tsx'
import { ChangeLink } from '../branches/branch-row.tsx'
import { CorrectFinding } from '../builds/correct-finding.tsx'
import { SURE } from '../builds/investigation.tsx'
import { Suspects } from '../builds/suspects.tsx'
import { Comments } from '../comments/comments.tsx'
import { useComments } from '../comments/queries.ts'
import { RecordHistory, useHistory } from '../history/record-history.tsx'
import { TaskLink } from '../tasks/task-link.tsx'
import { Bisection } from './bisection.tsx'
import { BreakageActions } from './breakage-actions.tsx'
import { BreakageBuilds } from './breakage-builds.tsx'
import { BreakageOccurrences, FixedBy } from './breakage-occurrences.tsx'
import { BreakagePrompt } from './breakage-prompt.tsx'
import { BreakageState } from './breakage-state.tsx'

export default function Breakage() {
  const { projectId = '', breakageId = '' } = useParams({ strict: false })
  const { data, error, refetch } = useApi('showBreakage', { project_id: projectId, id: breakageId })
  // Loaded with the breakage, for assigning an owner and for mentions.
  useComments({ subject: 'breakage', projectId, id: breakageId })
  useHistory({ subject: 'breakage', projectId, id: breakageId })
  const breakage = data?.id === breakageId ? data : undefined
  const up = ['Breakages', `/projects/${projectId}/breakages`] as const
  if (!breakage)
    return (
      <Page title="Breakage" up={up}>
        {error ? <Failed error={error} retry={() => void refetch()} /> : <Loading />}
      </Page>
    )
  return (
    <Page title={titleOf(breakage)} up={up} actions={<BreakageState {...breakage} />}>
      <Shown key={breakage.id} projectId={projectId} breakage={breakage} />
    </Page>
  )
}

interface Part {
  projectId: string
  breakage: AppReply<'showBreakage'>
}

function Shown({ projectId, breakage }: Part) {
  const locked = useLocked() !== undefined
  return (
    <>
      {!locked && <BreakageActions breakage={breakage} />}
      {!locked && <BreakagePrompt breakage={breakage} />}
      <State projectId={projectId} breakage={breakage} />
      <Cause breakage={breakage} />
      <Range projectId={projectId} breakage={breakage} />
      <Bisection projectId={projectId} breakage={breakage} locked={locked} />
      {breakage.builds_not_checked > 0 && (
        <p className="text-sm text-soft">
          {breakage.builds_not_checked} builds between the first and the newest ones are not checked: it may have been fixed and
          broken again there.
        </p>
      )}
      <BreakageOccurrences projectId={projectId} breakage={breakage} />
      <BreakageBuilds projectId={projectId} builds={breakage.builds} count={breakage.build_count} />
      <RecordHistory subject="breakage" projectId={projectId} id={breakage.id} />
      <Comments subject="breakage" projectId={projectId} id={breakage.id} />
    </>
  )
}

function State({ projectId, breakage }: Part) {
  const { state, branch, owner_user_id, muted_until, fixed_at, task_id, reopened_count } = breakage
  const nameOf = useNames()
  return (
    <DefinitionCard
      items={[
        ['Owner', nameOf(owner_user_id)],
        ['Branch', branch === null ? 'any' : branch && <BranchLinks key="branch" projectId={projectId} names={[branch]} />],
        ['Broke', <Time key="opened" at={breakage.opened_at} both />],
        ['Last failed', <Time key="seen" at={breakage.last_seen_at} both />],
        ['Muted until', state === 'muted' ? muted_until ? <Time key="muted" at={muted_until} both /> : 'it is fixed' : null],
        ['Fixed', fixed_at && <Time key="fixed" at={fixed_at} both />],
        [
          'Fixed by',
          (breakage.fixed_by_change || breakage.fixed_up_to_change) && <FixedBy key="by" projectId={projectId} {...breakage} />,
        ],
        ['Withdrawn', state === 'withdrawn' && <Withdrawn key="withdrawn" projectId={projectId} breakage={breakage} />],
        ['Reopened', reopened_count === 0 ? '' : reopened_count === 1 ? 'once' : `${reopened_count} times`],
        ['Cost', breakage.cost.builds > 0 && <Cost key="cost" cost={breakage.cost} />],
        ['Task', task_id === null ? null : <TaskLink key="task" projectId={projectId} id={task_id} />],
      ]}
    />
  )
}

/** How long it was or is broken, and what its builds cost. */
const Cost = ({ cost }: { cost: BreakageDetail['cost'] }) => (
  <>
    Broken for {redWords(cost)}: {costWords(cost, cost.currency)}
    {uncountedWords(cost) && <span className="block text-xs text-soft">{uncountedWords(cost)}</span>}
  </>
)

const Withdrawn = ({ projectId, breakage: { withdrawn_reason, same_as_breakage_id } }: Part) =>
  same_as_breakage_id === null ? (
    withdrawn_reason === 'branch_deleted' ? (
      TERMS.withdrawn_reason.branch_deleted.label
    ) : (
      TERMS.withdrawn_reason.not_a_failure.label
    )
  ) : (
    <>
      Duplicate of{' '}
      <Link className="underline" to={`/projects/${projectId}/breakages/${same_as_breakage_id}`}>
        breakage #{same_as_breakage_id}
      </Link>
    </>
  )

const Cause = ({
  breakage: { category, confidence, cause, suggested_fix, evidence, first_build_id },
}: {
  breakage: BreakageDetail
}) => (
  <Section
    title="Cause"
    actions={
      <div className="flex flex-wrap items-center gap-1.5">
        {category && <Pill kind="err">{labelOf('failure_category', category)}</Pill>}
        {confidence && <Pill kind={SURE[confidence]}>{labelOf('confidence', confidence)}</Pill>}
        {first_build_id && <CorrectFinding buildId={first_build_id} diagnosis={cause} />}
      </div>
    }
  >
    <p className="wrap-anywhere font-medium">{cause || 'No cause found yet.'}</p>
    {suggested_fix && (
      <p className="wrap-anywhere text-sm">
        <span className="font-medium">Suggested fix: </span>
        {suggested_fix}
      </p>
    )}
    {evidence.length > 0 && (
      <div className="grid gap-1.5">
        <h3 className="text-sm font-medium">Evidence</h3>
        <ul className="grid overflow-hidden rounded-md border border-line">
          {evidence.map(({ line, text }, at) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: lines of test reports have no number
              key={at}
              className="flex gap-3 border-b border-b-line border-l-3 border-l-err bg-err-wash px-2 py-1 font-mono text-xs last:border-b-0"
            >
              <span className="shrink-0 text-soft tabular-nums">{line === 0 ? 'test report' : `line ${line}`}</span>
              <span className="min-w-0 break-all">{text}</span>
            </li>
          ))}
        </ul>
      </div>
    )}
  </Section>
)

/** The range: from the last good change to the first bad one. */
function Range({ projectId, breakage }: Part) {
  const { last_good_change, first_bad_change, suspects, suspect_changes, branch, first_build_id } = breakage
  return (
    <Section title="Range">
      {branch === null ? (
        <p className="text-sm text-soft">This is an infrastructure problem. No change is suspected.</p>
      ) : (
        <dl className="flex flex-wrap gap-x-8 gap-y-2 text-sm">
          <div>
            <dt className="text-xs text-soft">Last good change</dt>
            <dd>{last_good_change ? <ChangeLink projectId={projectId} change={last_good_change} /> : 'Unknown'}</dd>
          </div>
          <div>
            <dt className="text-xs text-soft">First bad change</dt>
            <dd>{first_bad_change ? <ChangeLink projectId={projectId} change={first_bad_change} /> : 'Unknown'}</dd>
          </div>
        </dl>
      )}
      {suspects.length > 0 && <Suspects of={suspects} among={suspect_changes} buildId={first_build_id ?? undefined} />}
    </Section>
  )
}
