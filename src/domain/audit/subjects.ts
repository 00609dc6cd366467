import type { DeclaredName } from '../../contract/app/routes.ts'
import { readId } from '../../contract/params.ts'
import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import { ANY_ACCOUNT } from '../accounts/every-account.ts'

/** The ids in a path, and the id of a created record. */
export type Ids = Record<string, string | undefined>

export interface Subject {
  kind: string
  /** The name of the id in the path. */
  id: string
  /** The columns recorded before and after; no secrets, no names or addresses of people. */
  columns: string
  table: string
  where: (ids: Ids) => Sql
  /** Each request writes it anew: its entry has all values, also those that are the same as before. */
  isReplaced?: true
}

/** Ids of all widths; an invalid id matches nothing. */
const numberIn = (ids: Ids, name: string) => sql`${readId(ids[name] ?? '') ?? null}::bigint`
const uuidIn = (ids: Ids, name: string) => (/^[0-9a-f-]{36}$/i.test(ids[name] ?? '') ? ids[name]! : null)

const byId = (table: string, columns: string, kind: string, id = 'id'): Subject => ({
  kind,
  id,
  columns,
  table,
  where: (ids) => sql`id = ${numberIn(ids, id)}`,
})

/** A record of an account, whose key begins with it: that of the request, or for an operator any. */
const recordById = (table: string, columns: string, kind: string): Subject => ({
  ...byId(table, columns, kind),
  where: (ids) =>
    sql`account_id = ${ids.account_id === undefined ? ANY_ACCOUNT : numberIn(ids, 'account_id')} and id = ${numberIn(ids, 'id')}`,
})

const account = byId(
  'accounts',
  'name, plan, timezone, trial_ends_at, payment_method, demo, members_see_projects, uses_language_model, token_days_max, allowed_addresses, requires_second_factor, share_policy, share_days_max, share_anywhere, retention, credits, daily_limit',
  'account',
  'account_id',
)
const accountMember: Subject = {
  kind: 'member',
  id: 'user_id',
  table: 'account_members',
  columns: 'role',
  where: (ids) => sql`account_id = ${numberIn(ids, 'account_id')} and user_id = ${numberIn(ids, 'user_id')}`,
}
const PROJECT =
  'name, engine, status, approval_rules, measure_budgets, required_jobs, job_patterns, path_owners, test_gate, agent_prices, investigates_failures, bisect_builds_per_day, assignment, badge_key is not null as badge'
const project = byId('projects', PROJECT, 'project', 'project_id')
const projectMember: Subject = {
  kind: 'project_member',
  id: 'user_id',
  table: 'project_members',
  columns: 'project_role',
  where: (ids) =>
    sql`account_id = ${ids.account_id === undefined ? ANY_ACCOUNT : numberIn(ids, 'account_id')} and project_id = ${numberIn(ids, 'project_id')}
      and user_id = ${numberIn(ids, 'user_id')}`,
}
const user = byId('users', 'operator, email_verified', 'user', 'user_id')
const invitation = recordById('invitations', 'role, project_ids, expires_at', 'invitation')
const token = byId('api_tokens', 'prefix, scopes, account_id, project_ids, barred_account_ids, expires_at, revoked_at', 'token')
const ugsToken = recordById('ugs_tokens', 'prefix, revoked_at', 'ugs_token')
const integration = byId(
  'integrations',
  `provider, active, requires_signature, cardinality(secrets_sealed) as secrets, write_back, every_place,
    (select array_agg(place order by place) from integration_places p where p.account_id = integrations.account_id and p.integration_id = integrations.id
      and p.confirmed) as places`,
  'integration',
)
const channel = recordById('destinations', 'kind, room, status', 'channel')
const webhook = recordById('destinations', "split_part(url, '/', 3) as host, status, event_types", 'webhook')
const failureRule: Subject = {
  kind: 'failure_rule',
  id: 'rule_id',
  table: 'failure_rules',
  columns: 'definition',
  where: (ids) => sql`account_id = ${numberIn(ids, 'account_id')} and rule_id = ${ids.rule_id ?? ids.id ?? null}`,
}
const singleSignOn: Subject = {
  kind: 'single_sign_on',
  id: 'account_id',
  table: 'sso_connections',
  columns: 'issuer, client_id, trusts_email, groups_claim, role_groups, default_role, required',
  where: (ids) => sql`account_id = ${numberIn(ids, 'account_id')}`,
}
const auditStream: Subject = {
  kind: 'audit_stream',
  id: 'account_id',
  table: 'destinations',
  columns:
    "split_part(url, '/', 1) || '//' || split_part(split_part(url, '/', 3), '?', 1) as address, secret_sealed <> '' as authenticates",
  where: (ids) => sql`account_id = ${numberIn(ids, 'account_id')} and kind = 'audit_stream'`,
}
const exported = recordById('exports', 'project_id, secrets', 'export')
const asset: Subject = {
  kind: 'asset',
  id: 'asset_id',
  table: 'assets',
  columns: 'approval_status, version',
  where: (ids) => sql`account_id = ${numberIn(ids, 'account_id')} and id = ${uuidIn(ids, 'asset_id')}::uuid`,
}
const preview: Subject = {
  kind: 'preview',
  id: 'asset_id',
  table: 'previews',
  columns: 'version, state, kind, source',
  isReplaced: true,
  where: (ids) =>
    sql`account_id = ${numberIn(ids, 'account_id')} and asset_id = ${uuidIn(ids, 'asset_id')}::uuid and version = ${numberIn(ids, 'version')}`,
}
/** By its id or its number. */
const deployment: Subject = {
  kind: 'deployment',
  id: 'id',
  table: 'deployments',
  columns: 'status, build_run_id',
  where: (ids) =>
    sql`account_id = ${numberIn(ids, 'account_id')} and (id = ${uuidIn(ids, 'id')}::uuid or number = ${numberIn(ids, 'id')})`,
}
const breakage = recordById('breakages', 'state, owner_user_id, muted_until, fixed_by_change_id', 'breakage')
/** The id of a correction's build is in the reply. */
const build: Subject = {
  ...recordById('build_runs', 'status', 'build_run'),
  id: 'build_run_id',
  where: (ids) => sql`account_id = ${numberIn(ids, 'account_id')} and id = ${numberIn(ids, 'build_run_id')}`,
}
const testQuarantine: Subject = {
  kind: 'test',
  id: 'id',
  table: 'test_quarantines',
  columns: 'until, owner_user_id',
  where: (ids) => sql`account_id = ${numberIn(ids, 'account_id')} and test_case_id = ${numberIn(ids, 'id')}`,
}
const comment = recordById('comments', 'subject, subject_id, user_id, deleted_at, resolved_at', 'comment')
const task = recordById('tasks', 'state, priority, user_id, task_type', 'task')

