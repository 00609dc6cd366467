import { readTask, TaskInput } from '../contract/bodies.ts'
import { invalidParameter } from '../contract/errors.ts'
import { INTEGER_MAX } from '../contract/limits.ts'
import { EVERY_VERSION } from '../contract/routes/approval-defaults.ts'
import { NO_BUDGET } from '../contract/routes/measure-budgets.ts'
import type { ProjectRole } from '../contract/sets.ts'
import { storeOf, trackOf } from '../contract/spellings/stores.ts'
import { withPing } from '../domain/access/tokens.ts'
import { DEFAULT_STAGE } from '../domain/assets/approvals.ts'
import { levelOf } from '../domain/assets/levels.ts'
import { branchKey } from '../domain/branches/branch-names.ts'
import { streamsOf } from '../domain/branches/streams.ts'
import { inferDimensions } from '../domain/builds/job-dimensions.ts'
import { sent } from '../domain/builds/logs.ts'
import { byName } from '../domain/builds/measures.ts'
import { readSecret, requireRoom, requireWholeRule } from '../domain/channels/channels.ts'
import { sealConfig } from '../domain/integrations/config.ts'
import { buildTypeOf } from '../domain/integrations/context.ts'
import { mintToken, sealSecrets } from '../domain/integrations/integrations.ts'
import { hashOf, newToken, type Vault } from '../domain/privacy/secrets.ts'
import { secretOf } from '../domain/sending/destinations.ts'
import type { List, ValuesOf } from './fields.ts'
import type { Table } from './tables.ts'
import { type Found, idOf, memberOf, type Reference } from './values.ts'

/** The target of the current row. */
interface Target {
  id: number | string
  /** When the load started: the default for missing times. */
  now: string
  vault: Vault
  newUuid(): string
  put(table: Table, row: Record<string, unknown>): void
  /** Printed next to the row's id, once. */
  reveal(secret: Record<string, string>): void
  /** Prints the id of an entry within the row. */
  keyed(list: 'approvals', key: string, id: string): void
}

type Placing = Omit<Found, 'id'>

/** Lists whose entries are rows; a report of tests is recorded like an upload. */
export type Placed = Exclude<List, 'test_results'>

/** Roles in files from before project roles existed. */
const OF_ROLE: Partial<Record<string, ProjectRole>> = { owner: 'lead', member: 'approver' }

/**
 * Converts the file's values to table rows; a password arrives as its stored hash. The result can be read by rows that refer to this one.
 */
