import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { writerWords } from '../../../contract/change-origin.ts'
import { shownSuspects } from '../../../contract/labels/shown-suspects.ts'
import type { Investigation } from '../../../contract/shapes.ts'
import { useApi } from '../../queries.ts'
import { changePage } from '../../record-pages.ts'
import { useNames } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { useBuildChanges } from './build-changes.tsx'
import { ClearChange } from './correct-finding.tsx'

type Suspect = Investigation['suspects'][number]

type NamedSuspect = NonNullable<AppReply<'listBreakages'>['breakages'][number]['suspect']>

type SuspectedChange = Pick<AppReply<'showChange'>, 'id' | 'display_identifier' | 'author' | 'description'>

interface SuspectsProps {
  of: readonly Suspect[]
  first?: number
  /** Changes that are loaded already. */
  among?: readonly SuspectedChange[]
  /** The build in which a change can be cleared. */
  buildId?: string | undefined
}

/** The suspected changes, most likely first, with reasons. Changes without evidence are listed apart and are not called suspects. */
export function Suspects({ of, first = 3, among = [], buildId }: SuspectsProps) {
  const shown = shownSuspects(of).slice(0, first)
  const others = of.filter((one) => !shown.includes(one))
  return (
    <div className="grid gap-1.5">
      <h3 className="text-sm font-medium">Suspects</h3>
      {shown.length === 0 ? (
        <p className="text-sm text-soft">None. No change has clear evidence against it.</p>
      ) : (
        <ol className="grid gap-2">
          {shown.map((suspect) => (
            <Row key={suspect.change_id} suspect={suspect} among={among} buildId={buildId} />
          ))}
        </ol>
      )}
      {others.length > 0 && <Others of={others} among={among} buildId={buildId} />}
    </div>
  )
}

const percentOf = (score: number) => Math.round(Math.min(1, Math.max(0, score)) * 100)

/** The most likely suspect in a line: the author's name, linked to the change. */
export function SuspectLink({ suspect: { change_id, user_id, author } }: { suspect: NamedSuspect }) {
  const { projectId = '' } = useParams({ strict: false })
  const nameOf = useNames()
  return (
    <Link {...changePage(projectId, change_id)} className="wrap-anywhere text-ink hover:underline">
      {user_id === null ? (author ?? 'a deleted change') : nameOf(user_id)}
    </Link>
  )
}

/** A change by its id, with a placeholder while it is loading. */
function useChange(projectId: string, id: number, enabled: boolean, among: readonly SuspectedChange[] = []) {
  const { buildId = '' } = useParams({ strict: false })
  const isOfBuild = enabled && buildId !== ''
  // Its page lists the changes that contain the suspects.
  const build = useBuildChanges({ projectId, buildId }, isOfBuild)
  const listed = [...among, ...(build.data?.changes ?? [])].find((change) => change.id === id)
  const isAsked = enabled && !listed && (!isOfBuild || build.isFetched)
  const { data, error } = useApi('showChange', { project_id: projectId, id }, { enabled: isAsked })
  return { change: listed ?? (data?.id === id ? data : undefined), unknown: error ? 'a deleted change' : '…' }
}

/** Loaded on demand. */
function Others({ of, among = [], buildId }: Omit<SuspectsProps, 'first'>) {
  const [open, setOpen] = useState(false)
  if (!open)
    return (
      <Button look="quiet" className="justify-self-start" onClick={() => setOpen(true)}>
        {of.length} other {of.length === 1 ? 'change' : 'changes'} in the range
      </Button>
    )
  return (
    <ol className="grid gap-2">
      {of.map((suspect) => (
        <Row key={suspect.change_id} suspect={suspect} among={among} buildId={buildId} />
      ))}
    </ol>
  )
}

interface RowProps extends Required<Pick<SuspectsProps, 'among'>>, Pick<SuspectsProps, 'buildId'> {
  suspect: Suspect
}

function Row({ suspect, among, buildId }: RowProps) {
  const { change_id, user_id, score, reasons } = suspect
  const { projectId = '' } = useParams({ strict: false })
  const nameOf = useNames()
  const { change, unknown } = useChange(projectId, change_id, true, among)
  const share = percentOf(score)
  return (
    <li className="grid grid-cols-[3rem_minmax(0,1fr)] gap-x-3 text-sm">
      <span className="grid content-start gap-1 pt-0.5 text-right text-xs tabular-nums">
        {share === 0 ? '< 1' : share} %
        <span aria-hidden="true" className="h-1 rounded-full bg-hover">
          <span className="block h-full rounded-full bg-err" style={{ width: `${share}%` }} />
        </span>
      </span>
      <div className="min-w-0">
        <Link
          {...changePage(projectId, change_id)}
          title={change?.description.split('\n', 1)[0]}
          className="block truncate font-medium hover:underline"
        >
          <code className="mr-2 font-mono text-xs text-soft">{change?.display_identifier ?? unknown}</code>
          {change?.description.split('\n', 1)[0]}
        </Link>
        <p className="min-h-4 text-xs text-soft">
          {change && writerWords(change, user_id === null ? undefined : nameOf(user_id))}
        </p>
        {reasons.length > 0 && (
          <ul className="mt-1 list-disc pl-4 text-xs text-soft">
            {reasons.map((reason) => (
              <li key={reason} className="wrap-anywhere">
                {reason}
              </li>
            ))}
          </ul>
        )}
        {reasons.length > 0 && buildId && <ClearChange changeId={change_id} buildId={buildId} />}
      </div>
    </li>
  )
}
