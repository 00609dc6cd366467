import type { AccountRole, SourceType } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { COUNTS } from '../accounts/connected-accounts.ts'
import { asksForRoles } from '../assets/approval-rules.ts'
import { assetFiles, type ChangedFile } from '../assets/changed-files.ts'
import * as assets from '../assets/versions.ts'
import * as lines from '../branches/lines.ts'
import { hasBuildsOf, inferBranchesOf, inferLatestBranches } from '../branches/positions.ts'
import * as streamSettings from '../branches/stream-settings.ts'
import { type StreamSettings, streamsOf } from '../branches/streams.ts'
import { hasRecentFailures, scheduleReviews } from '../builds/follow-up-jobs.ts'
import { makePreflights } from '../builds/preflights.ts'
import { type IntegrationContext, isHistory } from '../integrations/context.ts'
import * as branches from './branches.ts'

/** A change as a tool reports it. */
export interface Submitted {
  source_type: SourceType
  identifier: string
  /** As the tool wrote it, address included: it is matched to a user first and scrubbed on output. */
  author: string
  /** Ids of the author to match with connected accounts of this provider, best first (login, id, address). */
  author_uids: string[]
  description: string
  /** ISO 8601; null if the tool reports none. */
  timestamp: string | null
  /** The branch it arrived on; empty if the tool reports none, or if its files determine it. */
  branch: string
  /** The previous change on that branch, if the tool reports it. */
  follows?: string
  /** Its position on that branch, if an import found its place between others. */
  position?: number
  /** If the tool has several repositories: branches with the same name are then separate. */
  repository?: lines.Repository | undefined
  /** The URL template of its page and files in the tool, with {path} and {line}. */
  url?: string
  file_url?: string
  /** null: the tool did not report the files. */
  files: ChangedFile[] | null
  /** Pending on the server, so not on any branch. */
  pending?: true
}

/** The commit that a forced push removed from its branch. */
export interface Orphaned extends Pick<Submitted, 'source_type' | 'identifier' | 'branch' | 'repository'> {
  /** The new head of the branch. */
  after?: string
}

export interface SubmittedRow {
  id: number
  identifier: string
}

/** Written in the same statement as the changes. */
export interface Recording {
  /** Nothing is written if this finds a row. */
  unless: Sql
  /** A CTE named `receipts` with the columns id and dedupe_key. */
  receipts: Sql
}

export interface Receipt {
  id: number
  dedupe_key: string
}

interface Outcome {
  /** Null if nothing was written. */
  changes: SubmittedRow[] | null
  receipts: Receipt[] | null
  late: branches.Chain[] | null
  has_builds: boolean
  has_failures: boolean
  has_new_branches: boolean
  /** Known changes that are on another branch now. */
  arrived: string[] | null
  moved: number
  others: assets.OpenedApproval[] | null
}

/**
 * A change that is reported twice is stored once; the later report wins, and missing fields stay. One statement writes the change with its
 * branch positions, asset versions and approval requests; follow-up work has separate statements. Nothing is written or returned if
 * `recording` refuses. `has_unplaced`: the server may have streams that are not known yet.
 */
