import { ONLY_STAGE } from '../../contract/routes/approval-defaults.ts'
import { type Database, empty, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { branchKey } from '../branches/branch-names.ts'
import * as builds from '../builds/report.ts'
import { type IntegrationContext, isHistory } from '../integrations/context.ts'
import { reduceAuthor } from '../privacy/authors.ts'
import { type Author, asking, rulesIn } from './approval-rules.ts'
import { assetFiles, type ChangedFile } from './changed-files.ts'
import { levelOf } from './levels.ts'
import { type Gone, lowerVersions, raiseVersions } from './version-numbers.ts'

export type { ChangedFile } from './changed-files.ts'

/** The fields of a change that matter for its files. */
interface Changed extends Author {
  identifier: string
  files: ChangedFile[] | null
}
/** The branches on which a file of a change arrived, in any spelling. */
type BranchesOf<C> = (change: C, path: string) => string[]

/** What a request keeps about its version: the place of the rule that asks, and what the queue filters by. */
interface About {
  rule: number
  asset_type: string
  author: string
  branch: string
  level: string | null
}

/** An asset whose new version somebody has to approve. */
export interface OpenedApproval {
  id: string
  name: string
  version: number
  commit_sha: string
  about: About
}

/**
 * New files of the changes in `written` create assets or add a version, and request an approval if the project's rules say so: a pending
 * record moves to the new commit (`moved`), otherwise one is created, at once for a new asset and by `openApprovals` for the others (`unmoved`).
 * If several changes touch one file, the last one counts.
 */
export function recordVersions<C extends Changed>(
  context: IntegrationContext,
  changes: readonly C[],
  branchesOf: BranchesOf<C>,
): Sql {
  const touches = changes.flatMap((change) => filesOf(context, change, branchesOf)).map((file, place) => ({ ...file, place }))
  return sql`
    touches as (
      select distinct on (t.path) t.path, t.name, t.asset_type, t.size_bytes, t.about, w.id as change_id, w.identifier as commit_sha,
        count(*) over (partition by t.path) as times
      from jsonb_to_recordset(${JSON.stringify(touches)}::jsonb)
        as t (identifier text, path text, name text, asset_type text, size_bytes bigint, about jsonb, place integer)
      join written w on w.identifier = t.identifier and w.news
      order by t.path, t.place desc),
    ${asksOnBranch(context) ? sql`${lockKnown(context, touches)},` : empty}
    touched as (
      insert into assets as a (account_id, project_id, name, path, asset_type, version, size_bytes, last_change_id, approval_status)
      select ${context.account_id}, ${context.project_id}, t.name, t.path, t.asset_type, t.times, t.size_bytes, t.change_id,
        case when t.about is null then 'none' else 'pending' end
      from touches t ${asksOnBranch(context) ? sql`where (select count(*) from known) >= 0` : empty} order by t.path
      on conflict (account_id, project_id, path) where path <> '' do update set
        version = a.version + excluded.version,
        ${isHistory(context) ? olderVersion : sql`size_bytes = coalesce(excluded.size_bytes, a.size_bytes), last_change_id = excluded.last_change_id`},
        updated_at = now(),
        approval_status = case excluded.approval_status when 'pending' then 'pending' else a.approval_status end
      returning a.id, a.name, a.path, a.version, a.xmax = 0 as inserted),
    asked as (
      select a.id, a.name, a.version, a.inserted, t.commit_sha, t.about from touched a join touches t on t.path = a.path
      where t.about is not null),
    ${isHistory(context) ? sql`${raiseVersions(context, touches)},` : empty}
    ${moved(context)},
    made as (${makeApprovals(context, sql`asked.inserted`)}),
    unmoved as (select * from asked where not asked.inserted and asked.id not in (select asset_id from moved))`
}

/** Whether changes that arrive on another branch can request approvals: `askOnBranch`. */
const asksOnBranch = (context: IntegrationContext) =>
  !isHistory(context) && (context.approval_rules ?? []).some(({ branch }) => branch !== '')

/** All assets that the delivery names, also those of known changes, which `askOnBranch` may need: locked at once, in the order of decisions. */
const lockKnown = ({ account_id, project_id }: ProjectKey, touches: readonly { path: string }[]) => sql`
    known as materialized (
      select from assets a where a.account_id = ${account_id} and a.project_id = ${project_id}
        and a.path = any (${[...new Set(touches.map(({ path }) => path))]}::text[])
        -- Changes are locked before assets.
        and (select count(*) from written) >= 0 order by a.path, a.id for no key update)`

/** What is known stays; `keepNewest` decides which version is the newest. */
const olderVersion = sql`size_bytes = coalesce(a.size_bytes, excluded.size_bytes), last_change_id = coalesce(a.last_change_id, excluded.last_change_id)`

/** After an import, which tells versions in any order. */
export async function keepNewest(db: Database, { account_id, project_id }: ProjectKey, changes: readonly Changed[]) {
  const touches = changes.flatMap((change) => assetFiles(change).map(({ path }) => ({ path, identifier: change.identifier })))
  if (touches.length === 0) return
  await db.execute(sql`
    with told as (
      select distinct on (t.path) t.path, c.id, c.timestamp
      from jsonb_to_recordset(${JSON.stringify(touches)}::jsonb) as t (path text, identifier text), lateral (
        select c.id, c.timestamp from changes c
        where c.account_id = ${account_id} and c.project_id = ${project_id} and c.identifier = t.identifier offset 0) c
      order by t.path, c.timestamp desc, c.id desc),
    newer as materialized (
      select a.id, t.id as change_id from told t, lateral (
        select a.id, a.last_change_id from assets a
        where a.account_id = ${account_id} and a.project_id = ${project_id} and a.path = t.path and a.path <> '' offset 0) a, lateral (
        select o.timestamp from changes o where o.account_id = ${account_id} and o.id = a.last_change_id offset 0) o
      where o.timestamp < t.timestamp)
    update assets a set last_change_id = n.change_id from newer n where a.account_id = ${account_id} and a.id = n.id`)
}

/**
 * In the transaction that deletes changes, before it does: their versions of assets, and assets without any other version on which nobody
 * wrote or decided anything.
 */
export async function removeVersions(db: Database, { account_id, project_id }: ProjectKey, changes: readonly Gone[]) {
  const paths = changes.flatMap((change) => [...new Set(assetFiles(change).map(({ path }) => path))])
  // In the order of decisions.
  await db.execute(sql`
    select from assets where account_id = ${account_id} and project_id = ${project_id} and path = any (${[...new Set(paths)]}::text[]) and path <> ''
    order by path, id for update`)
  await lowerVersions(db, { account_id, project_id }, changes)
  await db.execute(sql`
    delete from assets a using (${timesOf(paths)}) g
    where a.account_id = ${account_id} and a.project_id = ${project_id} and a.path = g.path and a.path <> '' and a.version <= g.times
      and not exists (select from approvals p where p.account_id = a.account_id and p.asset_id = a.id)
      and not exists (select from comments c where c.account_id = a.account_id and c.asset_id = a.id)`)
  await db.execute(sql`
    update assets a set version = greatest(1, a.version - g.times), updated_at = now(),
      last_change_id = case when a.last_change_id <> all (${changes.map(({ id }) => id)}::bigint[]) then a.last_change_id end
    from (${timesOf(paths)}) g where a.account_id = ${account_id} and a.project_id = ${project_id} and a.path = g.path and a.path <> ''`)
}

/** How often each path is named. */
const timesOf = (paths: readonly string[]) =>
  sql`select path, count(*)::integer as times from unnest(${paths}::text[]) path group by path`

function filesOf<C extends Changed>(context: IntegrationContext, change: C, branchesOf: BranchesOf<C>) {
  const asks = asking(isHistory(context) ? [] : context.approval_rules, change)
  const author = reduceAuthor(change.author)
  return assetFiles(change).map((file) => {
    const branches = () => branchesOf(change, file.path)
    const rule = asks({ ...file, branches })
    const { path, asset_type } = file
    return {
      ...file,
      about:
        rule === undefined
          ? null
          : { rule, asset_type, author, branch: branchKey(branches()[0] ?? ''), level: levelOf(path) ?? null },
      identifier: change.identifier,
      name: path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1),
    }
  })
}

