import * as sets from '../contract/sets.ts'
import { isTimezone } from '../domain/accounts/accounts.ts'
import { isEmail } from '../domain/accounts/users.ts'
import { scrub } from '../domain/privacy/scrub.ts'
import {
  type Fields,
  flag,
  instant,
  integer,
  json,
  listOf,
  object,
  oneOf,
  optional,
  orNull,
  type Read,
  type Reading,
  reference,
  refuse,
  required,
  rolesOf,
  text,
  textOrNumber,
  type Values,
} from './values.ts'

const key = optional(text(200, 1))
const times = { created_at: optional(instant), updated_at: optional(instant) }
const name = required(text(255, 1))
/** What lists filter and join by is stored as it is shown. */
const shown =
  (read: Read<string>): Read<string> =>
  (path, value, reading) =>
    scrub(read(path, value, reading))
/** Short enough for every index that holds it beside others. */
const short = optional(shown(text(500)))
const moment = optional(instant)
/** Read by the rules of the REST body. */
const asGiven = optional<unknown>((_, value) => value)

const timezone: Read<string> = (path, value) => {
  if (typeof value !== 'string' || !isTimezone(value)) throw refuse(path, 'must be a time zone such as America/New_York')
  return value
}

/** Stored in lower case, as signing in looks it up. */
const email: Read<string> = (path, value, reading) => {
  const address = text(320)(path, value, reading).trim().toLowerCase()
  if (!isEmail(address)) throw refuse(path, 'must be an e-mail address')
  return address
}

const secrets: Read<string[]> = (path, value, reading) =>
  Array.isArray(value) ? listOf(text(1000, 1))(path, value, reading) : [text(1000, 1)(path, value, reading)]

const approvalKey = optional<string>((path, value, reading) => {
  const given = text(200, 1)(path, value, reading)
  reading.keys.push({ list: 'approvals', key: given })
  return given
})

const links = (list: 'changes' | 'build_runs' | 'deployments') => optional(listOf(reference(list)))

export const FIELDS = {
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
    ...times,
  },
  users: {
    key,
    email: required(email),
    name,
    password: optional(text(512, 1)),
    accounts: optional(rolesOf('accounts', sets.ROLES)),
    default_account: optional(reference('accounts')),
    connected_accounts: optional(
      listOf(object({ provider: required(text(100, 1)), uid: required(textOrNumber(500, 1)), ...times })),
    ),
    ...times,
  },
  projects: {
    key,
    account: required(reference('accounts')),
    name,
    engine: optional(text(100)),
    status: optional(oneOf(sets.PROJECT_STATUSES)),
    members: optional(rolesOf('users', sets.ROLES)),
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
    config: optional(json),
    ...times,
  },
  changes: {
    key,
    project: required(reference('projects')),
    identifier: required(shown(textOrNumber(500, 1))),
    source_type: optional(oneOf(sets.SOURCE_TYPES)),
    author: optional(text(1000)),
    user: optional(reference('users')),
    description: optional(text()),
    timestamp: moment,
    orphaned_at: moment,
    files: optional(listOf(object({ path: required(text(4096, 1)), action: optional(text(100)) }))),
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
    build_number: optional(shown(textOrNumber(500))),
    commit_hash: short,
    changelist: optional(shown(textOrNumber(500))),
    branch: short,
    phase: short,
    duration_seconds: optional(integer(0)),
    started_at: moment,
    finished_at: moment,
    output_log: optional(text()),
    artifacts: optional(
      listOf(
        object({
          name: required(text(4096, 1)),
          size_bytes: optional(integer(0, Number.MAX_SAFE_INTEGER)),
          url: optional(text(4096)),
        }),
      ),
    ),
    ...times,
  },
  assets: {
    key,
    project: required(reference('projects')),
    name: required(text(1000, 1)),
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
          stage: optional(shown(text(100, 1))),
          type: optional(text(100, 1)),
          commit_sha: optional(shown(textOrNumber(500))),
          comments: optional(text()),
          approver: optional(reference('users')),
          decided_at: moment,
          ...times,
        }),
      ),
    ),
    ...times,
  },
  deployments: {
    key,
    project: required(reference('projects')),
    integration: optional(reference('integrations')),
    platform: optional(oneOf(sets.PLATFORMS)),
    status: optional(oneOf(sets.DEPLOYMENT_STATUSES)),
    branch: short,
    version: short,
    external_id: optional(shown(textOrNumber(500))),
    external_build_id: optional(shown(textOrNumber(500))),
    build_run: optional(reference('build_runs')),
    submitted_at: moment,
    deployed_at: moment,
    live_at: moment,
    ...times,
  },
  tasks: {
    key,
    project: required(reference('projects')),
    title: asGiven,
    description: asGiven,
    state: asGiven,
    task_type: asGiven,
    priority: asGiven,
    assignee_handle: asGiven,
    user: optional(reference('users')),
    labels: asGiven,
    metadata: asGiven,
    links: optional(object({ changes: links('changes'), build_runs: links('build_runs'), deployments: links('deployments') })),
    ...times,
  },
} satisfies Record<string, Fields>

export type List = keyof typeof FIELDS
export type ValuesOf<L extends List> = Values<(typeof FIELDS)[L]>

/** In an order in which nothing refers to what comes later. */
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