export async function submit(
  db: Database,
  context: IntegrationContext,
  changes: Submitted[],
  recording?: Recording,
): Promise<{ rows: SubmittedRow[]; receipts: Receipt[]; has_unplaced: boolean }> {
  const isOfStreams = changes.some(({ source_type, branch }) => source_type === 'Changelist' && branch === '')
  const settings = isOfStreams ? await streamSettings.find(db, context.integration_id) : {}
  const branchesOf = (change: Submitted, path: string) => fileBranches(change, path, settings)
  const names = changes.map(({ identifier }) => identifier)
  const authored = await withRoles(db, context, changes)
  if (isHistory(context)) await db.execute(sql`set local goldmaster.quiet = 'on'`)
  const done = (await db.one<Outcome>(sql`
    with ${writing(context, changes, recording?.unless)},
    ${branches.placing(context, placementsOf(changes, settings), isHistory(context))},
    ${assets.recordVersions(context, authored, branchesOf)}${when(recording, ({ receipts }) => sql`, ${receipts}`)}
    select (select json_agg(json_build_object('id', w.id, 'identifier', w.identifier) order by w.id) from written w) as changes,
      ${recording ? sql`(select json_agg(r) from receipts r)` : sql`null`} as receipts,
      (select json_agg(late) from late) as late, exists (select from registered) as has_new_branches,
      (select json_agg(w.identifier) from written w where not w.news
        and w.id in (select change_id from placed)) as arrived, ${hasBuildsOf(context, names)} as has_builds,
      ${hasRecentFailures(context)} as has_failures,
      (select count(*) from moved) as moved, (select json_agg(unmoved) from unmoved) as others`))!
  if (!done.changes) return { rows: [], receipts: [], has_unplaced: false }
  await branches.reorder(db, context, done.late ?? [])
  if (isHistory(context)) await assets.keepNewest(db, context, changes)
  else if (done.arrived) {
    const arrived = new Set(done.arrived)
    const known = authored.filter(({ identifier }) => arrived.has(identifier))
    await assets.askOnBranch(db, context, known, branchesOf)
  }
  // Takes the lock of the project: no asset is locked afterwards.
  await assets.openApprovals(db, context, done.moved, done.others ?? [])
  const pending = changes.flatMap((change) => (change.pending ? [change.identifier] : []))
  if (pending.length > 0) await makePreflights(db, context, pending)
  if (done.has_builds)
    await inferBranchesOf(
      db,
      context,
      done.changes.map(({ id }) => id),
    )
  if (done.has_new_branches) await inferLatestBranches(db, context)
  if (done.has_failures && !isHistory(context)) await scheduleReviews(db, context)
  const has_unplaced = changes.some((change) => isUnplaced(change, settings))
  return { rows: done.changes, receipts: done.receipts ?? [], has_unplaced }
}

/** A commit that is reported on a second branch is on both; a changelist is on every stream of its files. */
const placementsOf = (changes: Submitted[], settings: StreamSettings): branches.Placement[] =>
  changes.flatMap<branches.Placement>(({ source_type, identifier, branch, follows, position, files, pending, repository }) => {
    if (pending) return []
    if (source_type === 'Changelist') {
      const tool_position = /^\d{1,15}$/.test(identifier) ? Number(identifier) : null
      const paths = (files ?? []).map(({ path }) => path)
      const names = branch ? [branch] : streamsOf(paths, settings)
      return names.map((name) => ({ identifier, branch: name, tool_position, previous: null }))
    }
    return [{ identifier, branch, tool_position: position ?? null, previous: follows ?? null, repository }]
  })

/** Some of its files are on no stream that the server listed: it may have new ones. */
const isUnplaced = ({ source_type, branch, files, pending }: Submitted, settings: StreamSettings): boolean =>
  source_type === 'Changelist' &&
  branch === '' &&
  !pending &&
  !settings.prefixes?.length &&
  (files ?? []).some(({ path }) => streamsOf([path], { ...settings, isListed: true }).length === 0)

/** In a changelist across streams, each file belongs to its own. */
const fileBranches = ({ source_type, branch, pending }: Submitted, path: string, settings: StreamSettings): string[] =>
  pending ? [] : branch === '' && source_type === 'Changelist' ? streamsOf([path], settings) : [branch]

/** The member `m` who alone is known by the best of `t.author_uids`: people may share a login. */
const memberOf = ({ account_id, provider }: IntegrationContext) => sql`
  from (
    select lower(a.uid) as uid, min(a.user_id) as user_id, min(m.role) as role
    from connected_accounts a join account_members m on m.user_id = a.user_id and m.account_id = ${account_id}
    where a.provider = ${provider} and lower(a.uid) = any (t.author_uids) and ${COUNTS}
    group by lower(a.uid) having count(distinct a.user_id) = 1) m
  order by array_position(t.author_uids, m.uid) limit 1`

/** With the roles of their authors in the account, if an approval rule asks for them. */
async function withRoles(
  db: Database,
  context: IntegrationContext,
  changes: Submitted[],
): Promise<(Submitted & { author_role?: AccountRole | null })[]> {
  if (isHistory(context) || !asksForRoles(context.approval_rules)) return changes
  const uids = changes.map(({ author_uids }, at) => ({ at, author_uids: author_uids.map((uid) => uid.toLowerCase()) }))
  const found = await db.rows<{ role: AccountRole | null }>(sql`
    select (select m.role ${memberOf(context)}) as role
    from jsonb_to_recordset(${JSON.stringify(uids)}::jsonb) as t (at integer, author_uids text[]) order by t.at`)
  return changes.map((change, at) => ({ ...change, author_role: found[at]!.role }))
}

