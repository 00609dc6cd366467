import { useCallback, useRef, useState } from 'react'
import { BULK_MAX } from '../../../contract/limits.ts'
import type { Decision } from '../../../contract/sets.ts'
import { useFocusKept } from '../../focus.ts'
import { useKeys } from '../../keys.ts'
import { Button } from '../../ui/form/button.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { useStoredFlag } from '../../ui/form/stored-flag.ts'
import { Decide } from './decide.tsx'
import { useDecide } from './decisions.ts'
import { QueueGrid, useColumns } from './queue-grid.tsx'
import { between, chosenOf, nameOf, type Waiting } from './queue-lines.ts'
import { QueuePanel } from './queue-panel.tsx'
import { QueueStrip } from './queue-strip.tsx'

interface Props {
  projectId: string
  approvals: Waiting[]
  /** Read-only. */
  frozen: boolean
}

/**
 * What waits for approval, with one entry opened: j, k and the arrows move, x and shift select, a, d and i decide the open one or all
 * selected ones.
 */
export function ApprovalQueue({ projectId, approvals, frozen }: Props) {
  const decide = useDecide(projectId)
  const [isStrip, setStrip] = useStoredFlag('approvals as filmstrip', false)
  const [at, setAt] = useState(0)
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  // Where a range of selected entries starts.
  const anchor = useRef(0)
  const current = Math.max(0, Math.min(at, approvals.length - 1))
  const open = approvals[current]
  const list = useFocusKept<HTMLOListElement>(open?.asset_id)
  const columns = useColumns(list, !isStrip)
  const chosen = approvals.filter(({ asset_id }) => marked.has(asset_id)).slice(0, BULK_MAX)
  const latest = useRef(approvals)
  latest.current = approvals
  const mark = useCallback(
    (index: number, range: boolean) => {
      const id = latest.current[index]?.asset_id
      if (frozen || id === undefined) return
      const ids = range ? between(latest.current, anchor.current, index) : [id]
      if (!range) anchor.current = index
      setMarked((before) => {
        const next = new Set(before)
        if (range) for (const one of ids) next.add(one)
        else if (!next.delete(id)) next.add(id)
        return next
      })
    },
    [frozen],
  )
  const onOpen = useCallback(
    (index: number, range: boolean) => {
      if (range) mark(index, true)
      else anchor.current = index
      setAt(index)
    },
    [mark],
  )
  const walk = (step: number, range = false) => {
    const next = Math.max(0, Math.min(approvals.length - 1, current + step))
    if (range) {
      if (marked.size === 0) anchor.current = current
      mark(next, true)
    }
    setAt(next)
  }
  const row = isStrip ? 1 : columns
  useKeys({
    j: () => walk(1),
    k: () => walk(-1),
    J: () => walk(1, true),
    K: () => walk(-1, true),
    ArrowRight: () => walk(1),
    ArrowLeft: () => walk(-1),
    ArrowDown: () => walk(row),
    ArrowUp: () => walk(-row),
    x: () => mark(current, false),
    Escape: () => setMarked(new Set()),
  })
  const decideMarked = async (status: Decision, comment: string) => {
    const names = chosen.length === 1 ? nameOf(chosen[0]!) : `${chosen.length} assets`
    const done = await decide(chosenOf(chosen), names, status, comment)
    if (done) setMarked(new Set())
    return done
  }
  const shown = { list, projectId, entries: approvals, current, marked, frozen, onOpen, onMark: mark }
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2 text-xs text-soft">
        <span className="flex flex-wrap gap-2">
          {!frozen && (
            <Button
              look="quiet"
              onClick={() =>
                setMarked(chosen.length > 0 ? new Set() : new Set(approvals.slice(0, BULK_MAX).map(({ asset_id }) => asset_id)))
              }
            >
              {chosen.length > 0 ? 'Clear selection' : `Select all ${Math.min(approvals.length, BULK_MAX)} shown`}
            </Button>
          )}
          <Button look={isStrip ? 'plain' : 'quiet'} aria-pressed={isStrip} onClick={() => setStrip(!isStrip)}>
            Filmstrip
          </Button>
        </span>
        {!frozen && (
          <p className="max-sm:hidden">
            <Key>J</Key> <Key>K</Key> move · <Key>X</Key> select · <Key>C</Key> comment · <Key>A</Key> <Key>D</Key> <Key>I</Key>{' '}
            decide · <Key>Z</Key> undo
          </p>
        )}
      </div>
      {chosen.length > 0 && <Bulk projectId={projectId} count={chosen.length} onDecide={decideMarked} />}
      <p aria-live="polite" className="sr-only">
        {open && `${nameOf(open)}, ${current + 1} of ${approvals.length}`}
      </p>
      <div className={`grid grid-cols-1 gap-3 ${isStrip ? '' : 'items-start lg:grid-cols-[minmax(0,1fr)_20rem]'}`}>
        {isStrip && open && <QueuePanel projectId={projectId} entry={open} wide frozen={frozen || chosen.length > 0} />}
        {isStrip ? <QueueStrip {...shown} /> : <QueueGrid {...shown} columns={columns} />}
        {!isStrip && open && <QueuePanel projectId={projectId} entry={open} wide={false} frozen={frozen || chosen.length > 0} />}
      </div>
    </div>
  )
}

const Key = ({ children }: { children: string }) => (
  <kbd className="rounded border border-line bg-panel px-1 font-sans">{children}</kbd>
)

interface BulkProps {
  projectId: string
  count: number
  onDecide(status: Decision, comment: string): Promise<boolean>
}

function Bulk({ projectId, count, onDecide }: BulkProps) {
  const [comment, setComment, clear] = useDraft(`approvals ${projectId}`, '')
  const decide = async (status: Decision) => {
    if (await onDecide(status, comment)) clear()
  }
  return (
    <section
      aria-label="Decide all selected"
      className="sticky top-12 z-10 grid gap-2 rounded-lg border border-strong-line bg-raised p-3 shadow-float md:top-2"
    >
      <p className="text-sm font-medium" aria-live="polite">
        {count} selected
      </p>
      <Decide name={`all ${count} selected`} comment={comment} setComment={setComment} onDecide={decide} />
    </section>
  )
}
