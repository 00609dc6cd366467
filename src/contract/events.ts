import { commentedOn, type EventFacts, type EventSource, nameOf, releaseOf, SOURCES, type SourceWords } from './event-facts.ts'
import { measureWords } from './labels/measure-words.ts'
import { type BuildStatus, type DeploymentStatus, PASSED_STATUSES, type Pill, RUNNING_STATUSES, type TaskState } from './sets.ts'
import { isOnlyUploaded, statusWords } from './spellings/stores.ts'

export { type EventFacts, type EventSource, seriesQuery } from './event-facts.ts'

interface EventRow<S extends EventSource> {
  /** Belongs to the workspace feed of the specification, whose types are closed; the others are sent on request. */
  feed: boolean
  /** Its label in the selection of event types. */
  label: string
  /** The states of the record that this event covers; absent for all. */
  states?: readonly NonNullable<EventFacts[S]['state']>[]
  /** Whether a new record is one. */
  inserted: boolean
  /** Whether an update is one: if one of these columns changed, or if the record entered `states`. */
  updated: readonly string[] | 'entered' | 'never'
  pill(facts: EventFacts[S]): Pill
  /** Who did what to what, with which result. */
  words(facts: EventFacts[S]): string
}

const event = <S extends EventSource, const R extends EventRow<S>>(source: S, row: R) => ({ source, ...row })

const decision = <const R extends Pick<EventRow<'approval'>, 'label' | 'states' | 'pill'>>(words: string, row: R) =>
  event('approval', {
    feed: true,
    inserted: true,
    updated: ['status', 'decided_at'],
    words: ({ asset_name, version, stage }) => `${asset_name ?? ''} version ${version} ${words} · ${stage}`,
    ...row,
  })

const breakage = <const R extends Omit<EventRow<'breakage'>, 'feed' | 'words'>>(words: string, row: R) =>
  event('breakage', {
    feed: false,
    words: ({ jobs, branch, cause }) => `${jobs}${branch ? ` on ${branch}` : ''} ${words}${firstLine(cause ?? '', ': ')}`,
    ...row,
  })

const TASK_WORDS: Record<TaskState, string> = {
  to_do: 'is to do',
  in_progress: 'is in progress',
  blocked: 'is blocked',
  completed: 'is completed',
}

/** The text for a deployment, by state. */
const DEPLOYMENT_WORDS: Record<DeploymentStatus, { pill: Pill; words: string }> = {
  pending: { pill: 'info', words: 'is pending' },
  submitted: { pill: 'info', words: 'was submitted' },
  uploading: { pill: 'info', words: 'is uploading' },
  in_review: { pill: 'info', words: 'is in review' },
  approved: { pill: 'ok', words: 'was approved by the store' },
  rejected: { pill: 'err', words: 'was rejected' },
  live: { pill: 'ok', words: 'is live' },
  rolled_back: { pill: 'warn', words: 'was rolled back' },
}

/** The words and color for a status. An upload that no store reviews is uploaded, not approved. */
export const deploymentNews = (store: string | null, state: DeploymentStatus, isDone: boolean): { pill: Pill; words: string } =>
  isOnlyUploaded(store, state, isDone)
    ? { pill: 'ok', words: 'was uploaded' }
    : { ...DEPLOYMENT_WORDS[state], words: statusWords(store, state) ?? DEPLOYMENT_WORDS[state].words }

const newsOf = ({ platform, state, uploaded }: EventFacts['deployment']) => deploymentNews(platform, state, uploaded === 'true')

const deploymentWords = (deployment: EventFacts['deployment']) => {
  const { track, branch } = deployment
  const where = track ? ` on ${track}` : branch ? ` from ${branch}` : ''
  return `${releaseOf(deployment)}${where} ${newsOf(deployment).words}`
}

/** `package Win64 Shipping on main is 4.4 GB, over its budget of 4.2 GB`. */
export function alertWords({
  state,
  kind,
  name,
  measure_platform,
  measure_configuration,
  unit,
  branch,
  value,
  allowed,
}: EventFacts['measure_alert']): string {
  const words = (number: string | null) => measureWords({ value: Number(number), unit: unit || null })
  const what = `${[name, measure_platform, measure_configuration].filter(Boolean).join(' ')}${branch ? ` on ${branch}` : ''}`
  if (kind === 'missing') return `${what} ${state === 'open' ? 'no longer comes' : 'comes again'}`
  return state === 'open'
    ? `${what} is ${words(value)}, over its budget of ${words(allowed)}`
    : `${what} is ${words(value)}, within its budget of ${words(allowed)} again`
}

