import { CHANNEL_KINDS, RULE_SUBJECTS, type RuleSubject } from '../contract/channels.ts'
import { invalidParameter } from '../contract/errors.ts'
import {
  email,
  type Field,
  filled,
  flag,
  instant,
  integer,
  isObject,
  list as listOf,
  numberOr,
  oneOf,
  optional,
  point,
  type Reader,
  required,
  text,
  timezone,
  type Values,
} from '../contract/field-readers.ts'
import {
  AGENT_PRICES_MAX,
  APPROVAL_RULES_MAX,
  APPROVAL_STAGES_MAX,
  BRANCH_MAX,
  BUDGETS_MAX,
  CAUSE_MAX,
  CHANNEL_RULES_MAX,
  CLOCK,
  COMMENT_MAX,
  DAYS_MAX,
  IDENTIFIER_MAX,
  KEPT_BUILDS_MAX,
  MEASURE_MAX,
  PATH_OWNERS_MAX,
  PATTERN_MAX,
  PLACE_MAX,
  PREVIEW_MAX,
  SHARE_DAYS_MAX,
  STAGE_APPROVALS_MAX,
  STAGE_MAX,
  STAGE_PEOPLE_MAX,
  URL_MAX,
} from '../contract/limits.ts'
import * as sets from '../contract/sets.ts'
import { DIMENSION_MAX, MEASURE_NAME_MAX, MEASURE_UNIT_MAX, MEASURES_MAX } from '../contract/spellings/build-dimensions.ts'
import { TRACK_MAX } from '../contract/spellings/stores.ts'
import { TASK_FIELD_NAMES, type TaskField } from '../contract/task-fields.ts'
import { scrub } from '../domain/privacy/scrub.ts'
import { TEST_RESULTS } from './test-results.ts'
import { bytes, json, object, orNull, type Read, type Reading, reference, rolesOf } from './values.ts'

const key = optional(filled(200))
const times = { created_at: optional(instant), updated_at: optional(instant) }
const name = required(filled(255))
/** Columns that lists filter and join by are stored as they are shown. */
const shown =
  (read: Reader<string>): Reader<string> =>
  (path, value) =>
    scrub(read(path, value))
const short = optional(shown(text(IDENTIFIER_MAX)))
const moment = optional(instant)
/** Read with the rules of the REST body; the assignee is a reference here. */
const taskFields = Object.fromEntries(
  TASK_FIELD_NAMES.filter((field) => field !== 'user_id').map((field) => [field, optional((_, value) => value)]),
) as Record<Exclude<TaskField, 'user_id'>, Field<unknown, [], false>>

const secrets: Reader<string[]> = (path, value) =>
  Array.isArray(value) ? listOf(filled(1000))(path, value) : [filled(1000)(path, value)]

const approvalKey = optional<string, [Reading]>((path, value, reading) => {
  const given = filled(200)(path, value)
  reading.keys.push({ list: 'approvals', key: given })
  return given
})

const clock: Reader<string> = (path, value) => {
  const read = text(5)(path, value)
  if (!CLOCK.test(read)) throw invalidParameter(path, 'must be a time of day, such as 18:30')
  return read
}

const share: Reader<number> = (path, value) => {
  if (typeof value !== 'number' || !(value >= 0 && value <= 1)) throw invalidParameter(path, 'must be a number from 0 to 1')
  return value
}

const finite: Reader<number> = (path, value) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw invalidParameter(path, 'must be a number')
  return value
}

const amount: Reader<number> = (path, value) => {
  const number = finite(path, value)
  if (number < 0 || number > MEASURE_MAX) throw invalidParameter(path, 'must be a number from 0 to 1e15')
  return number
}

const suspectFields = object({
  change: required(reference('changes')),
  user: optional(reference('users')),
  score: optional(share),
  reasons: optional(listOf(filled(1000))),
  reason_codes: optional(listOf(oneOf(sets.SUSPECT_REASONS))),
})

/** Only a change, or with score and reasons. */
const suspect: typeof suspectFields = (path, value, reading) =>
  suspectFields(path, isObject(value) ? value : { change: value }, reading)

const bisection = object({
  status: optional(oneOf(sets.BISECTION_STATUSES)),
  changes: required(listOf(reference('changes'))),
  found_change: optional(reference('changes')),
  probability: optional(share),
  reason: optional(text()),
  user: optional(reference('users')),
  started_at: moment,
  finished_at: moment,
})
const links = (list: 'changes' | 'build_runs' | 'deployments') => optional(listOf(reference(list)))

