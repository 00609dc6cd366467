import type { TaskEdit, TaskInput } from '../../contract/bodies.ts'
import { invalidParameter, notFound } from '../../contract/errors.ts'
import { COUNT_MAX, DESCRIPTION_MAX } from '../../contract/limits.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import { PRIORITIES, TASK_STATES, TASK_TYPES, type TaskState } from '../../contract/sets.ts'
import { jsonTypeOf, notAMember, TASK_FIELD_NAMES, type TaskField, type TaskFields } from '../../contract/task-fields.ts'
import { type Database, join, raw, type Sql, sql } from '../../db/database.ts'
import { among, bounded, inlineInteger, type Key, type Listing, ofEveryKind, type Walked, when } from '../../db/page.ts'
import type { ProjectKey, ProjectSql } from '../../db/project-key.ts'
import { updatedAmong, updatedRows, type Within } from '../../db/updated-since.ts'
import { NoLongerAdmitted } from '../access/access.ts'
import { type NewEntry, newEntries, record } from '../audit/audit-log.ts'
import { madeTask, newTask } from '../audit/subjects.ts'
import * as history from './history.ts'

/** The creator is for the web app only: the REST API's shape does not contain it. */
type Detail = ReplyOf<'showTask'> & { created_by_user_id: number | null }
type Query = Omit<QueryOf<'listTasks'>, 'cursor' | 'format'> & { cursor?: Key; ids?: readonly string[] }

/** Fields are columns; metadata is rendered separately. */
const WRITTEN = join(TASK_FIELD_NAMES.filter((name) => name !== 'metadata').map((name) => raw(`t.${name}`)))

const columns = (site: string, metadata = sql`t.metadata`) => sql`
  t.id, t.account_id, t.project_id, ${WRITTEN}, ${metadata} as metadata, iso(t.created_at) as created_at, iso(t.updated_at) as updated_at,
  json_build_object('web', ${site}::text || '/projects/' || t.project_id || '/tasks/' || t.id) as urls`

const metadataWithToken = sql`case when t.via_api_token_id is null then t.metadata
  else t.metadata || jsonb_build_object('via_api_token_id', t.via_api_token_id) end`

/**
 * Newest first. States, types and priorities are read in parallel, each combination from its own part of an index, and merged. A label is
 * read from its own table, which has the order too; the other filters apply afterwards.
 */