const isWaiting = (state: BuildStatus) => state === 'passed_pending_approval'

/**
 * Every event type. The feed's filter and statement, the triggers, the stream, the selection of outbound webhooks and the app's labels are
 * derived from this table.
 */
export const EVENTS = {
  'build_run.completed': event('build', {
    feed: true,
    label: 'A build passed',
    states: PASSED_STATUSES,
    inserted: true,
    updated: ['status'],
    pill: ({ state }) => (isWaiting(state) ? 'warn' : 'ok'),
    words: (build) =>
      `${nameOf(build)} ${isWaiting(build.state) ? 'passed and waits for approval' : `passed${build.seconds ? ` in ${span(build.seconds)}` : ''}`}`,
  }),
  'build_run.failed': event('build', {
    feed: true,
    label: 'A build failed',
    states: ['failed'],
    inserted: true,
    updated: ['status'],
    pill: () => 'err',
    words: ({ seconds, found_category, found_suspect, ...build }) =>
      [
        `${nameOf(build)} failed${seconds ? ` after ${span(seconds)}` : ''}`,
        found_category,
        found_suspect && `likely ${found_suspect}`,
      ]
        .filter(Boolean)
        .join(' · '),
  }),
  'change.submitted': event('change', {
    feed: true,
    label: 'A change was submitted',
    inserted: true,
    updated: 'never',
    pill: () => 'info',
    words: ({ author, identifier, description, asset_count }) =>
      `${author || 'Somebody'} submitted ${identifier}${firstLine(description ?? '', ': ')}${Number(asset_count) > 0 ? ` · ${count(Number(asset_count), 'asset')}` : ''}`,
  }),
  'task.state_changed': event('task', {
    feed: true,
    label: 'A task changed',
    inserted: true,
    updated: ['updated_at'],
    pill: () => 'info',
    words: ({ id, state, title }) => `Task #${id} “${firstLine(title ?? '', '')}” ${TASK_WORDS[state]}`,
  }),
  'approval.requested': decision('waits for approval', {
    label: 'An asset needs approval',
    states: ['pending'],
    pill: () => 'warn',
  }),
  'approval.granted': decision('was approved', { label: 'An asset was approved', states: ['approved'], pill: () => 'ok' }),
  'approval.denied': decision('was denied', { label: 'An asset was denied', states: ['denied'], pill: () => 'err' }),
  'approval.ignored': decision('was ignored', {
    label: 'An asset was ignored',
    states: ['ignored'],
    pill: () => 'neutral',
  }),
  'deployment.created': event('deployment', {
    feed: true,
    label: 'A deployment started',
    inserted: true,
    updated: 'never',
    pill: () => 'info',
    words: deploymentWords,
  }),
  'build_run.started': event('build', {
    feed: false,
    label: 'A build started',
    states: ['preparing', 'building'],
    inserted: true,
    updated: 'entered',
    pill: () => 'info',
    words: (build) => `${nameOf(build)} started`,
  }),
  'build_run.progressed': event('build', {
    feed: false,
    label: 'A build reached its next phase or sent log output',
    states: ['preparing', 'building'],
    inserted: false,
    updated: ['progressed_at'],
    pill: () => 'info',
    words: ({ phase, ...build }) => `${nameOf(build)}${firstLine(phase ?? '', ': ') || ' is running'}`,
  }),
  'build_run.lost': event('build', {
    feed: false,
    label: 'A build stopped reporting, or reports again',
    states: RUNNING_STATUSES,
    inserted: false,
    updated: ['lost_at'],
    pill: ({ lost }) => (lost === 'true' ? 'warn' : 'info'),
    words: ({ lost, ...build }) => `${nameOf(build)} ${lost === 'true' ? 'is lost: it stopped reporting' : 'reports again'}`,
  }),
  'build_run.fixed': event('build', {
    feed: false,
    label: 'A job passed again after a failure',
    states: PASSED_STATUSES,
    inserted: false,
    updated: ['fixed_build_run_id'],
    pill: () => 'ok',
    words: (build) => `${nameOf(build)} passed again`,
  }),
  'investigation.completed': event('investigation', {
    feed: false,
    label: 'An investigation finished',
    states: ['completed'],
    inserted: false,
    updated: 'entered',
    pill: () => 'info',
    words: ({ diagnosis, suspect }) => `${firstLine(diagnosis ?? '', '')}${suspect ? ` · likely ${suspect}` : ''}`,
  }),
  'breakage.opened': breakage('broke', {
    label: 'A breakage was opened',
    inserted: true,
    updated: 'never',
    pill: () => 'err',
  }),
  'breakage.claimed': breakage('was claimed', {
    label: 'A breakage was claimed',
    states: ['claimed'],
    inserted: false,
    updated: ['state', 'owner_user_id'],
    pill: () => 'warn',
  }),
  'breakage.muted': breakage('was muted', {
    label: 'A breakage was muted',
    states: ['muted'],
    inserted: false,
    updated: ['state', 'muted_until'],
    pill: () => 'neutral',
  }),
  'breakage.fixed': breakage('is fixed', {
    label: 'A breakage was fixed',
    states: ['fixed'],
    inserted: false,
    updated: ['state'],
    pill: () => 'ok',
  }),
  'breakage.reopened': breakage('is broken again', {
    label: 'A breakage was reopened',
    inserted: false,
    updated: ['reopenings'],
    pill: () => 'err',
  }),
  'breakage.withdrawn': breakage('was withdrawn', {
    label: 'A breakage was withdrawn: it duplicates another one, or its builds did not fail',
    states: ['withdrawn'],
    inserted: false,
    updated: ['state'],
    pill: () => 'neutral',
  }),
  'measure.alerted': event('measure_alert', {
    feed: false,
    label: 'A measure exceeds its budget or no longer comes, or is back',
    inserted: true,
    updated: ['state'],
    pill: ({ state }) => (state === 'open' ? 'warn' : 'ok'),
    words: alertWords,
  }),
  'comment.created': event('comment', {
    feed: false,
    label: 'Somebody commented',
    inserted: true,
    updated: 'never',
    pill: () => 'info',
    words: (comment) => `New comment on ${commentedOn(comment)}`,
  }),
  'comment.updated': event('comment', {
    feed: false,
    label: 'A comment was edited or deleted, or somebody reacted to it',
    inserted: false,
    updated: ['updated_at'],
    pill: () => 'neutral',
    words: ({ deleted, ...comment }) => `Comment on ${commentedOn(comment)} ${deleted === 'true' ? 'deleted' : 'updated'}`,
  }),
  'preview.ready': event('preview', {
    feed: false,
    label: 'A preview of an asset is ready, or was replaced',
    states: ['ready'],
    inserted: true,
    updated: ['updated_at'],
    pill: () => 'neutral',
    words: ({ asset_name, version }) => `Preview of ${asset_name ?? ''} version ${version} is ready`,
  }),
  'preview.unavailable': event('preview', {
    feed: false,
    label: 'An asset gets no preview',
    states: ['none'],
    inserted: false,
    updated: ['state'],
    pill: () => 'neutral',
    words: ({ asset_name, version }) => `No preview of ${asset_name ?? ''} version ${version}`,
  }),
  'deployment.updated': event('deployment', {
    feed: false,
    label: 'A deployment changed its status',
    inserted: false,
    updated: ['status'],
    pill: (deployment) => newsOf(deployment).pill,
    words: deploymentWords,
  }),
}
export type EventType = keyof typeof EVENTS
export type FeedEventType = { [T in EventType]: (typeof EVENTS)[T]['feed'] extends true ? T : never }[EventType]

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[]
export const FEED_EVENT_TYPES = EVENT_TYPES.filter((type): type is FeedEventType => EVENTS[type].feed)

