import { type EventFacts, type EventSource, type EventType, isEveryState, rowOf } from '../contract/events.ts'

/** The table of an event source. In its expressions the row is named `s`. */
export interface SourceTable<S extends EventSource = EventSource> {
  table: string
  /** The time of the event. */
  at: string
  /** The order of simultaneous events, and the id of the record's page. */
  key: { column: 'id' | 'number' | 'asset_id'; type: 'bigint' | 'uuid' }
  /** What the outbox calls the row, if it has no id of its own. */
  row?: string
  /** The column of its state. */
  state?: string
  /** Its index begins with the state: each one is read by itself. */
  byState?: true
  /** The person it belongs to, if any: with an index by account, person and time. */
  person?: string
  /** Rows that are not events are left out. */
  where?: string
  /** Written by the hundred in one statement: one trigger per statement, not per row. */
  bulk?: true
  /** For rows without their own project column. */
  project?: string
  /** All as text, so that rows of several tables can be merged. */
  facts: Record<Exclude<keyof EventFacts[S], 'id' | 'state' | `found_${string}`>, string>
}

export const SOURCE_TABLES: { [S in EventSource]: SourceTable<S> } = {
  approval: {
    table: 'approvals',
    at: 'happened_at',
    key: { column: 'id', type: 'uuid' },
    state: 'status',
    person: 'approver_user_id',
    bulk: true,
    facts: {
      asset_id: 's.asset_id::text',
      // For rows from before the name was stored with them.
      asset_name: 'coalesce(s.asset_name, (select a.name from assets a where a.account_id = s.account_id and a.id = s.asset_id))',
      stage: 's.approval_stage',
      version: 's.asset_version::text',
      approver: 's.approver_user_id::text',
    },
  },
  breakage: {
    table: 'breakages',
    at: 'updated_at',
    key: { column: 'id', type: 'bigint' },
    state: 'state',
    facts: {
      branch: 's.branch',
      cause: 'left(s.cause, 300)',
      category: 's.category',
      jobs: "left(array_to_string(s.jobs, ', '), 300)",
      build_count: 's.build_count::text',
      owner: 's.owner_user_id::text',
      occurrence: 's.occurrence::text',
      suspect: `(select c.display_identifier from changes c
        where c.account_id = s.account_id and c.id = (named_suspect(s.suspects) ->> 'change_id')::bigint)`,
      said_by: "nullif(current_setting('goldmaster.said_by', true), '')",
    },
  },
  build: {
    table: 'build_runs',
    at: 'happened_at',
    key: { column: 'id', type: 'bigint' },
    state: 'status',
    byState: true,
    facts: {
      job: 's.ci_job_name',
      build_number: 's.build_number',
      seconds: 's.duration_seconds::text',
      phase: 's.phase',
      fixed_build: 's.fixed_build_run_id::text',
      lost: '(s.lost_at is not null)::text',
    },
  },
  change: {
    table: 'changes',
    at: 'timestamp',
    key: { column: 'id', type: 'bigint' },
    person: 'author_user_id',
    where: 's.orphaned_at is null',
    bulk: true,
    facts: {
      author: 's.author',
      identifier: 's.display_identifier',
      description: 'left(s.description, 300)',
      asset_count: 's.asset_count::text',
    },
  },
  comment: {
    table: 'comments',
    at: 'updated_at',
    key: { column: 'id', type: 'bigint' },
    facts: {
      subject: 's.subject',
      subject_id: 's.subject_id',
      author: 's.user_id::text',
      deleted: '(s.deleted_at is not null)::text',
    },
  },
  deployment: {
    table: 'deployments',
    at: 'created_at',
    key: { column: 'number', type: 'bigint' },
    state: 'status',
    facts: {
      platform: "coalesce(nullif(s.store, ''), s.platform)",
      version: 's.version',
      branch: 's.branch',
      track: "nullif(s.track, '')",
      uploaded: '(s.deployed_at is not null)::text',
    },
  },
  investigation: {
    table: 'investigations',
    at: 'finished_at',
    key: { column: 'id', type: 'bigint' },
    state: 'status',
    project: '(select b.project_id from build_runs b where b.account_id = s.account_id and b.id = s.build_run_id)',
    facts: {
      build_run_id: 's.build_run_id::text',
      diagnosis: 'left(s.diagnosis, 300)',
      category: 's.category',
      confidence: 's.confidence',
      suspect: `(select c.display_identifier from changes c
        where c.account_id = s.account_id and c.id = (named_suspect(s.suspects) ->> 'change_id')::bigint)`,
    },
  },
  measure_alert: {
    table: 'measure_alerts',
    at: 'updated_at',
    key: { column: 'id', type: 'bigint' },
    state: 'state',
    facts: {
      kind: 's.kind',
      name: 's.measure',
      measure_platform: "nullif(s.platform, '')",
      measure_configuration: "nullif(s.configuration, '')",
      unit: 's.unit',
      job: 's.job',
      branch: 's.branch',
      value: 's.value::text',
      allowed: 's.allowed::text',
    },
  },
  preview: {
    table: 'previews',
    at: 'updated_at',
    key: { column: 'asset_id', type: 'uuid' },
    row: 's.asset_id',
    state: 'state',
    facts: {
      asset_name: '(select a.name from assets a where a.account_id = s.account_id and a.id = s.asset_id)',
      version: 's.version::text',
    },
  },
  task: {
    table: 'tasks',
    at: 'updated_at',
    person: 'user_id',
    key: { column: 'id', type: 'bigint' },
    state: 'state',
    where: 's.deleted_at is null',
    facts: {
      title: 's.title',
      assignee_handle: 's.assignee_handle',
      assignee: 's.user_id::text',
      creator: 's.created_by_user_id::text',
    },
  },
}

/** The same for rows that are read state by state: a condition for each. */
export function conditionsOf(types: readonly EventType[]): string[] {
  const { source } = rowOf(types[0]!)
  const { state, byState } = SOURCE_TABLES[source]
  if (!byState) return [conditionOf(types)]
  return types.flatMap((type) => rowOf(type).states ?? []).map((value) => `s.${state} = '${value}'`)
}

const listOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ')

/** The rows of a source that are events of these types: literals in the statement, so that PostgreSQL can choose a partial index. */
export function conditionOf(types: readonly EventType[], row = 's'): string {
  const { source } = rowOf(types[0]!)
  const { state, where } = SOURCE_TABLES[source]
  const states = types.flatMap((type) => rowOf(type).states ?? [])
  const isAny = states.length === 0 || isEveryState(source, states)
  const conditions = [where?.replaceAll('s.', `${row}.`), isAny ? undefined : `${row}.${state} in (${listOf(states)})`]
  return conditions.filter(Boolean).join(' and ') || 'true'
}