export function list(project: ProjectSql, q: Query, site: string): Listing {
  const inOrder = (take: number, at = sql`t.created_at`, id = sql`t.id`) =>
    sql`order by ${at} desc, ${id} desc limit ${inlineInteger(take)}`
  const after = (at: Sql, id: Sql) =>
    when(q.cursor, (key) => sql`and (${at}, ${id}) < (${key.at}::timestamptz, ${key.id}::bigint)`)
  const narrowed = (within: Within | undefined, at = sql`t.created_at`) =>
    when(within, (condition) => sql`and ${condition({ at, id: sql`t.id`, updated: sql`t.updated_at` })}`)
  const assigned = when(q.assignee, (who) =>
    'handle' in who ? sql`and t.assignee_handle = ${who.handle}` : sql`and t.user_id = ${who.user_id}`,
  )
  const others = sql`${assigned}
    ${when(q.state, (states) => sql`and t.state = any (${states}::text[])`)}
    ${when(q.task_type, (type) => sql`and t.task_type = ${type}`)}
    ${when(q.priority, (priority) => sql`and t.priority = ${priority}`)}`
  const few = (within: Within | undefined, take = q.limit + 1) => sql`
    select t.* from ${among(sql`tasks`, project.account_id, q.ids, 'bigint')} t
    where t.project_id = ${project.project_id} and t.deleted_at is null ${others} ${when(q.label, (label) => sql`and ${label} = any (t.labels)`)}
      ${after(sql`t.created_at`, sql`t.id`)} ${narrowed(within)} ${inOrder(take)}`
  const facets = [
    { column: sql`t.state`, values: TASK_STATES, asked: q.state },
    { column: sql`t.task_type`, values: TASK_TYPES, asked: q.task_type && [q.task_type] },
    { column: sql`t.priority`, values: PRIORITIES, asked: q.priority && [q.priority] },
  ]
  const isInState = q.task_type === undefined && q.priority === undefined && q.assignee === undefined
  const ofKinds = (within: Within | undefined, take: number) => sql`
    select t.* from (${ofEveryKind(
      isInState ? facets.slice(0, 1) : facets,
      (kind) => sql`
        select t.* from tasks t where t.project_id = ${project.project_id} and t.deleted_at is null and ${kind} ${assigned}
          ${after(sql`t.created_at`, sql`t.id`)} ${narrowed(within)} ${inOrder(take)}`,
    )}) t ${inOrder(take)}`
  const labelled =
    q.label === undefined || q.ids !== undefined
      ? undefined
      : bounded({
          columns: sql`l.account_id, l.created_at, l.task_id`,
          from: sql`task_labels l where l.account_id = ${project.account_id} and l.project_id = ${project.project_id}
            and l.label = ${q.label} ${after(sql`l.created_at`, sql`l.task_id`)}`,
          at: sql`l.created_at`,
          id: sql`l.task_id`,
        })
  const ofLabel = (walk: Walked, within: Within | undefined, take: number) => sql`
    select t.* from (${within ? walk.all : walk.rows}) l, lateral (select t.* from tasks t where t.account_id = l.account_id
      and t.id = l.task_id offset 0) t
    where t.project_id = ${project.project_id} and t.deleted_at is null ${others} ${narrowed(within, sql`l.created_at`)}
    ${inOrder(take, sql`l.created_at`, sql`l.task_id`)}`
  const isOfAllKinds = facets.every(({ asked }) => asked === undefined)
  const isWalked = isOfAllKinds && (q.assignee === undefined || 'user_id' in q.assignee)
  const found = (within?: Within, take = q.limit + 1) => {
    if (labelled) return ofLabel(labelled, within, take)
    return isWalked || q.ids !== undefined ? few(within, take) : ofKinds(within, take)
  }
  const updatedSince = (since: string) =>
    q.ids !== undefined
      ? few(updatedAmong(since))
      : updatedRows({
          table: sql`tasks t`,
          project: project.project_id,
          at: sql`created_at`,
          id: sql`id`,
          since,
          where: sql`deleted_at is null ${after(sql`t.created_at`, sql`t.id`)}`,
          filtered: [q.state, q.task_type, q.priority, q.assignee, q.label].some((filter) => filter !== undefined),
          list: found,
          few,
          take: q.limit + 1,
        })
  const rows = sql`
    select row_to_json(item) as item, t.created_at as key_at, t.id as key_id
    from (${q.updated_since === undefined ? found() : updatedSince(q.updated_since)}) t, lateral (select ${columns(site)}) item`
  return {
    limit: q.limit,
    rows,
    unprepared: q.updated_since !== undefined,
    examined: q.updated_since === undefined ? labelled?.examined : undefined,
  }
}

export async function find(db: Database, project: ProjectKey, id: number | undefined, site: string): Promise<Detail> {
  const task = await db.one<Detail>(sql`
    select ${columns(site, metadataWithToken)}, t.created_by_user_id,
      json_build_object('changes', ${linked.changes}, 'build_runs', ${linked.builds}, 'deployments', ${linked.deployments}) as links
    from tasks t where t.account_id = ${project.account_id} and t.project_id = ${project.project_id} and t.id = ${id ?? 0} and t.deleted_at is null`)
  if (!task) throw notFound('Task')
  return task
}

const linked = {
  changes: sql`(
    select coalesce(json_agg(x order by x.id), '[]') from (
      select c.id, c.identifier, c.source_type, c.display_identifier, c.description
      from task_changes k join changes c on c.account_id = k.account_id and c.id = k.change_id
      where k.account_id = t.account_id and k.task_id = t.id) x)`,
  builds: sql`(
    select coalesce(json_agg(x order by x.id), '[]') from (
      select b.id, b.status, b.commit_hash, b.ci_job_name, b.build_number, iso(b.created_at) as created_at
      from task_build_runs k join build_runs b on b.account_id = k.account_id and b.id = k.build_run_id
      where k.account_id = t.account_id and k.task_id = t.id) x)`,
  deployments: sql`(
    select coalesce(json_agg(x order by x.id), '[]') from (
      select d.number as id, d.status, d.platform, d.branch
      from task_deployments k join deployments d on d.account_id = k.account_id and d.id = k.deployment_id
      where k.account_id = t.account_id and k.task_id = t.id) x)`,
}

export interface Author extends ProjectKey {
  token_id: number | null
  user_id: number
}

interface With {
  entry?: NewEntry
  /** A condition on the caller. */
  stillAdmitted?: Sql | undefined
}

/**
 * One statement, with the audit log entry if the caller gives one; an assignee who is not a member of the account yields no row. Missing
 * fields get the column's default.
 */
