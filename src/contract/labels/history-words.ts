import { labelOf, lowered, TERMS, type TermSet } from '../labels.ts'
import type { ReplyOf } from '../routes.ts'
import type { HistoryKind } from '../sets.ts'

export type HistoryEntry = ReplyOf<'listTaskHistory'>['history'][number]

/** How people, times and the states of a deployment are shown. */
export interface HistoryNames {
  user(id: number): string
  moment(at: string): string
  deploymentStatus?(status: string): string
}

interface Facts {
  /** Who did it. */
  by: string
  isService: boolean
  entry: HistoryEntry
  names: HistoryNames
  /** The new value of a field. */
  to(field: string): unknown
}

const LABELS: Record<string, string> = { task_type: 'type', assignee_handle: 'agent', user_id: 'assignee' }
/** Fields whose values come from a closed set. */
const SETS: Record<string, TermSet> = { state: 'task_state', priority: 'priority', task_type: 'task_type' }

function shownAs(field: string, value: unknown, names: HistoryNames): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
  if (value === null || value === undefined) return 'nobody'
  if (field === 'user_id') return names.user(Number(value))
  const set = SETS[field]
  return set ? lowered(labelOf(set, String(value))) : String(value)
}

function editWords({ entry, names }: Facts): string {
  const words = Object.entries(entry.changes).map(([field, change]) => {
    if (change === null) return `changed the ${LABELS[field] ?? field}`
    if (field === 'state') return `moved it to ${labelOf('task_state', String(change.to))}`
    if (field === 'user_id' && change.to !== null) return `assigned it to ${names.user(Number(change.to))}`
    if (field === 'user_id') return 'removed the assignee'
    return `changed the ${LABELS[field] ?? field} from ${shownAs(field, change.from, names)} to ${shownAs(field, change.to, names)}`
  })
  return words.join(', ') || 'edited it'
}

const CI_REQUESTS: Record<string, string> = { retry: 'retry it', stop: 'stop it', start: 'build the branch again' }

const statusWords = ({ entry, names, isService, by }: Facts): string => {
  const { from, to } = entry.changes.status ?? { from: null, to: null }
  const label = (status: unknown) => (names.deploymentStatus ?? ((one) => labelOf('deployment_status', one)))(String(status))
  if (isService) return from === null ? `Reported as ${lowered(label(to))}` : `Status changed from ${label(from)} to ${label(to)}`
  return `${by} changed the status${from === null ? '' : ` from ${label(from)}`} to ${label(to)}`
}

const decided = (verb: string) => (facts: Facts) => {
  const version = facts.to('asset_version')
  return `${facts.by} ${verb} ${facts.to('asset_id') == null ? (version == null ? 'it' : `version ${version}`) : 'an asset of it'}`
}

