import type { ReactNode } from 'react'
import { labelOf, type TermSet } from '../../contract/labels.ts'
import type { PILLS } from '../../contract/sets.ts'

export type PillKind = (typeof PILLS)[number]

const LOOKS: Record<PillKind, string> = {
  ok: 'bg-ok-wash text-ok',
  err: 'bg-err-wash text-err',
  warn: 'bg-warn-wash text-warn',
  info: 'bg-info-wash text-info',
  neutral: 'bg-hover text-soft',
}

export const Pill = ({ kind = 'neutral', children }: { kind?: PillKind; children: ReactNode }) => (
  <span className={`inline-flex max-w-full items-center rounded-full px-2 py-px text-xs font-medium ${LOOKS[kind]}`}>
    <span className="truncate" title={typeof children === 'string' ? children : undefined}>
      {children}
    </span>
  </span>
)

const KINDS: Record<string, PillKind> = {
  completed: 'ok',
  approved: 'ok',
  live: 'ok',
  processed: 'ok',
  delivered: 'ok',
  sent: 'ok',
  active: 'ok',
  fixed: 'ok',
  open: 'err',
  failed: 'err',
  denied: 'err',
  rejected: 'err',
  failing: 'err',
  gone: 'err',
  broken: 'err',
  critical: 'err',
  passed_pending_approval: 'warn',
  pending: 'warn',
  blocked: 'warn',
  in_review: 'warn',
  rolled_back: 'warn',
  stale: 'warn',
  waiting: 'warn',
  uncertain: 'warn',
  lost: 'warn',
  paused: 'warn',
  high: 'warn',
  claimed: 'info',
  queued: 'info',
  preparing: 'info',
  building: 'info',
  running: 'info',
  sending: 'info',
  in_progress: 'info',
  uploading: 'info',
  submitted: 'info',
  accepted: 'info',
}

/** Terms of a tool or a project, such as the stage of an approval: `art_review` is `art review`. */
export const wordsOf = (value: string) => value.replaceAll('_', ' ')

/** A status of anything, in its color. A store has its own words for a deployment. */
export const Status = ({ of, value, words = labelOf(of, value) }: { of: TermSet; value: string; words?: string }) => (
  <Pill kind={KINDS[value] ?? 'neutral'}>{words}</Pill>
)

/** Marks preflights and bisecting builds. */
export const BuildKindLabel = ({ value }: { value: string }) =>
  value === 'regular' ? null : <Pill>{labelOf('build_kind', value)}</Pill>

export const BuildStatus = ({ value }: { value: string }) => <Status of="build_status" value={value} />
export const ApprovalStatus = ({ value }: { value: string }) => <Status of="approval_status" value={value} />