/** Handles what a moved approval leaves behind, and the approvals that could not be moved. */
export async function openApprovals(db: Database, context: IntegrationContext, moved: number, others: OpenedApproval[]) {
  const all = moved + (others.length > 0 ? await askAgain(db, context, others) : 0)
  // The commit that an approval moved away from may have nothing left to wait for.
  if (all > 0) await builds.release(db, context)
}

/**
 * Known changes arrived on another branch: the rules for that branch apply now. Skips changes that already had a request, or whose asset
 * had a later one.
 */
export async function askOnBranch<C extends Changed>(
  db: Database,
  context: IntegrationContext,
  changes: readonly C[],
  branchesOf: BranchesOf<C>,
) {
  if (!asksOnBranch(context)) return
  const rules = context.approval_rules!.filter(({ branch }) => branch !== '')
  const ofBranches = { ...context, approval_rules: rules }
  const files = changes.flatMap((change) => filesOf(ofBranches, change, branchesOf))
  const told = files.filter(({ about }) => about !== null).map(({ path, identifier, about }) => ({ path, identifier, about }))
  if (told.length === 0) return
  await db.execute(sql`
    with told as (
      select distinct on (t.path) a.id, t.identifier, t.about
      from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as t (path text, identifier text, about jsonb)
      join assets a on a.account_id = ${context.account_id} and a.project_id = ${context.project_id} and a.path = t.path
      where not exists (select from approvals n where n.account_id = a.account_id and n.asset_id = a.id and n.commit_sha = t.identifier)
      order by t.path),
    locked as (
      select a.id from assets a where a.account_id = ${context.account_id} and a.id in (select id from told)
        and a.approval_status <> 'pending' order by a.path, a.id for no key update),
    asked as (
      update assets a set approval_status = 'pending', updated_at = now() from locked l join told t on t.id = l.id
      where a.account_id = ${context.account_id} and a.id = l.id
      returning a.id, a.name, a.version, t.identifier as commit_sha, t.about)
    ${makeApprovals(ofBranches, sql`true`)}`)
}