const WORDS: Record<HistoryKind, (facts: Facts) => string> = {
  created: ({ by, isService }) => (isService ? 'Created' : `${by} created it`),
  edited: (facts) => `${facts.by} ${editWords(facts)}`,
  deleted: ({ by }) => `${by} deleted it`,
  restored: ({ by }) => `${by} restored it`,
  opened: ({ entry }) => `${entry.note || 'A job'} broke`,
  joined: ({ entry }) => `${entry.note || 'Another job'} failed for the same cause`,
  claimed: ({ by, to, names }) =>
    to('owner_user_id') == null ? `${by} claimed it` : `${by} assigned it to ${names.user(Number(to('owner_user_id')))}`,
  released: ({ by }) => `${by} released it`,
  assigned: ({ by, to, names, entry }) =>
    `${by} assigned it to ${names.user(Number(to('owner_user_id')))}${entry.note && ` because ${entry.note}`}`,
  unassigned: () => 'Assignment removed: its reason no longer holds',
  muted: ({ by, to, names }) =>
    `${by} muted it until ${to('muted_until') ? names.moment(String(to('muted_until'))) : 'it is fixed'}`,
  unmuted: ({ by, isService }) => (isService ? 'The mute expired' : `${by} unmuted it`),
  resolved: ({ by }) => `${by} marked it as fixed`,
  fixed: () => 'Every affected job passed again',
  reopened: ({ by, isService }) => (isService ? 'It failed again' : `${by} reopened it`),
  withdrawn: ({ entry, to }) =>
    to('same_as_breakage_id') == null
      ? `Withdrawn: ${entry.note in TERMS.withdrawn_reason ? lowered(labelOf('withdrawn_reason', entry.note)) : entry.note}`
      : `Withdrawn: same as #${to('same_as_breakage_id')}`,
  note: ({ by, isService }) => (isService ? 'Note' : `${by} added a note`),
  task: ({ by, to }) => `${by} created task #${to('task_id')}`,
  bisection_started: ({ by }) => `${by} started a bisection`,
  bisection_ended: ({ by, isService, entry }) => (isService ? `Bisection: ${entry.note}` : `${by} canceled the bisection`),
  status: statusWords,
  build: ({ by, isService, to }) => {
    const build = to('build_run_id')
    if (isService) return build === null ? 'Build removed' : `Build ${build} found`
    return build === null ? `${by} removed the build` : `${by} linked build ${build}`
  },
  reported: () => 'Reported',
  started: () => 'Started',
  finished: ({ to }) => `Finished: ${lowered(labelOf('build_status', String(to('status'))))}`,
  lost: () => 'Stopped reporting',
  investigated: ({ by, isService }) => (isService ? 'Investigated automatically' : `${by} investigated it`),
  corrected: ({ by }) => `${by} corrected why it failed`,
  correction_undone: ({ by }) => `${by} undid a correction`,
  ci_requested: ({ by, to }) => `${by} asked the CI to ${CI_REQUESTS[String(to('action'))] ?? String(to('action'))}`,
  shared: ({ by }) => `${by} shared an artifact`,
  share_revoked: ({ by }) => `${by} revoked a share link`,
  artifact_again: ({ entry }) => `Another ${entry.note} was uploaded; the former one stays`,
  submitted: ({ by, isService }) => (isService ? 'Submitted' : `${by} submitted it`),
  overwritten: () => 'Overwritten by a force push',
  marked_good: ({ by, to }) => `${by} marked it as good on ${to('branch')}`,
  approval_requested: ({ to, entry }) => `Approval requested for version ${to('asset_version')} (${entry.note})`,
  signed_off: decided('signed off'),
  approved: decided('approved'),
  denied: decided('denied'),
  ignored: decided('ignored'),
  decision_undone: ({ by }) => `${by} undid a decision`,
  // Entries of older versions can lack the version.
  preview_uploaded: ({ by, to }) =>
    `${by} uploaded a preview${to('asset_version') == null ? '' : ` of version ${to('asset_version')}`}`,
}

/** Kinds whose note is text that people wrote, shown below the words. */
const QUOTED: readonly HistoryKind[] = ['note', 'status', 'build', 'marked_good', 'signed_off', 'approved', 'denied', 'ignored']

export const quotedNote = ({ kind, note }: HistoryEntry): string => (QUOTED.includes(kind) ? note : '')

/** What only people do: without a user, it was somebody who has left. */
const BY_PEOPLE: readonly HistoryKind[] = [
  'edited',
  'deleted',
  'restored',
  'claimed',
  'released',
  'resolved',
  'signed_off',
  'approved',
  'denied',
  'ignored',
  'marked_good',
]

/** "Ada moved it to In progress". */
export function historyWords(entry: HistoryEntry, names: HistoryNames): string {
  const isService = entry.user_id === null
  const who = isService ? (BY_PEOPLE.includes(entry.kind) ? 'A former member' : 'Goldmaster') : names.user(entry.user_id!)
  const by = entry.via_token ? `${who} (with an API token)` : who
  return WORDS[entry.kind]({ by, isService, entry, names, to: (field) => entry.changes[field]?.to })
}