const daysByKind = Object.fromEntries(sets.RETENTION_KINDS.map((kind) => [kind, optional(integer(1, DAYS_MAX))])) as Record<
  sets.RetentionKind,
  Field<number, [], false>
>

const FIELDS = {
  accounts: {
    key,
    name,
    plan: optional(oneOf(sets.PLANS)),
    timezone: optional(timezone),
    trial_ends_at: moment,
    payment_method: optional(flag),
    demo: optional(flag),
    credits: orNull(integer(0)),
    daily_limit: optional(integer(0)),
    members_see_projects: optional(flag),
    uses_language_model: optional(flag),
    token_days_max: optional(integer(1)),
    share_policy: optional(oneOf(sets.SHARE_POLICIES)),
    share_days_max: optional(integer(1, SHARE_DAYS_MAX)),
    share_anywhere: optional(flag),
    retention: optional(object({ ...daysByKind, artifact_builds: optional(integer(1, KEPT_BUILDS_MAX)) })),
    ...times,
  },
  users: {
    key,
    email: required(email),
    name,
    password: optional(filled(512)),
    accounts: optional(rolesOf('accounts', sets.ACCOUNT_ROLES)),
    default_account: optional(reference('accounts')),
    connected_accounts: optional(
      listOf(object({ provider: required(filled(100)), uid: required(numberOr(filled(IDENTIFIER_MAX))), ...times })),
    ),
    ...times,
  },
  projects: {
    key,
    account: required(reference('accounts')),
    name,
    engine: optional(text(100)),
    status: optional(oneOf(sets.PROJECT_STATUSES)),
    members: optional(rolesOf('users', [...sets.ROLES, ...sets.PROJECT_ROLES])),
    approval_rules: optional(
      listOf(
        object({
          path: optional(text(PATTERN_MAX)),
          asset_types: optional(listOf(oneOf(sets.ASSET_TYPES))),
          branch: optional(text(PATTERN_MAX)),
          author: optional(text(PATTERN_MAX)),
          larger_than: optional(integer(0, Number.MAX_SAFE_INTEGER)),
          author_roles: optional(listOf(oneOf(sets.ACCOUNT_ROLES))),
          gate: optional(flag),
          stages: optional(
            listOf(
              object({
                name: required(filled(STAGE_MAX)),
                project_role: optional(oneOf(sets.DECIDING_ROLES)),
                users: optional(listOf(reference('users'), 0, STAGE_PEOPLE_MAX)),
                approvals: optional(integer(1, STAGE_APPROVALS_MAX)),
              }),
              0,
              APPROVAL_STAGES_MAX,
            ),
          ),
        }),
        0,
        APPROVAL_RULES_MAX,
      ),
    ),
    path_owners: optional(text(PATH_OWNERS_MAX)),
    test_gate: optional(
      object({
        fails_on: optional(oneOf(sets.TEST_GATES)),
        jobs: optional(
          listOf(object({ pattern: required(filled(PATTERN_MAX)), fails_on: required(oneOf(sets.TEST_GATES)) }), 0, 100),
        ),
      }),
    ),
    agent_prices: optional(
      object({
        currency: required(filled(3)),
        prices: required(
          listOf(object({ agent: required(filled(PATTERN_MAX)), per_hour: required(amount) }), 1, AGENT_PRICES_MAX),
        ),
      }),
    ),
    muted_agents: optional(
      listOf(
        object({
          agent: required(shown(filled(DIMENSION_MAX))),
          reason: optional(text(CAUSE_MAX)),
          muted_until: moment,
          user: optional(reference('users')),
          muted_at: moment,
        }),
      ),
    ),
    measure_budgets: optional(
      listOf(
        object({
          measure: required(filled(PATTERN_MAX)),
          job: optional(text(PATTERN_MAX)),
          branch: optional(text(BRANCH_MAX)),
          platform: optional(text(PATTERN_MAX)),
          configuration: optional(text(PATTERN_MAX)),
          unit: optional(text(MEASURE_UNIT_MAX)),
          max_value: optional(amount),
          max_growth: optional(amount),
          store: optional(text(PATTERN_MAX)),
          track: optional(text(PATTERN_MAX)),
        }),
        0,
        BUDGETS_MAX,
      ),
    ),
    ...times,
  },
  tokens: {
    key,
    user: required(reference('users')),
    name,
    scopes: optional(listOf(oneOf(sets.SCOPES))),
    created_via: optional(oneOf(sets.TOKEN_ORIGINS)),
    expires_at: moment,
    revoked_at: moment,
    ...times,
  },
  integrations: {
    key,
    project: required(reference('projects')),
    provider: required(oneOf(sets.PROVIDERS)),
    active: optional(flag),
    signing_secret: optional(secrets),
    requires_signature: optional(flag),
    config: optional(json),
    every_place: optional(flag),
    places: optional(listOf(text(PLACE_MAX))),
    ...times,
  },
  channels: {
    key,
    account: required(reference('accounts')),
    kind: required(oneOf(CHANNEL_KINDS)),
    name,
    room: optional(text(100)),
    secret: required(filled(URL_MAX)),
    status: optional(oneOf(['active', 'paused'])),
    rules: optional(
      listOf(
        object({
          project: required(reference('projects')),
          subject: required(oneOf(Object.keys(RULE_SUBJECTS) as RuleSubject[])),
          branch: optional(text(PATTERN_MAX)),
          job: optional(text(PATTERN_MAX)),
          category: optional(oneOf(sets.FAILURE_CATEGORIES)),
          hours: optional(integer(1, 2_000)),
          here: optional(flag),
          quiet_from: optional(clock),
          quiet_until: optional(clock),
        }),
        0,
        CHANNEL_RULES_MAX,
      ),
    ),
    ...times,
  },
  changes: {
    key,
    project: required(reference('projects')),
    identifier: required(shown(numberOr(filled(IDENTIFIER_MAX)))),
    source_type: optional(oneOf(sets.SOURCE_TYPES)),
    author: optional(text(1000)),
    user: optional(reference('users')),
    description: optional(text()),
    timestamp: moment,
    orphaned_at: moment,
    files: optional(listOf(object({ path: required(filled(4096)), action: optional(text(100)) }))),
    branches: optional(listOf(filled(500))),
    url: optional(text(URL_MAX)),
    file_url: optional(text(URL_MAX)),
    ...times,
  },
  build_runs: {
    key,
    project: required(reference('projects')),
    integration: optional(reference('integrations')),
    status: optional(oneOf(sets.BUILD_STATUSES)),
    build_type: optional(oneOf(sets.BUILD_TYPES)),
    target_type: optional(oneOf(sets.TARGET_TYPES)),
    ci_job_name: short,
    build_number: optional(shown(numberOr(text(IDENTIFIER_MAX)))),
    commit_hash: short,
    changelist: optional(shown(numberOr(text(IDENTIFIER_MAX)))),
    branch: short,
    kind: optional(oneOf(sets.BUILD_KINDS)),
    shelf: optional(shown(numberOr(text(IDENTIFIER_MAX)))),
    pull_request: optional(shown(numberOr(text(IDENTIFIER_MAX)))),
    head_repository: short,
    target_branch: short,
    url: optional(text(URL_MAX)),
    phase: short,
    platform: optional(shown(text(DIMENSION_MAX))),
    configuration: optional(shown(text(DIMENSION_MAX))),
    agent: optional(shown(text(DIMENSION_MAX))),
    measures: optional(
      listOf(
        object({
          name: required(filled(MEASURE_NAME_MAX)),
          value: required(finite),
          unit: optional(text(MEASURE_UNIT_MAX)),
          platform: optional(text(DIMENSION_MAX)),
        }),
        0,
        MEASURES_MAX,
      ),
    ),
    duration_seconds: optional(integer(0)),
    started_at: moment,
    finished_at: moment,
    output_log: optional(text()),
    artifacts: optional(
      listOf(
        object({
          name: required(filled(4096)),
          size_bytes: optional(integer(0, Number.MAX_SAFE_INTEGER)),
          url: optional(text(4096)),
        }),
      ),
    ),
    ...times,
  },
  test_results: TEST_RESULTS,
  assets: {
    key,
    project: required(reference('projects')),
    name: required(filled(1000)),
    path: optional(text(2000)),
    asset_type: optional(oneOf(sets.ASSET_TYPES)),
    version: optional(integer(1)),
    size_bytes: optional(integer(0, Number.MAX_SAFE_INTEGER)),
    last_change: optional(reference('changes')),
    approvals: optional(
      listOf(
        object({
          key: approvalKey,
          status: optional(oneOf(sets.APPROVAL_STATUSES)),
          stage: optional(shown(filled(100))),
          type: optional(filled(100)),
          commit_sha: optional(shown(numberOr(text(IDENTIFIER_MAX)))),
          version: optional(integer(1)),
          comments: optional(text()),
          approver: optional(reference('users')),
          decided_at: moment,
          ...times,
        }),
      ),
    ),
    previews: optional(listOf(object({ version: optional(integer(1)), file: required(bytes(PREVIEW_MAX)) }))),
    ...times,
  },
  deployments: {
    key,
    project: required(reference('projects')),
    integration: optional(reference('integrations')),
    platform: optional(oneOf(sets.PLATFORMS)),
    store: optional(shown(text(60))),
    track: optional(shown(text(TRACK_MAX))),
    status: optional(oneOf(sets.DEPLOYMENT_STATUSES)),
    branch: short,
    version: short,
    external_id: optional(shown(numberOr(text(IDENTIFIER_MAX)))),
    external_build_id: optional(shown(numberOr(text(IDENTIFIER_MAX)))),
    build_run: optional(reference('build_runs')),
    submitted_at: moment,
    deployed_at: moment,
    live_at: moment,
    ...times,
  },
  breakages: {
    key,
    project: required(reference('projects')),
    builds: required(listOf(reference('build_runs'))),
    jobs: optional(listOf(filled(IDENTIFIER_MAX))),
    platforms: optional(listOf(filled(DIMENSION_MAX))),
    state: optional(oneOf(sets.BREAKAGE_STATES)),
    flaky: optional(flag),
    branch: short,
    category: optional(oneOf(sets.FAILURE_CATEGORIES)),
    confidence: optional(oneOf(sets.CONFIDENCES)),
    cause: optional(text()),
    suggested_fix: optional(text()),
    evidence: optional(listOf(object({ line: required(integer(1)), text: required(text()) }))),
    suspects: optional(listOf(suspect)),
    last_good_change: optional(reference('changes')),
    first_bad_change: optional(reference('changes')),
    owner: optional(reference('users')),
    muted_until: moment,
    fixed_by_change: optional(reference('changes')),
    fixed_at: moment,
    opened_at: required(instant),
    last_seen_at: moment,
    bisection: optional(bisection),
  },
  corrections: {
    key,
    project: required(reference('projects')),
    build_run: optional(reference('build_runs')),
    line: optional(integer(1)),
    line_text: optional(text()),
    category: optional(oneOf(sets.CORRECT_CATEGORIES)),
    cause: optional(filled(CAUSE_MAX)),
    cleared_changes: links('changes'),
    user: optional(reference('users')),
    corrected_at: moment,
  },
  tasks: {
    key,
    project: required(reference('projects')),
    ...taskFields,
    user: optional(reference('users')),
    links: optional(object({ changes: links('changes'), build_runs: links('build_runs'), deployments: links('deployments') })),
    ...times,
  },
  comments: {
    key,
    project: required(reference('projects')),
    task: optional(reference('tasks')),
    build_run: optional(reference('build_runs')),
    breakage: optional(reference('breakages')),
    change: optional(reference('changes')),
    asset: optional(reference('assets')),
    deployment: optional(reference('deployments')),
    asset_version: optional(integer(1)),
    point: optional(point),
    user: optional(reference('users')),
    body: required(filled(COMMENT_MAX)),
    created_at: moment,
  },
} satisfies Record<string, Record<string, Field<unknown, [Reading]>>>

export type List = keyof typeof FIELDS
export type ValuesOf<L extends List> = Values<(typeof FIELDS)[L]>

/** In an order without forward references. */
export const LISTS = Object.keys(FIELDS) as List[]

export interface Row<L extends List = List> extends Reading {
  /** For messages: `tasks[3] (k1)`. */
  where: string
  index: number
  key: string | undefined
  values: ValuesOf<L>
}

const READERS = Object.fromEntries(LISTS.map((list) => [list, object(FIELDS[list])])) as {
  [L in List]: Read<ValuesOf<L>>
}

export function readRow<L extends List>(list: L, index: number, value: Record<string, unknown>): Row<L> {
  const where = `${list}[${index}]${typeof value.key === 'string' ? ` (${value.key.slice(0, 80).replace(/\s+/g, ' ')})` : ''}`
  const reading: Reading = { references: [], keys: [] }
  try {
    const values = READERS[list]('', value, reading)
    return { ...reading, where, index, key: values.key as string | undefined, values }
  } catch (error) {
    throw new Error(`${where}: ${(error as Error).message}`)
  }
}
