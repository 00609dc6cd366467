import type { ReactNode } from 'react'
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
    <span className="truncate">{children}</span>
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

/** `passed_pending_approval` → `passed pending approval`. */
export const wordsOf = (value: string) => value.replaceAll('_', ' ')

const BUILD_WORDS: Record<string, string> = { completed: 'passed', passed_pending_approval: 'waiting for approval' }
/** The status of a build or a part of it as people say it. */
export const buildWordsOf = (status: string) => BUILD_WORDS[status] ?? wordsOf(status)
/** The same of an approval, and of an asset that may want one. */
const approvalWordsOf = (status: string) => (status === 'pending' ? 'waiting for approval' : wordsOf(status))

/** A status of anything, in its colour. */
export const Status = ({ value, words = wordsOf(value) }: { value: string; words?: string }) => (
  <Pill kind={KINDS[value] ?? 'neutral'}>{words}</Pill>
)
const KIND_WORDS: Record<string, string> = { preflight: 'Preflight', bisect: 'Bisect' }

/** Marks preflights and bisecting builds. */
export const BuildKindLabel = ({ value }: { value: string }) => (KIND_WORDS[value] ? <Pill>{KIND_WORDS[value]}</Pill> : null)

export const BuildStatus = ({ value }: { value: string }) => <Status value={value} words={buildWordsOf(value)} />
export const ApprovalStatus = ({ value }: { value: string }) => <Status value={value} words={approvalWordsOf(value)} />
