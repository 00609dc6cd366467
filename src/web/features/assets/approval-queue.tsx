import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { BULK_MAX } from '../../../contract/limits.ts'
import type { Decision } from '../../../contract/sets.ts'
import { useFocusKept } from '../../focus.ts'
import { useKeys } from '../../keys.ts'
import { assetPage } from '../../record-pages.ts'
import { Button } from '../../ui/form/button.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { wordsOf } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'
import { ChangeLink } from '../changes/change-of.tsx'
import { Decide } from './decide.tsx'
import { useDecide } from './decisions.ts'

type Approval = AppReply<'listApprovals'>['approvals'][number]

interface Props {
  projectId: string
  approvals: Approval[]
  /** Read-only. */
  frozen: boolean
}

/** Pending approvals with one opened: j and k move, x selects, a, d and i decide the open one or all selected ones. */
export function ApprovalQueue({ projectId, approvals, frozen }: Props) {
  const decide = useDecide(projectId)
  const [at, setAt] = useState(0)
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const current = Math.min(at, approvals.length - 1)
  const chosen = approvals.filter(({ asset_id }) => marked.has(asset_id)).slice(0, BULK_MAX)
  const mark = (id: string | undefined) => {
    if (frozen || id === undefined) return
    const next = new Set(marked)
    if (!next.delete(id)) next.add(id)
    setMarked(next)
  }
  const walk = (step: number) => setAt(Math.max(0, Math.min(approvals.length - 1, current + step)))
  useKeys({
    j: () => walk(1),
    k: () => walk(-1),
    x: () => mark(approvals[current]?.asset_id),
    Escape: () => setMarked(new Set()),
  })
  const decideMarked = async (status: Decision, comment: string) => {
    const names = chosen.length === 1 ? chosen[0]!.asset_name : `${chosen.length} assets`
    const ids = chosen.map(({ asset_id }) => asset_id)
    const done = await decide(ids, names, status, comment)
    if (done) setMarked(new Set())
    return done
  }
  const open = approvals[current]
  const list = useFocusKept<HTMLOListElement>(open?.asset_id)
  return (
    <div className="grid grid-cols-1 gap-3">
      {!frozen && (
        <div className="flex flex-wrap items-center justify-between gap-2 text-xs text-soft">
          <Button
            look="quiet"
            onClick={() =>
              setMarked(chosen.length > 0 ? new Set() : new Set(approvals.slice(0, BULK_MAX).map(({ asset_id }) => asset_id)))
            }
          >
            {chosen.length > 0 ? 'Clear selection' : `Select all ${Math.min(approvals.length, BULK_MAX)} shown`}
          </Button>
          <p className="max-sm:hidden">
            <Key>J</Key> <Key>K</Key> move · <Key>X</Key> select · <Key>C</Key> comment · <Key>A</Key> <Key>D</Key> <Key>I</Key>{' '}
            decide · <Key>Z</Key> undo
          </p>
        </div>
      )}
      {chosen.length > 0 && <Bulk projectId={projectId} count={chosen.length} onDecide={decideMarked} />}
      <p aria-live="polite" className="sr-only">
        {open && `${open.asset_name}, ${current + 1} of ${approvals.length}`}
      </p>
      <ol
        ref={list}
        tabIndex={-1}
        aria-label="Waiting for approval"
        className="grid grid-cols-1 overflow-hidden rounded-lg outline-none border border-line bg-panel"
      >
        {approvals.map((approval, i) => (
          <Item
            key={approval.asset_id}
            projectId={projectId}
            approval={approval}
            isOpen={i === current}
            isMarked={marked.has(approval.asset_id)}
            deciding={!frozen && i === current && chosen.length === 0}
            frozen={frozen}
            onOpen={() => setAt(i)}
            onMark={() => mark(approval.asset_id)}
          />
        ))}
      </ol>
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

interface ItemProps {
  projectId: string
  approval: Approval
  isOpen: boolean
  isMarked: boolean
  deciding: boolean
  frozen: boolean
  onOpen(): void
  onMark(): void
}

function Item({ projectId, approval, isOpen, isMarked, deciding, frozen, onOpen, onMark }: ItemProps) {
  const ref = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isOpen) ref.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen])
  const { asset_id, asset_name, asset_version, approval_stage, commit_sha, created_at, change } = approval
  return (
    <li
      ref={ref}
      aria-current={isOpen || undefined}
      className={`grid scroll-my-24 grid-cols-1 gap-2 border-b border-l-2 border-b-line px-3 py-2 last:border-b-0 ${isOpen ? 'border-l-accent bg-canvas' : 'border-l-transparent hover:bg-hover/60'}`}
    >
      <div className="flex items-start gap-3 text-sm">
        <input
          type="checkbox"
          aria-label={`Select ${asset_name}`}
          checked={isMarked}
          disabled={frozen}
          onChange={onMark}
          className="mt-1 size-4 accent-accent"
        />
        <button type="button" aria-expanded={isOpen} onClick={onOpen} className="grid min-w-0 flex-1 gap-0.5 text-left">
          <span className="truncate font-medium" title={asset_name}>
            {asset_name}
          </span>
          <span className="text-xs text-soft">
            version {asset_version} · {wordsOf(approval_stage)}
            {commit_sha && (
              <>
                {' '}
                · <code className="font-mono">{commit_sha.slice(0, 10)}</code>
              </>
            )}
          </span>
        </button>
        <span className="text-xs text-soft">
          <Time at={created_at} />
        </span>
      </div>
      {isOpen && (
        <div className="grid grid-cols-1 gap-2 pl-7">
          <p className="flex flex-wrap items-baseline gap-x-4 gap-y-1 text-xs">
            <Link {...assetPage(projectId, asset_id)} className="wrap-anywhere underline">
              Open {asset_name} with its history
            </Link>
            {change && <ChangeLink projectId={projectId} change={change} />}
          </p>
          {deciding && <DecideOne projectId={projectId} approval={approval} />}
        </div>
      )}
    </li>
  )
}

function DecideOne({ projectId, approval: { asset_id, asset_name } }: { projectId: string; approval: Approval }) {
  const decide = useDecide(projectId)
  const [comment, setComment, clear] = useDraft(`approval ${asset_id}`, '')
  const onDecide = async (status: Decision) => {
    if (await decide([asset_id], asset_name, status, comment)) clear()
  }
  return <Decide name={asset_name} comment={comment} setComment={setComment} onDecide={onDecide} />
}