/** `written`: the changes, and whether their files are new; only then do they touch assets. */
function writing(context: IntegrationContext, changes: Submitted[], unless = sql`select where false`): Sql {
  // Always in the same order, so that two deliveries with the same commits do not deadlock.
  const reported = changes
    .toSorted((a, b) => (a.identifier < b.identifier ? -1 : 1))
    .map((change) => ({
      ...change,
      author_uids: change.author_uids.map((uid) => uid.toLowerCase()),
      asset_count: new Set(assetFiles(change).map((file) => file.path)).size,
    }))
  return sql`
    reported as (
      select t.*,
        -- A late report of a shelf says nothing about a change that is on a branch by now.
        coalesce(t.pending, false) and not exists (
          select from changes c join change_branches p on p.account_id = c.account_id and p.change_id = c.id
          where c.account_id = ${context.account_id} and c.project_id = ${context.project_id} and c.source_type = t.source_type
            and c.identifier = t.identifier) as is_pending
      from jsonb_to_recordset(${JSON.stringify(reported)}::jsonb)
        as t (source_type text, identifier text, author text, author_uids text[], description text, timestamp timestamptz, branch text,
          files jsonb, asset_count integer, url text, file_url text, pending boolean)
      where not exists (${unless})),
    written as (
      insert into changes as c (account_id, project_id, integration_id, source_type, identifier, author, author_user_id, description,
        branch, timestamp, files, files_known_at, asset_count, url, file_url, pending, import_id)
      select ${context.account_id}, ${context.project_id}, ${context.integration_id}, t.source_type, t.identifier, t.author,
        (select m.user_id ${memberOf(context)}),
        t.description, t.branch, coalesce(t.timestamp, now()), nullif(t.files, 'null'), case when t.files <> 'null' then now() end, t.asset_count,
        coalesce(t.url, ''), coalesce(t.file_url, ''), t.is_pending, ${context.import_id ?? null}::bigint
      from reported t
      on conflict (account_id, project_id, source_type, identifier) do update set
        author = case when excluded.author = '' then c.author else excluded.author end,
        author_user_id = coalesce(excluded.author_user_id, c.author_user_id),
        description = case when excluded.description = '' then c.description else excluded.description end,
        branch = case when c.branch = '' then excluded.branch else c.branch end,
        -- now() means that no time was reported.
        timestamp = case when excluded.timestamp = now()::timestamptz(3) then c.timestamp else excluded.timestamp end,
        files = coalesce(excluded.files, c.files),
        url = case when excluded.url = '' then c.url else excluded.url end,
        file_url = case when excluded.file_url = '' then c.file_url else excluded.file_url end,
        -- Never now, which marks new rows: another transaction may have reported them in this very millisecond.
        files_known_at = case when c.files is null then excluded.files_known_at
          else least(c.files_known_at, now() - interval '1 millisecond') end,
        asset_count = case when c.files is null then excluded.asset_count else c.asset_count end, orphaned_at = null,
        pending = excluded.pending, updated_at = now(),
        import_id = case when excluded.import_id is null then null else c.import_id end
      returning c.id, c.identifier, c.timestamp, coalesce(c.files_known_at = now()::timestamptz(3), false) as news)`
}

/** A forced push removed this change from its branch. It is orphaned if that was its last branch. */
export async function orphan(db: Database, owner: ProjectKey, told: Orphaned) {
  const name = await lines.rewind(db, owner, told)
  return db.one<{ id: number }>(sql`
    with this as (
      select c.id, exists (
        select from change_branches p where p.account_id = c.account_id and p.change_id = c.id and p.branch <> ${name}
          and p.orphaned_at is null) as is_elsewhere
      from changes c
      where c.account_id = ${owner.account_id} and c.project_id = ${owner.project_id} and c.source_type = ${told.source_type}
        and c.identifier = ${told.identifier}),
    left_behind as (
      update change_branches p set orphaned_at = goldmaster_now(), doubted_at = null
      from this where p.account_id = ${owner.account_id} and p.change_id = this.id and p.branch = ${name} and p.orphaned_at is null)
    update changes c set orphaned_at = case when not this.is_elsewhere then now() end, updated_at = now()
    from this where c.account_id = ${owner.account_id} and c.id = this.id and c.orphaned_at is null
    returning c.id`)
}