/** What each route changes; routes that are not listed are recorded without before and after. */
const SUBJECTS: Partial<Record<DeclaredName, Subject>> = {
  editAccount: account,
  editAccountSecurity: account,
  editBilling: account,
  editAccountMember: accountMember,
  removeAccountMember: accountMember,
  createProject: { ...project, id: 'id', where: (ids) => sql`id = ${numberIn(ids, 'id')}` },
  deleteProject: {
    ...project,
    id: 'id',
    where: (ids) => sql`id = ${numberIn(ids, 'id')} and account_id = ${numberIn(ids, 'account_id')} and deleted_at is null`,
  },
  editProject: project,
  setApprovalRules: project,
  setMeasureBudgets: project,
  setProjectMember: projectMember,
  removeProjectMember: projectMember,
  invite: invitation,
  withdrawInvitation: invitation,
  createToken: token,
  revokeToken: token,
  revokeAccountToken: token,
  createUgsToken: ugsToken,
  revokeUgsToken: ugsToken,
  createIntegration: integration,
  editIntegration: integration,
  switchWriteBack: integration,
  setPlaces: integration,
  rotateIntegrationToken: integration,
  deleteIntegration: integration,
  createChannel: channel,
  editChannel: channel,
  removeChannel: channel,
  createWebhook: webhook,
  editWebhook: webhook,
  removeWebhook: webhook,
  rotateWebhookSecret: webhook,
  createFailureRule: failureRule,
  editFailureRule: failureRule,
  removeFailureRule: failureRule,
  setSingleSignOn: singleSignOn,
  removeSingleSignOn: singleSignOn,
  setAuditStream: auditStream,
  removeAuditStream: auditStream,
  exportAccount: exported,
  exportProject: exported,
  decideAsset: asset,
  editBreakage: breakage,
  editTest: testQuarantine,
  investigateBuild: build,
  correctBuild: build,
  undoCorrection: build,
  actOnBuild: build,
  createShareLink: build,
  revokeShareLink: build,
  startBisection: breakage,
  cancelBisection: breakage,
  editDeployment: deployment,
  createComment: comment,
  createTaskComment: comment,
  createBuildComment: comment,
  createBreakageComment: comment,
  createChangeComment: comment,
  createAssetComment: comment,
  createDeploymentComment: comment,
  editComment: comment,
  deleteComment: comment,
  resolveComment: comment,
  attachToComment: comment,
  uploadPreview: preview,
  createTask: task,
  createBreakageTask: task,
  editTask: task,
}

interface Several {
  /** Absent if they are about the one record of the path, which needs no ids. */
  subject?: string
  /** The body field with the ids, or with the name of one; the route limits their number. */
  ids?: string
  /** The values recorded from the body: no texts. */
  set?: (body: Record<string, unknown>) => object
}