export async function create(
  db: Database,
  by: Author,
  input: TaskInput,
  site: string,
  { entry, stillAdmitted }: With = {},
): Promise<Detail> {
  if (entry && (await db.isDistributed())) return createThenRecord(db, by, input, site, entry, stillAdmitted)
  const given = assignments(input)
  const task = await db.one<Detail>(sql`
    with t as (
      insert into tasks (account_id, project_id, via_api_token_id, created_by_user_id, ${join(given.map(([name]) => name))})
      select ${by.account_id}, ${by.project_id}, ${by.token_id}::integer, ${by.user_id}, ${join(given.map(([, value]) => value))}
      where (${input.user_id ?? null}::integer is null or ${seesProject(by, input.user_id)})
        ${when(stillAdmitted, (condition) => sql`and ${condition}`)}
      returning *)
      ${when(entry, (entry) => sql`, entry as (${newEntries(sql`select account_id from t`, { ...entry, ...madeTask })})`)}
    select ${columns(site, metadataWithToken)}, t.created_by_user_id, '{"changes":[],"build_runs":[],"deployments":[]}'::json as links from t`)
  if (!task) throw stillAdmitted ? new NoLongerAdmitted() : notAMember()
  return task
}

/** One after the other: on several servers a statement cannot insert into two tables. */
const createThenRecord = (
  db: Database,
  by: Author,
  input: TaskInput,
  site: string,
  entry: NewEntry,
  stillAdmitted: Sql | undefined,
): Promise<Detail> =>
  db.transaction(async (db) => {
    const task = await create(db, by, input, site, { stillAdmitted })
    await record(db, sql`select ${by.account_id}::integer`, { ...entry, ...newTask(task) })
    return task
  })

const seesProject = (project: ProjectKey, userId: number | null | undefined) => sql`exists (
  select from project_access where account_id = ${project.account_id} and project_id = ${project.project_id}
    and user_id = ${userId ?? null}::integer)`

/** Locks the task until the end of the transaction. */
export const lock = (db: Database, project: ProjectKey, id: number | undefined) =>
  db.execute(sql`select from tasks
    where account_id = ${project.account_id} and project_id = ${project.project_id} and id = ${id ?? 0} for update`)

/** Given fields are replaced; an edit that changes nothing leaves `updated_at` unchanged. */
export function edit(db: Database, by: Author, id: number | undefined, input: TaskEdit, site: string): Promise<Detail> {
  const { description_append, ...fields } = input
  if (fields.assignee_handle != null) fields.user_id = null
  if (fields.user_id != null) fields.assignee_handle = null
  return db.transaction(async (db) => {
    const before = await db.one<TaskFields>(
      sql`select ${WRITTEN}, t.metadata from tasks t
        where t.account_id = ${by.account_id} and t.project_id = ${by.project_id} and t.id = ${id ?? 0} and t.deleted_at is null for update`,
    )
    if (!before || id === undefined) throw notFound('Task')
    if (fields.user_id != null && !(await db.one(sql`select where ${seesProject(by, fields.user_id)}`))) throw notAMember()
    if (description_append !== undefined)
      fields.description = appended(fields.description ?? before.description, description_append)
    const sets = assignments(fields)
    if (sets.length > 0) {
      await history.record(db, by, id, before, fields)
      await db.execute(sql`
        update tasks set ${join(sets.map(([name, value]) => sql`${name} = ${value}`))}, updated_at = now()
        where account_id = ${by.account_id} and id = ${id} and (${join(
          sets.map(([name, value]) => sql`${name} is distinct from ${value}`),
          ' or ',
        )})`)
    }
    return find(db, by, id, site)
  })
}

/** Every state is counted on its own index, up to the shown maximum. */
export const count = async (db: Database, projectId: number) =>
  (await db.one<Record<TaskState, number>>(sql`
    select ${join(
      TASK_STATES.map(
        (state) => sql`(select count(*) from (
          select from tasks where project_id = ${projectId} and deleted_at is null and state = ${raw(`'${state}'`)} limit ${COUNT_MAX}) t) as ${raw(state)}`,
      ),
    )}`))!

/** Columns and their values, with the types that PostgreSQL cannot infer. */
const assignments = (fields: Partial<TaskFields>) =>
  TASK_FIELD_NAMES.filter((name) => fields[name] !== undefined).map((name) => [raw(name), sqlOf(name, fields[name])] as const)

const sqlOf = (name: TaskField, value: unknown): Sql => {
  const type = jsonTypeOf(name)
  if (type === 'object') return sql`${JSON.stringify(value)}::jsonb`
  if (type === 'array') return sql`${value}::text[]`
  return type === 'integer' ? sql`${value}::integer` : sql`${value}::text`
}

function appended(description: string, more: string): string {
  const whole = description + more
  if (Buffer.byteLength(whole) > DESCRIPTION_MAX)
    throw invalidParameter('description_append', `would make the description longer than ${DESCRIPTION_MAX} bytes`)
  return whole
}
