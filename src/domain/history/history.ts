import { notFound } from '../../contract/errors.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import type { CommentSubject, DeploymentStatus, HistoryKind } from '../../contract/sets.ts'
import { type Database, join, raw, type Sql, sql } from '../../db/database.ts'
import { inlineInteger } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { SUBJECTS } from '../comments/comments.ts'

type Query = QueryOf<'listTaskHistory'>
type History = ReplyOf<'listTaskHistory'>

/** What is read of a record `s` of an account, which every part names so that a cluster finds its shard: entries as `(id, n, at, kind, user_id, via_token, changes, note)`, `n` for their order within a moment. */
interface Part {
  rows: Sql
  /** The order in which its index has them. */
  order: Sql
}

const NOTHING = sql`'{}'::jsonb`
/** A field that got a value. */
const became = (field: string, value: Sql) =>
  sql`jsonb_build_object(${field}::text, jsonb_build_object('from', null, 'to', ${value}))`

/** Moments of the record itself. */
const moments = (some: readonly [HistoryKind, at: Sql, user?: Sql, changes?: Sql, viaToken?: Sql][]): Part => ({
  rows: sql`
    select e.kind as id, 0::bigint as n, e.at, e.kind, e.user_id, e.via_token, e.changes, '' as note
    from (values ${join(
      some.map(
        ([kind, at, user = sql`null`, changes = NOTHING, viaToken = sql`false`]) =>
          sql`(${kind}::text, ${at}, ${user}::integer, ${changes}, ${viaToken})`,
      ),
    )}) e (kind, at, user_id, changes, via_token)
    where e.at is not null`,
  order: sql`at desc`,
})

/** Whether an entry `h` of a record's own history was written with a token: the audit log has the same moment. */
const viaToken = (account: Sql, subjects: Sql, action: string) => sql`exists (
  select from audit_log x where x.account_id = ${account} and x.subject in (${subjects}) and x.action = ${action} and x.at = h.at
    and x.user_id = h.user_id and x.token_id is not null)`

/** Entries of the audit log about the record. What a record's own table has is not read twice. */
const audited = (account: Sql, subject: Sql, kinds: Record<string, HistoryKind>, changes: Sql = NOTHING): Part => ({
  rows: sql`
    select 'audit/' || x.id as id, x.id as n, x.at, ${JSON.stringify(kinds)}::jsonb ->> x.action as kind, x.user_id, x.token_id is not null as via_token,
      ${changes} as changes, '' as note
    from audit_log x
    where x.account_id = ${account} and ${subject} and x.action = any (${Object.keys(kinds)}::text[])`,
  order: sql`n desc`,
})

/** Requests of approvals `a`, decisions about them, and what was undone: an entry `e` has its own `version` if the request is about a later one now. */
const approvals = (of: Sql, about: Sql, { requests, when = sql`true` }: { requests: boolean; when?: Sql }): Part => ({
  rows: sql`
    select a.id || '/' || e.kind || coalesce('/' || e.user_id, '') || coalesce('/' || e.place, '') as id, 0::bigint as n, e.at, e.kind, e.user_id,
      false as via_token, ${about} as changes, e.note
    from (select * from approvals a where ${of} order by a.created_at desc, a.id desc limit ${inlineInteger(APPROVALS_MAX)}) a
    cross join lateral (
      select 'approval_requested' as kind, a.created_at as at, null::integer as user_id, coalesce(a.asked_stage, a.approval_stage) as note,
        a.asset_version as version, null::bigint as place
      where ${requests} and (a.status = 'pending' or a.asked_stage is not null)
      union all
      select a.status, a.decided_at, a.approver_user_id, a.comments, a.asset_version, null where a.decided_at is not null
      union all
      select 'signed_off', (o ->> 'decided_at')::timestamptz(3), (o ->> 'user_id')::integer, coalesce(o ->> 'comments', ''), a.asset_version, null
      from jsonb_array_elements(a.sign_offs) o where (o ->> 'decided_at')::timestamptz(3) is distinct from a.decided_at
      union all
      select 'decision_undone', (u.one ->> 'undone_at')::timestamptz(3), (u.one ->> 'user_id')::integer, '', (u.one ->> 'asset_version')::integer, u.place
      from jsonb_array_elements(a.undone) with ordinality u (one, place)) e
    where ${when}`,
  order: sql`at desc`,
})

/** An asset or a change rarely has more; the newest ones are read. */
const APPROVALS_MAX = 100

