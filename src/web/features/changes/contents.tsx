import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Contents as Found } from '../../../contract/shapes.ts'
import { Button } from '../../ui/form/button.tsx'
import { countsOf } from './change-counts.ts'
import { ChangeList } from './change-list.tsx'

interface ContentsProps {
  projectId: string
  found: Found
  label: string
  /** The texts for an unknown range, and for an empty one. */
  unknown: ReactNode
  none: string
}

const FIRST = 10

/** A night brings hundreds of changes: the first ten, and how many there are of whom. */
function FirstChanges({ changes, label, hasMore }: { changes: Found['changes']; label: string; hasMore: boolean }) {
  const [all, setAll] = useState(false)
  if (all || changes.length <= FIRST) return <ChangeList changes={changes} label={label} />
  return (
    <>
      <p className="text-sm text-soft">{countsOf(changes, hasMore)}</p>
      <ChangeList changes={changes.slice(0, FIRST)} label={label} />
      <Button className="justify-self-start" onClick={() => setAll(true)}>
        Show {hasMore ? 'the newest' : 'all'} {changes.length} changes
      </Button>
    </>
  )
}

/** The changes between two builds, and how well they are known. */
export const Contents = ({
  projectId,
  found: { changes, doubtful, branch, basis, has_more },
  label,
  unknown,
  none,
}: ContentsProps) => (
  <>
    {basis === 'unknown' && <p className="text-sm text-soft">{unknown}</p>}
    {basis === 'time' && (
      <p className="text-sm text-soft">The branch is unknown. These are the changes of all branches from that time.</p>
    )}
    {basis !== 'unknown' && changes.length === 0 && <p className="text-sm text-soft">{none}</p>}
    {changes.length > 0 && <FirstChanges changes={changes} label={label} hasMore={has_more} />}
    {doubtful.length > 0 && (
      <>
        <p className="text-sm text-soft">
          A force push may have replaced these. They don’t count as part of the build, and none of them is a suspect.
        </p>
        <ChangeList changes={doubtful} label="May have been replaced" />
      </>
    )}
    {has_more && (
      <p className="text-sm text-soft">
        Not all changes are shown. See the{' '}
        <Link to="/projects/$projectId/changes" params={{ projectId }} search={branch ? { branch } : {}} className="underline">
          list of changes
        </Link>{' '}
        for all of them.
      </p>
    )}
  </>
)