/** A row of the table of any source, for iteration. */
export const rowOf = (type: EventType) => EVENTS[type] as { source: EventSource } & EventRow<EventSource>

/** The event type of a feed record in its current state. */
export const feedTypeOf = (source: EventSource, state: string | null): FeedEventType =>
  FEED_EVENT_TYPES.find((type) => {
    const row = rowOf(type)
    return row.source === source && (row.states === undefined || row.states.includes(state as never))
  })!

/** Whether these are all states of a record of the source. */
export const isEveryState = (source: EventSource, states: readonly string[]): boolean =>
  SOURCES[source].states.every((state) => states.includes(state))

/** The readable event: who did what to what, with which result, and its page. */
export function describe(type: EventType, facts: EventFacts[EventSource]) {
  const { source, pill, words } = EVENTS[type] as { source: EventSource } & EventRow<never>
  const { actor, target, page } = SOURCES[source] as SourceWords<never>
  const given = facts as never
  return { actor: actor(given), target_ref: target(given), status: pill(given), message: words(given), page: page(given) }
}

/** Whether an event matches the selected types: a group such as `build_run.*` stands for those of the feed. */
export const isChosen = (words: readonly string[], type: EventType): boolean =>
  words.includes(type) ||
  (EVENTS[type].feed && (words.length === 0 || words.some((word) => word.endsWith('.*') && type.startsWith(word.slice(0, -1)))))

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