const partsOf = (account: Sql): Record<CommentSubject, () => Part[]> => ({
  task: () => [
    {
      rows: sql`
        select h.id::text as id, h.id as n, h.at, case h.changes -> 'deleted' ->> 'to' when 'true' then 'deleted' when 'false' then 'restored' else 'edited' end as kind,
          h.user_id, h.via_api_token_id is not null as via_token, h.changes - 'deleted' as changes, '' as note
        from task_history h where h.account_id = ${account} and h.task_id = s.id`,
      order: sql`n desc`,
    },
    moments([['created', sql`s.created_at`, sql`s.created_by_user_id`, NOTHING, sql`s.via_api_token_id is not null`]]),
  ],
  build_run: () => [
    moments([
      ['reported', sql`case when s.started_at is null then s.created_at end`],
      ['started', sql`s.started_at`],
      ['finished', sql`s.finished_at`, sql`null`, became('status', sql`s.status`)],
      ['lost', sql`s.lost_at`],
    ]),
    {
      rows: sql`
        select 'investigation/' || i.id as id, i.id as n, i.created_at as at, 'investigated' as kind, null::integer as user_id, false as via_token, ${NOTHING} as changes, '' as note
        from investigations i where i.account_id = ${account} and i.build_run_id = s.id and i.automatic`,
      order: sql`n desc`,
    },
    {
      rows: sql`
        select 'artifact/' || a.id as id, 0::bigint as n, a.completed_at as at, 'artifact_again' as kind, null::integer as user_id, false as via_token,
          ${NOTHING} as changes, a.name as note
        from artifacts a where a.account_id = ${account} and a.build_run_id = s.id and a.again`,
      order: sql`at desc`,
    },
    audited(
      account,
      sql`x.subject = 'build_run/' || s.id`,
      {
        investigateBuild: 'investigated',
        correctBuild: 'corrected',
        undoCorrection: 'correction_undone',
        actOnBuild: 'ci_requested',
        createShareLink: 'shared',
        revokeShareLink: 'share_revoked',
      },
      sql`case when x.action = 'actOnBuild' then ${became('action', sql`x.after -> 'action'`)} else ${NOTHING} end`,
    ),
  ],
  breakage: () => [
    {
      rows: sql`
        select h.id::text as id, h.id as n, h.at, h.kind, h.user_id, ${viaToken(account, sql`'breakage/' || s.id`, 'editBreakage')} as via_token, coalesce((
            select jsonb_object_agg(f.key, jsonb_build_object('from', null, 'to', f.value)) from jsonb_each(h.detail) f
            where f.key in ('owner_user_id', 'muted_until', 'task_id', 'same_as_breakage_id')), ${NOTHING}) as changes,
          coalesce(h.detail ->> 'note', h.detail ->> 'because', h.detail ->> 'reason', h.detail ->> 'job', '') as note
        from breakage_history h where h.account_id = ${account} and h.breakage_id = s.id`,
      order: sql`n desc`,
    },
  ],
  change: () => [
    moments([
      ['submitted', sql`s.timestamp`, sql`s.author_user_id`],
      ['overwritten', sql`s.orphaned_at`],
    ]),
    approvals(
      sql`a.account_id = ${account} and a.project_id = s.project_id and a.commit_sha = s.identifier`,
      became('asset_id', sql`a.asset_id`),
      { requests: false, when: sql`e.version = a.asset_version` },
    ),
    {
      rows: sql`
        select 'good/' || m.branch as id, 0::bigint as n, m.marked_at as at, 'marked_good' as kind, m.user_id,
          exists (
            select from audit_log x where x.account_id = ${account} and x.project_id = m.project_id and x.action = 'markBranchGood' and x.at = m.marked_at
              and x.user_id = m.user_id and x.token_id is not null) as via_token,
          ${became('branch', sql`m.branch`)} as changes, m.reason as note
        from branch_marks m where m.account_id = ${account} and m.change_id = s.id`,
      order: sql`at desc`,
    },
  ],
  asset: () => [
    moments([['created', sql`s.created_at`]]),
    approvals(sql`a.account_id = ${account} and a.asset_id = s.id`, became('asset_version', sql`e.version`), { requests: true }),
    audited(
      account,
      sql`x.subject = 'preview/' || s.id`,
      { uploadPreview: 'preview_uploaded' },
      became('asset_version', sql`x.after -> 'version'`),
    ),
  ],
  deployment: () => [
    {
      rows: sql`
        select h.id::text as id, h.id as n, h.at, h.kind, h.user_id,
          ${viaToken(account, sql`'deployment/' || s.id, 'deployment/' || s.number`, 'editDeployment')} as via_token, case h.kind
            when 'status' then jsonb_build_object('status', jsonb_build_object('from', nullif(h.before, ''), 'to', nullif(h.after, '')))
            when 'build' then ${became('build_run_id', sql`h.build_run_id::text`)} else ${NOTHING} end as changes, h.note
        from deployment_history h where h.account_id = ${account} and h.deployment_id = s.id`,
      order: sql`n desc`,
    },
  ],
})

/** Newest first, also of a deleted task. Each part reads its own index, up to the limit. */
export async function list(
  db: Database,
  { account_id, project_id }: ProjectKey,
  subject: CommentSubject,
  given: string,
  { limit }: Query,
): Promise<History> {
  const { table, name, readId } = SUBJECTS[subject]
  const most = inlineInteger(limit + 1)
  const parts = partsOf(sql`${account_id}`)
    [subject]()
    .map(({ rows, order }) => sql`(select * from (${rows}) p order by ${order} limit ${most})`)
  const id = readId(given)
  const found =
    id !== undefined &&
    (await db.one<{ history: History['history'] }>(sql`
      select coalesce((
        select json_agg(json_build_object('id', h.id, 'kind', h.kind, 'user_id', h.user_id, 'via_token', h.via_token, 'changes', h.changes,
          'note', h.note, 'at', iso(h.at)) order by h.at desc, h.n desc, h.id)
        from (select * from (${join(parts, ' union all ')}) e order by e.at desc, e.n desc, e.id limit ${most}) h), '[]') as history
      from ${raw(table)} s where s.account_id = ${account_id} and s.project_id = ${project_id} and s.id = ${id}`))
  if (!found) throw notFound(name)
  return { history: found.history.slice(0, limit), pagination: { limit, has_more: found.history.length > limit } } as History
}

/** With its status and build in the fields that they had before every record had a history. */
export async function ofDeployment(
  db: Database,
  by: ProjectKey,
  id: string,
  query: Query,
): Promise<ReplyOf<'listDeploymentHistory'>> {
  const { history, pagination } = await list(db, by, 'deployment', id, query)
  return {
    history: history.map((entry) => ({
      ...entry,
      before: (entry.changes.status?.from ?? null) as DeploymentStatus | null,
      after: (entry.changes.status?.to ?? null) as DeploymentStatus | null,
      build_run_id: (entry.changes.build_run_id?.to ?? null) as string | null,
    })),
    pagination,
  } as ReplyOf<'listDeploymentHistory'>
}
