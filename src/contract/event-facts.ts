import {
  APPROVAL_STATUSES,
  type ApprovalStatus,
  BREAKAGE_STATES,
  type BreakageState,
  BUILD_STATUSES,
  type BuildStatus,
  type CommentSubject,
  DEPLOYMENT_STATUSES,
  type DeploymentStatus,
  INVESTIGATION_STATUSES,
  type InvestigationStatus,
  MEASURE_ALERT_STATES,
  type MeasureAlertKind,
  type MeasureAlertState,
  PREVIEW_STATES,
  type PreviewState,
  TASK_STATES,
  type TaskState,
} from './sets.ts'

type Text = string | null

/** The facts of an event by its source: the record's id and texts at that time. */
export interface EventFacts {
  approval: { id: string; state: ApprovalStatus; asset_id: string; asset_name: Text; stage: Text; version: Text; approver: Text }
  breakage: {
    id: string
    state: BreakageState
    branch: Text
    cause: Text
    category: Text
    jobs: Text
    build_count: Text
    owner: Text
    suspect: Text
    /** The user who did it; empty for the service. */
    said_by: Text
    occurrence: Text
  }
  build: {
    id: string
    state: BuildStatus
    job: Text
    build_number: Text
    seconds: Text
    phase: Text
    fixed_build: Text
    /** `true` if it counts as lost. */
    lost?: Text
    /** The finding of a later investigation: only in the feed, which is read later. */
    found_category?: Text
    found_suspect?: Text
  }
  change: { id: string; state: null; author: Text; identifier: Text; description: Text; asset_count: Text }
  comment: { id: string; state: null; subject: Text; subject_id: Text; author: Text; deleted?: Text }
  deployment: {
    id: string
    state: DeploymentStatus
    /** The store, if it is not one of the platforms. */
    platform: Text
    version: Text
    branch: Text
    track?: Text
    /** `true` once the upload is done. */
    uploaded?: Text
  }
  investigation: {
    id: string
    state: InvestigationStatus
    build_run_id: string
    diagnosis: Text
    category: Text
    confidence: Text
    suspect: Text
  }
  measure_alert: {
    id: string
    state: MeasureAlertState
    kind: MeasureAlertKind | null
    name: Text
    measure_platform: Text
    measure_configuration: Text
    unit: Text
    job: Text
    branch: Text
    value: Text
    allowed: Text
  }
  /** Its id is that of the asset. */
  preview: { id: string; state: PreviewState; asset_name: Text; version: Text }
  task: { id: string; state: TaskState; title: Text; assignee_handle: Text; assignee: Text; creator: Text }
}
export type EventSource = keyof EventFacts

export interface SourceWords<F> {
  /** Every state of a record; empty if records have no state. */
  states: readonly string[]
  /** The actor: `user:7`, `agent:handle`, a name from a tool, or the service itself. */
  actor(facts: F): string
  /** The subject of the action. */
  target(facts: F): string
  /** The page of the record, below the project's. */
  page(facts: F): string
}

const SYSTEM = 'system'

/** The pages of commented records, below the project's. */
export const SUBJECT_PAGES: Record<CommentSubject, string> = {
  task: 'tasks',
  build_run: 'builds',
  breakage: 'breakages',
  change: 'changes',
  asset: 'assets',
  deployment: 'deployments',
}

/** `breakage #12`; ids of assets and deployments say nothing. */
export const commentedOn = ({ subject, subject_id }: Pick<EventFacts['comment'], 'subject' | 'subject_id'>): string =>
  `${(subject ?? '').replace('_run', '')}${/^\d+$/.test(subject_id ?? '') ? ` #${subject_id}` : ''}`

export const SOURCES: { [S in EventSource]: SourceWords<EventFacts[S]> } = {
  approval: {
    states: APPROVAL_STATUSES,
    actor: ({ state, approver }) => (state !== 'pending' && approver ? `user:${approver}` : SYSTEM),
    target: ({ asset_name }) => asset_name ?? '',
    page: ({ asset_id }) => `assets/${asset_id}`,
  },
  breakage: {
    states: BREAKAGE_STATES,
    actor: ({ said_by }) => (said_by ? `user:${said_by}` : SYSTEM),
    target: ({ jobs }) => jobs ?? '',
    page: ({ id }) => `breakages/${id}`,
  },
  build: {
    states: BUILD_STATUSES,
    actor: () => SYSTEM,
    target: (build) => nameOf(build),
    page: ({ id }) => `builds/${id}`,
  },
  change: {
    states: [],
    actor: ({ author }) => author ?? '',
    target: ({ identifier }) => identifier ?? '',
    page: ({ id }) => `changes/${id}`,
  },
  comment: {
    states: [],
    actor: ({ author }) => (author ? `user:${author}` : SYSTEM),
    target: commentedOn,
    page: ({ subject, subject_id }) => `${SUBJECT_PAGES[subject as CommentSubject]}/${subject_id}`,
  },
  deployment: {
    states: DEPLOYMENT_STATUSES,
    actor: () => SYSTEM,
    target: (deployment) => releaseOf(deployment),
    page: ({ id }) => `deployments/${id}`,
  },
  investigation: {
    states: INVESTIGATION_STATUSES,
    actor: () => SYSTEM,
    target: ({ build_run_id }) => `build ${build_run_id}`,
    page: ({ build_run_id }) => `builds/${build_run_id}`,
  },
  measure_alert: {
    states: MEASURE_ALERT_STATES,
    actor: () => SYSTEM,
    target: ({ name }) => name ?? '',
    page: ({ name, job, branch, measure_platform: platform, measure_configuration: configuration }) =>
      `measures/trend?${seriesQuery({ name, job, branch, platform, configuration })}`,
  },
  preview: {
    states: PREVIEW_STATES,
    actor: () => SYSTEM,
    target: ({ asset_name }) => asset_name ?? '',
    page: ({ id }) => `assets/${id}`,
  },
  task: {
    states: TASK_STATES,
    actor: ({ assignee_handle, assignee, creator }) =>
      assignee_handle ? `agent:${assignee_handle}` : (assignee ?? creator) ? `user:${assignee ?? creator}` : SYSTEM,
    target: ({ id }) => `task #${id}`,
    page: ({ id }) => `tasks/${id}`,
  },
}
/** The query of the page of a measure. */
export const seriesQuery = (series: Record<'name' | 'job' | 'branch' | 'platform' | 'configuration', Text>): string =>
  new URLSearchParams(
    Object.entries(series).flatMap(([key, value]) => (value ? [[key, value] as [string, string]] : [])),
  ).toString()

export const EVENT_SOURCES = Object.keys(SOURCES) as EventSource[]

export const nameOf = ({ job, build_number }: Pick<EventFacts['build'], 'job' | 'build_number'>) =>
  `${job || 'Build'}${build_number ? ` #${build_number}` : ''}`

export const releaseOf = ({ platform, version }: Pick<EventFacts['deployment'], 'platform' | 'version'>) =>
  [platform, version].filter(Boolean).join(' ')