const TASK_FIELDS = task.columns.split(', ')
const among = (fields: readonly string[], said: unknown) =>
  Object.fromEntries(Object.entries(said ?? {}).filter(([name]) => fields.includes(name)))

/** Routes whose entry is read off the body: they change several records alike, named in one entry, or ask another service. */
const SEVERAL: Partial<Record<DeclaredName, Several>> = {
  editTasks: { subject: 'tasks', ids: 'ids', set: ({ task }) => among(TASK_FIELDS, task) },
  deleteTasks: { subject: 'tasks', ids: 'ids' },
  restoreTasks: { subject: 'tasks', ids: 'ids' },
  markBranchGood: { subject: 'branches', ids: 'branch', set: (body) => among(['change', 'good'], body) },
  muteAgent: { subject: 'agents', ids: 'agent', set: (body) => among(['muted', 'muted_until'], body) },
  // Of parameters only the names: a value could be anything.
  actOnBuild: {
    set: ({ action, parameters }) => ({
      action,
      ...(Array.isArray(parameters) && { parameters: parameters.map((one) => String(one).split('=', 1)[0]) }),
    }),
  },
  undoDecisions: { subject: 'assets', ids: 'asset_ids', set: ({ levels }) => levelsIn(levels) },
  decideAssets: {
    subject: 'assets',
    ids: 'asset_ids',
    set: ({ levels, ...body }) => ({ ...among(['status'], body), ...levelsIn(levels) }),
  },
}

/** The names of levels, whose files are decided together: alone, or with the time at which they were seen. */
function levelsIn(given: unknown): { levels?: string[] } {
  const levels = Array.isArray(given) ? given.map((one) => String((one as { level?: string }).level ?? one)) : []
  return levels.length > 0 ? { levels } : {}
}

/** The entry of such a request; undefined for any other. */
export function severalOf(
  name: string,
  body: unknown,
  answer: unknown,
): { subject?: string; before: null; after: object } | undefined {
  const several = SEVERAL[name as DeclaredName]
  if (!several) return undefined
  const said = body as Record<string, unknown>
  const newer = (answer as { newer?: { asset_id: string }[] } | undefined)?.newer?.map(({ asset_id }) => asset_id) ?? []
  const ids = ((several.ids && said[several.ids]) ?? []) as string[]
  return {
    ...(several.subject && { subject: several.subject }),
    before: null,
    after: {
      ...(several.ids && { ids: newer.length > 0 ? ids.filter((id) => !newer.includes(id)) : ids }),
      ...several.set?.(said),
    },
  }
}

/** What operators change, by kind. */
export const SUBJECTS_OF_KINDS = {
  account,
  user,
  token,
  project,
  integration,
  webhook,
  ugs_token: ugsToken,
  single_sign_on: singleSignOn,
  audit_stream: auditStream,
} as const
export type SubjectKind = keyof typeof SUBJECTS_OF_KINDS

export const subjectOf = (name: string): Subject | undefined => SUBJECTS[name as DeclaredName]

/** The row as it is when the surrounding statement runs. */
export const rowOf = (subject: Subject, ids: Ids): Sql => rowIn(subject, sql`${raw(subject.table)} where ${subject.where(ids)}`)

const rowIn = ({ columns }: Subject, rows: Sql): Sql =>
  sql`select to_jsonb(s) as row from (select ${raw(columns)} from ${rows}) s`

/** The entry for a task that the same statement creates as `t`. */
export const madeTask = { subject: sql`(select ${`${task.kind}/`} || t.id from t)`, after: rowIn(task, sql`t`) }

/** The entry for a task that was just created. */
export const newTask = ({ id, account_id, project_id }: { id: number; account_id: number; project_id: number }) => ({
  subject: `${task.kind}/${id}`,
  after: rowIn(task, sql`tasks where account_id = ${account_id} and project_id = ${project_id} and id = ${id}`),
})

/** The current row; null if there is none. Runs before authorization: the result only goes into the log. */
export const snapshot = async (subject: Subject, db: Database, ids: Ids): Promise<object | null> =>
  (await db.one<{ row: object }>(rowOf(subject, ids)))?.row ?? null

/** The fields that differ; undefined if none do. */
export function difference(before: object | null, after: object | null): { before: object | null; after: object | null } {
  if (before === null || after === null) return { before, after }
  const differing = Object.keys(after).filter(
    (key) => JSON.stringify(before[key as never]) !== JSON.stringify(after[key as never]),
  )
  if (differing.length === 0) return { before: null, after: null }
  const pick = (row: object) => Object.fromEntries(differing.map((key) => [key, row[key as never]]))
  return { before: pick(before), after: pick(after) }
}