export const PLACES: { [L in Placed]: (values: ValuesOf<L>, to: Target) => Placing } = {
  accounts({ key, credits = 0, ...values }, to) {
    to.put('accounts', { id: to.id, credits, ...values, ...times(values) })
    return {}
  },

  users({ email, name, password, accounts = [], default_account, connected_accounts = [], ...rest }, to) {
    const account_ids = accounts.map(({ who }) => idOf(who))
    const chosen = default_account ? idOf(default_account) : account_ids[0]
    if (default_account && !account_ids.includes(chosen!))
      throw invalidParameter('default_account', 'must be one of the accounts of the user')
    to.put('users', { id: to.id, email, name, default_account_id: chosen, ...times(rest) })
    for (const { who, role } of accounts) to.put('account_members', { account_id: idOf(who), user_id: to.id, role })
    for (const connected of connected_accounts) to.put('connected_accounts', { user_id: to.id, ...connected })
    if (password !== undefined)
      to.put('logins', { user_id: to.id, provider_id: 'credential', provider_account_id: String(to.id), password })
    return { account_ids }
  },

  projects(
    {
      account,
      name,
      engine,
      status,
      members = [],
      approval_rules: given,
      measure_budgets: limits,
      path_owners,
      test_gate: gate,
      agent_prices,
      muted_agents = [],
      ...rest
    },
    to,
  ) {
    const account_id = idOf(account)
    const approval_rules = given?.map(({ stages, ...rule }) => ({
      ...EVERY_VERSION,
      ...rule,
      ...(stages && {
        stages: stages.map(({ name, project_role = 'approver', users = [], approvals = 1 }) => ({
          name,
          project_role,
          user_ids: users.map((user) => memberOf({ account_id }, user)),
          approvals,
        })),
      }),
    }))
    const measure_budgets = limits?.map((budget) => ({ ...NO_BUDGET, ...budget }))
    to.put('projects', {
      id: to.id,
      account_id,
      name,
      engine,
      status,
      approval_rules,
      measure_budgets,
      path_owners,
      test_gate: gate && { fails_on: gate.fails_on ?? null, jobs: gate.jobs ?? [] },
      agent_prices,
      ...times(rest),
    })
    for (const { who, role } of members)
      to.put('project_members', { account_id, project_id: to.id, user_id: idOf(who), project_role: OF_ROLE[role] ?? role })
    for (const { user, reason = '', ...mute } of muted_agents)
      to.put('agent_mutes', { account_id, project_id: to.id, user_id: user && memberOf({ account_id }, user), reason, ...mute })
    return { account_id, engine }
  },

  tokens({ user, name, scopes = [], created_via = 'admin', expires_at, revoked_at, created_at }, to) {
    const token = newToken()
    const kept = { prefix: token.slice(0, 8), hash: bytea(hashOf(token)) }
    to.put('api_tokens', {
      id: to.id,
      user_id: idOf(user),
      name,
      ...kept,
      scopes: withPing(scopes),
      created_via,
      expires_at,
      revoked_at,
      created_at,
    })
    to.reveal({ token })
    return {}
  },

  integrations(
    { project, provider, active, signing_secret = [], requires_signature, config, every_place, places = [], ...rest },
    to,
  ) {
    const { webhook_token, token_hash, token_sealed } = mintToken(to.vault, to.id as number)
    to.put('integrations', {
      id: to.id,
      ...ownerOf(project),
      provider,
      active,
      token_hash: bytea(token_hash),
      token_sealed,
      secrets_sealed: sealSecrets(to.vault, to.id as number, signing_secret),
      requires_signature,
      config: config && sealConfig(to.vault, to.id as number, config),
      every_place,
      ...times(rest),
    })
    for (const place of new Set(places))
      to.put('integration_places', { account_id: ownerOf(project).account_id, integration_id: to.id, place, confirmed: true })
    to.reveal({ webhook_token })
    return { project_id: idOf(project) }
  },

  channels({ account, kind, room = '', secret, rules = [], key, ...rest }, to) {
    requireRoom(kind, room)
    const account_id = idOf(account)
    const secret_sealed = to.vault.seal(readSecret(kind, secret), secretOf(to.id as number))
    to.put('destinations', { id: to.id, account_id, kind, room: room.trim(), secret_sealed, ...rest, ...times(rest) })
    for (const { project, ...rule } of rules) {
      requireWholeRule(rule)
      if (project.found!.account_id !== account_id) throw invalidParameter(project.path, 'must belong to the same account')
      to.put('channel_rules', { account_id, channel_id: to.id, project_id: idOf(project), ...rule })
    }
    return {}
  },

  changes({ key, project, user, source_type = 'GitCommit', timestamp, files, branches, ...rest }, to) {
    const owner = ownerOf(project)
    const arrived_at = timestamp ?? rest.created_at
    to.put('changes', {
      id: to.id,
      ...owner,
      ...rest,
      author_user_id: user && memberOf(owner, user),
      source_type,
      timestamp: arrived_at,
      files: files?.map(({ path, action = 'edit' }) => ({ path, action })),
      ...times(rest),
    })
    const { identifier } = rest
    const isNumbered = source_type === 'Changelist' && /^\d{1,15}$/.test(identifier)
    const names =
      branches ??
      (isNumbered
        ? streamsOf(
            (files ?? []).map(({ path }) => path),
            {},
          )
        : [])
    for (const branch of new Set(names.map(branchKey)))
      to.put('change_branches', {
        ...owner,
        branch,
        change_id: to.id,
        tool_position: isNumbered ? Number(identifier) : undefined,
        arrived_at,
      })
    return owner
  },

  build_runs({ key, project, integration, build_type, output_log, artifacts, measures, duration_seconds, ...rest }, to) {
    const inferred = inferDimensions({ job: rest.ci_job_name ?? '', branch: rest.branch ?? '', patterns: [] })
    to.put('build_runs', {
      id: to.id,
      ...ownerOf(project),
      ...rest,
      inferred_platform: inferred.platform,
      inferred_configuration: inferred.configuration,
      build_type: build_type ?? buildTypeOf(project.found!.engine),
      integration_id: within(project, integration),
      output_log: output_log && sent(output_log),
      measures: measures && byName(measures.map(({ unit = null, platform = null, ...one }) => ({ ...one, unit, platform }))),
      artifacts: artifacts?.map(({ name, size_bytes = null, url = '' }) => ({ name, size_bytes, url })),
      duration_seconds: duration_seconds ?? secondsBetween(rest.started_at, rest.finished_at),
      ...times(rest),
    })
    return ownerOf(project)
  },

  assets({ key, project, path = '', asset_type = 'document', last_change, approvals = [], previews, ...rest }, to) {
    const owner = ownerOf(project)
    const records = approvals.map(({ key, stage = DEFAULT_STAGE, type, approver, version = rest.version, ...approval }) => ({
      key,
      row: {
        id: to.newUuid(),
        ...owner,
        asset_id: to.id,
        asset_name: rest.name,
        asset_type,
        level: levelOf(path),
        ...approval,
        approval_stage: stage,
        approval_type: type,
        status: approval.status ?? 'pending',
        approver_user_id: approver && idOf(approver),
        asset_version: version,
        ...times(approval),
      },
    }))
    const age = ({ row }: (typeof records)[number]) => row.created_at ?? to.now
    const newest = records.reduce<(typeof records)[number] | undefined>(
      (best, record) => (best && age(best) > age(record) ? best : record),
      undefined,
    )
    const last_change_id = within(project, last_change)
    const approval_status = newest?.row.status ?? 'none'
    to.put('assets', { id: to.id, ...owner, ...rest, path, asset_type, approval_status, last_change_id, ...times(rest) })
    for (const { key, row } of records) {
      to.put('approvals', row)
      if (key !== undefined) to.keyed('approvals', key, row.id)
    }
    return owner
  },

  deployments({ key, project, integration, platform = 'custom', store = '', track = '', build_run, ...rest }, to) {
    to.put('deployments', {
      id: to.id,
      ...ownerOf(project),
      ...rest,
      platform,
      store: platform === 'custom' ? storeOf(store) : '',
      track: trackOf(platform, track),
      integration_id: within(project, integration),
      build_run_id: within(project, build_run),
      ...times(rest),
    })
    return ownerOf(project)
  },

  breakages({ key, project, builds, suspects = [], owner, state = 'open', evidence = [], ...rest }, to) {
    const { last_good_change, first_bad_change, fixed_by_change, opened_at, last_seen_at, fixed_at, bisection, ...values } = rest
    const breakage = ownerOf(project)
    const members = [...linked(project, builds)]
    const owner_user_id = owner && memberOf(breakage, owner)
    const occurrence = {
      ...breakage,
      suspects: suspects.map(({ change, user, score = 0, reasons = [], reason_codes }) => ({
        change_id: within(project, change),
        user_id: user ? memberOf(breakage, user) : null,
        score,
        reasons,
        reason_codes: reasons.map((_, at) => reason_codes?.[at] ?? 'other'),
      })),
      build_count: members.length,
      first_build_run_id: members[0],
      last_good_change_id: within(project, last_good_change),
      first_bad_change_id: within(project, first_bad_change),
      fixed_by_change_id: within(project, fixed_by_change),
      owner_user_id,
      claimed_at: owner_user_id && opened_at,
      fixed_at: state === 'fixed' ? (fixed_at ?? opened_at) : undefined,
      opened_at,
    }
    const isCounted = state !== 'withdrawn'
    to.put('breakages', {
      id: to.id,
      ...occurrence,
      ...values,
      branch: values.branch && branchKey(values.branch),
      state,
      fingerprint: `loaded:${to.id}`,
      evidence,
      occurrence: isCounted ? 1 : 0,
      last_build_run_id: members.at(-1),
      first_opened_at: opened_at,
      last_seen_at: last_seen_at ?? opened_at,
      updated_at: last_seen_at ?? opened_at,
    })
    if (isCounted) to.put('breakage_occurrences', { ...occurrence, breakage_id: to.id, number: 1, flickering: values.flaky })
    for (const build_run_id of members)
      to.put('breakage_builds', {
        account_id: breakage.account_id,
        breakage_id: to.id,
        build_run_id,
        occurrence: isCounted ? 1 : undefined,
      })
    to.put('breakage_history', { account_id: breakage.account_id, breakage_id: to.id, kind: 'opened', at: opened_at })
    if (bisection)
      to.put('bisections', {
        ...breakage,
        breakage_id: to.id,
        occurrence: 1,
        job: values.jobs?.[0] ?? '',
        branch: values.branch ?? '',
        status: bisection.status ?? 'running',
        suspects: bisection.changes.map((change) => ({ change_id: within(project, change), user_id: null, score: 0 })),
        failures: 1,
        found_change_id: within(project, bisection.found_change),
        probability: bisection.probability,
        reason: bisection.reason,
        user_id: bisection.user ? memberOf(breakage, bisection.user) : undefined,
        started_at: bisection.started_at ?? opened_at,
        finished_at: bisection.finished_at,
      })
    return breakage
  },

  corrections({ key, project, build_run, cleared_changes, user, ...given }, to) {
    const owner = ownerOf(project)
    to.put('corrections', {
      id: to.id,
      ...owner,
      ...given,
      build_run_id: within(project, build_run),
      cleared_change_ids: [...linked(project, cleared_changes)],
      user_id: user && memberOf(owner, user),
    })
    return owner
  },

  tasks({ key, project, user, links = {}, created_at, updated_at, ...given }, to) {
    const owner = ownerOf(project)
    const task = readTask(TaskInput, given)
    if (user && task.assignee_handle != null) throw invalidParameter('user', 'and assignee_handle cannot both be given')
    to.put('tasks', {
      id: to.id,
      ...owner,
      ...task,
      user_id: user && memberOf(owner, user),
      ...times({ created_at, updated_at }),
    })
    for (const change_id of linked(project, links.changes))
      to.put('task_changes', { account_id: owner.account_id, task_id: to.id, change_id })
    for (const build_run_id of linked(project, links.build_runs))
      to.put('task_build_runs', { account_id: owner.account_id, task_id: to.id, build_run_id })
    for (const deployment_id of linked(project, links.deployments))
      to.put('task_deployments', { account_id: owner.account_id, task_id: to.id, deployment_id })
    return owner
  },

  comments({ project, task, build_run, breakage, change, asset, deployment, asset_version, point, user, body, created_at }, to) {
    const owner = ownerOf(project)
    if ([task, build_run, breakage, change, asset, deployment].filter(Boolean).length !== 1)
      throw invalidParameter('a comment', 'must be on one task, build_run, breakage, change, asset or deployment')
    if (asset_version !== undefined && !asset) throw invalidParameter('asset_version', 'needs an asset')
    if (point && asset_version === undefined) throw invalidParameter('point', 'needs an asset_version')
    to.put('comments', {
      id: to.id,
      ...owner,
      task_id: within(project, task),
      build_run_id: within(project, build_run),
      breakage_id: within(project, breakage),
      change_id: within(project, change),
      asset_id: within(project, asset),
      deployment_id: within(project, deployment),
      asset_version,
      point_x: point?.x,
      point_y: point?.y,
      user_id: user && memberOf(owner, user),
      body,
      ...times({ created_at, updated_at: created_at }),
    })
    return owner
  },
}

const ownerOf = (project: Reference) => ({ account_id: project.found!.account_id!, project_id: idOf(project) })

/** Without an update time, the creation time counts. */
const times = ({ created_at, updated_at }: { created_at?: string; updated_at?: string }) => ({
  created_at,
  updated_at: updated_at ?? created_at,
})

/** A row may only refer to records of its own project: anything else would show one account's data to another. */
function within(project: Reference, reference: Reference | undefined): number | undefined {
  if (reference && reference.found!.project_id !== idOf(project))
    throw invalidParameter(reference.path, `${JSON.stringify(reference.raw)} belongs to another project`)
  return reference && idOf(reference)
}

const linked = (project: Reference, references: Reference[] = []) =>
  new Set(references.map((reference) => within(project, reference)!))

const secondsBetween = (from: string | undefined, to: string | undefined) =>
  from !== undefined && to !== undefined && to >= from
    ? Math.min(Math.floor((Date.parse(to) - Date.parse(from)) / 1000), INTEGER_MAX)
    : undefined

const bytea = (bytes: Buffer) => `\\x${bytes.toString('hex')}`