/** Only a new statement sees what another transaction wrote while this one waited for its assets. */
const askAgain = async (db: Database, context: IntegrationContext, others: OpenedApproval[]) =>
  (await db.one<{ moved: number }>(sql`
    with asked as (
      select *, false as inserted from jsonb_to_recordset(${JSON.stringify(others)}::jsonb) as o (id uuid, name text, version integer, commit_sha text, about jsonb)),
    ${moved(context)},
    made as (${makeApprovals(context, sql`asked.id not in (select asset_id from moved)`)})
    select count(*) as moved from moved`))!.moved

/** The rule that asks, as it is now, and the name of its first stage. */
const ruleOf = ({ approval_rules }: IntegrationContext) =>
  sql`(${JSON.stringify(rulesIn(approval_rules))}::jsonb -> (asked.about ->> 'rule')::integer)`
const firstStage = (rule: Sql) => sql`coalesce(${rule} -> 'stages' -> 0 ->> 'name', ${ONLY_STAGE})`

/**
 * The status is checked twice: a decision made in the meantime was about the previous version. Earlier stages approved that version too: the
 * new one starts at the first stage.
 */
const moved = (context: IntegrationContext) => sql`
  moved as (
    update approvals p set commit_sha = asked.commit_sha, asset_version = asked.version, rule = asked.rule,
      approval_stage = case when p.rule -> 'stages' is null and asked.rule -> 'stages' is null then p.approval_stage else ${firstStage(sql`asked.rule`)} end,
      stage_number = 0, sign_offs = '[]', ${WRITTEN_ABOUT}, updated_at = now()
    from (select asked.*, ${ruleOf(context)} as rule from asked) asked
    where not asked.inserted and p.account_id = ${context.account_id} and p.status = 'pending' and p.id = (
      select n.id from approvals n where n.account_id = ${context.account_id} and n.asset_id = asked.id and n.status = 'pending'
        order by n.created_at desc, n.id desc limit 1)
    returning p.asset_id)`

const WRITTEN_ABOUT = sql`asset_type = asked.about ->> 'asset_type', author = asked.about ->> 'author', branch = asked.about ->> 'branch',
  level = asked.about ->> 'level'`

const makeApprovals = (context: IntegrationContext, which: Sql) => sql`
  insert into approvals (account_id, project_id, asset_id, asset_name, commit_sha, asset_version, approval_stage, rule,
    asset_type, author, branch, level)
  select ${context.account_id}, ${context.project_id}, asked.id, asked.name, asked.commit_sha, asked.version, ${firstStage(ruleOf(context))},
    ${ruleOf(context)}, asked.about ->> 'asset_type', asked.about ->> 'author', asked.about ->> 'branch', asked.about ->> 'level'
  from asked where ${which}`
