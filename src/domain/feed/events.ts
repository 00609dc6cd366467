import type { DeploymentStatus, EventType, TaskState } from '../../contract/sets.ts'
import type { Event } from '../../contract/shapes.ts'
import type { Key } from '../../db/page.ts'
import { scrub, scrubAuthor } from '../privacy/scrub.ts'
import { type Kind, kindOf } from './feed.ts'

/** A row of any source: `a` to `e` are its facts, in the order its source gives them. */
export interface FeedRow {
  rank: number
  at: string
  id: string
  project_id: number
  project_name: string
  a: string | null
  b: string | null
  c: string | null
  d: string | null
  e: string | null
  /** Its id in its own table, where it was asked for by that. */
  row_id: string | null
  asset_name: string | null
  category: string | null
  likely: string | null
}

type Said = Pick<Event, 'event_type' | 'actor' | 'target_ref' | 'status' | 'message'> & { page: string }

export const keyOf = (row: FeedRow): Key => ({ at: row.at, id: `${kindOf(row.rank)}|${row.id}` })

/** The event people read: who, did what, to what, with which result. Nothing of it names a member or an address. */
export function eventOf(row: FeedRow): Event {
  const kind = kindOf(row.rank)
  // Field by field: spreading would take most of the time that a page of the feed needs here.
  const { event_type, actor, target_ref, status, message, page } = SAY[kind](row)
  return {
    event_type,
    actor: scrubAuthor(actor) || 'system',
    target_ref: scrub(target_ref),
    status,
    message: scrub(message),
    project_id: row.project_id,
    project_name: row.project_name,
    timestamp: row.at,
    url: `/projects/${row.project_id}/${page}`,
    cursor_key: `${row.at}|${kind}|${row.id}`,
  }
}

const SAY: Record<Kind, (row: FeedRow) => Said> = {
  build: ({ id, a: status, b: job, c: number, d: seconds, category, likely }) => {
    const name = `${job || 'Build'}${number ? ` #${number}` : ''}`
    const [event_type, pill, word]: [EventType, Event['status'], string] =
      status === 'failed'
        ? ['build_run.failed', 'err', `failed${seconds ? ` after ${span(seconds)}` : ''}`]
        : status === 'completed'
          ? ['build_run.completed', 'ok', `passed${seconds ? ` in ${span(seconds)}` : ''}`]
          : ['build_run.completed', 'warn', 'passed and waits for approval']
    const message = [`${name} ${word}`, category, likely && `likely ${likely}`].filter(Boolean).join(' · ')
    return { event_type, actor: 'system', target_ref: name, status: pill, message, page: `builds/${id}` }
  },
  change: ({ id, a: author, b: shown, c: text, d: assets }) => {
    const actor = scrubAuthor(author ?? '')
    const touched = Number(assets) > 0 ? ` · ${count(Number(assets), 'asset')}` : ''
    const message = `${actor || 'Somebody'} submitted ${shown}${firstLine(text ?? '', ': ')}${touched}`
    return { event_type: 'change.submitted', actor, target_ref: shown!, status: 'info', message, page: `changes/${id}` }
  },
  task: ({ id, a: state, b: title, c: handle, d: user, e: creator }) => {
    const actor = handle ? `agent:${handle}` : user ? `user:${user}` : creator ? `user:${creator}` : 'system'
    const message = `Task #${id} “${firstLine(title ?? '', '')}” ${TASK_WORDS[state as TaskState]}`
    return { event_type: 'task.state_changed', actor, target_ref: `task #${id}`, status: 'info', message, page: `tasks/${id}` }
  },
  approval: ({ a: status, b: asset, c: stage, d: version, e: approver, asset_name }) => {
    const name = asset_name ?? ''
    const [event_type, pill, word] = APPROVAL_WORDS[status as keyof typeof APPROVAL_WORDS]
    const actor = status !== 'pending' && approver ? `user:${approver}` : 'system'
    const message = `${name} version ${version} ${word} · ${stage}`
    return { event_type, actor, target_ref: name, status: pill, message, page: `assets/${asset}` }
  },
  deployment: ({ id, a: status, b: platform, c: version, d: branch }) => {
    const target_ref = [platform, version].filter(Boolean).join(' ')
    const message = `${target_ref}${branch ? ` from ${branch}` : ''} ${DEPLOYMENT_WORDS[status as DeploymentStatus]}`
    return { event_type: 'deployment.created', actor: 'system', target_ref, status: 'info', message, page: `deployments/${id}` }
  },
}

const TASK_WORDS: Record<TaskState, string> = {
  to_do: 'is to do',
  in_progress: 'is in progress',
  blocked: 'is blocked',
  completed: 'is completed',
}

const APPROVAL_WORDS = {
  pending: ['approval.requested', 'warn', 'waits for approval'],
  approved: ['approval.granted', 'ok', 'was approved'],
  denied: ['approval.denied', 'err', 'was denied'],
  ignored: ['approval.ignored', 'neutral', 'was set aside without a decision'],
} as const

const DEPLOYMENT_WORDS: Record<DeploymentStatus, string> = {
  pending: 'is on its way',
  submitted: 'was submitted',
  uploading: 'is uploading',
  in_review: 'is in review',
  approved: 'was approved by the store',
  rejected: 'was rejected',
  live: 'is live',
  rolled_back: 'was rolled back',
}

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`

const firstLine = (text: string, before: string) => {
  const line = text.split('\n', 1)[0]!.trim()
  return line === '' ? '' : `${before}${line.length > 140 ? `${line.slice(0, 139).toWellFormed()}…` : line}`
}

function span(seconds: string): string {
  const total = Number(seconds)
  if (total < 60) return `${total} s`
  const minutes = Math.round(total / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
