import type { AssetCommentInput, ReactionInput, RecordCommentInput } from '../../contract/bodies.ts'
import {
  insufficientRole,
  insufficientScope,
  invalidParameter,
  notFound,
  notTheAuthor,
  notYourComment,
  tooManyAttachments,
} from '../../contract/errors.ts'
import { ATTACHMENTS_MAX, MENTIONS_MAX } from '../../contract/limits.ts'
import { isUuid, readId } from '../../contract/params.ts'
import { fileDownload, type QueryOf, type ReplyOf } from '../../contract/routes.ts'
import { COMMENT_SUBJECTS, type CommentSubject, type ProjectRole } from '../../contract/sets.ts'
import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { type Quotas, refuseFile } from '../accounts/quotas.ts'
import * as files from '../files/files.ts'
import { isOnDeletedTask } from '../tasks/deleted.ts'

type Comment = ReplyOf<'editComment'>

interface Author extends ProjectKey {
  user_id: number
  token_id: number | null
}

/** The table of each kind of record, its column in `comments`, and its name in errors. */
export const SUBJECTS: Record<CommentSubject, { table: string; column: string; name: string; readId: (id: string) => unknown }> =
  {
    task: { table: 'tasks', column: 'task_id', name: 'Task', readId },
    build_run: { table: 'build_runs', column: 'build_run_id', name: 'Build run', readId },
    breakage: { table: 'breakages', column: 'breakage_id', name: 'Breakage', readId },
    change: { table: 'changes', column: 'change_id', name: 'Change', readId },
    asset: { table: 'assets', column: 'asset_id', name: 'Asset', readId: (id) => (isUuid(id) ? id : undefined) },
    deployment: {
      table: 'deployments',
      column: 'deployment_id',
      name: 'Deployment',
      readId: (id) => (isUuid(id) ? id : undefined),
    },
  }

const ofProject = ({ account_id, project_id }: ProjectKey) =>
  sql`c.account_id = ${account_id} and c.project_id = ${project_id} and not ${isOnDeletedTask(sql`c`)}`

/** Comments `c` as they are shown. */
const SHOWN = sql`
  c.id, c.subject, c.subject_id, c.asset_version,
  case when c.point_x is not null then json_build_object('x', c.point_x, 'y', c.point_y) end as point, iso(c.resolved_at) as resolved_at,
  c.user_id, c.via_api_token_id is not null as via_token,
  case when c.deleted_at is null then c.body end as body, c.former_bodies, c.mentions as mentioned_user_ids, (
    select coalesce(json_agg(json_build_object('reaction', r.reaction, 'user_ids', r.user_ids) order by r.first, r.reaction), '[]')
    from (
      select r.reaction, array_agg(r.user_id order by r.created_at, r.user_id) as user_ids, min(r.created_at) as first
      from comment_reactions r where r.account_id = c.account_id and r.comment_id = c.id group by r.reaction) r) as reactions, (
    select coalesce(json_agg(json_build_object('id', f.id, 'name', f.name, 'type', f.type, 'bytes', f.bytes, 'width', f.width,
      'height', f.height) order by f.created_at, f.id), '[]')
    from files f where f.account_id = c.account_id and f.comment_id = c.id) as attachments,
  iso(c.created_at) as created_at, iso(c.edited_at) as edited_at, iso(c.deleted_at) as deleted_at`

/** Also one that was deleted: its text is gone. */
export async function find(db: Database, by: ProjectKey, id: number | undefined): Promise<Comment> {
  const found = await db.one<Comment>(sql`select ${SHOWN} from comments c where ${ofProject(by)} and c.id = ${id ?? 0}`)
  if (!found) throw notFound('Comment')
  return found
}

/** Returns the version of an asset. */
async function requireSubject(db: Database, by: ProjectKey, subject: CommentSubject, given: string): Promise<number | null> {
  const { table, name, readId } = SUBJECTS[subject]
  const id = readId(given)
  const version = subject === 'asset' ? sql`version` : sql`null::integer`
  const isThere = subject === 'task' ? sql`deleted_at is null` : sql`true`
  const found =
    id !== undefined &&
    (await db.one<{ version: number | null }>(
      sql`select ${version} as version from ${raw(table)} where account_id = ${by.account_id} and project_id = ${by.project_id} and id = ${id}
        and ${isThere}`,
    ))
  if (!found) throw notFound(name)
  return found.version
}

/** Newest first. */
export async function list(
  db: Database,
  by: ProjectKey,
  subject: CommentSubject,
  subjectId: string,
  query: QueryOf<'listTaskComments'>,
): Promise<ReplyOf<'listTaskComments'>> {
  await requireSubject(db, by, subject, subjectId)
  const { column, readId } = SUBJECTS[subject]
  return newest(db, by, query, sql`and c.${raw(column)} = ${readId(subjectId)}`)
}

async function newest(
  db: Database,
  by: ProjectKey,
  { before_id, limit }: QueryOf<'listTaskComments'>,
  where: Sql,
): Promise<ReplyOf<'listTaskComments'>> {
  const rows = await db.rows<Comment>(sql`
    select ${SHOWN} from comments c where ${ofProject(by)} ${where} ${when(before_id, (id) => sql`and c.id < ${id}`)}
    order by c.id desc limit ${limit + 1}`)
  return { comments: rows.slice(0, limit), pagination: { limit, has_more: rows.length > limit } } as ReplyOf<'listTaskComments'>
}

/** A token reads comments on the records that it may read. */
interface Reader {
  scopes: string[]
}

const readableBy = ({ scopes }: Reader) => COMMENT_SUBJECTS.filter((subject) => scopes.includes(fileDownload.scopes[subject]))

/** Who changes a comment gets it in the answer. */
interface Changer extends Author, Reader {}

function requireReadable({ scopes }: Reader, subject: CommentSubject) {
  const scope = fileDownload.scopes[subject]
  if (!scopes.includes(scope)) throw insufficientScope(scope, scopes)
}

/** On all records of a project, or on one. */
export async function listAny(
  db: Database,
  by: ProjectKey,
  reader: Reader,
  { record, ...query }: QueryOf<'listComments'>,
): Promise<ReplyOf<'listComments'>> {
  if (record === undefined) return newest(db, by, query, sql`and c.subject = any (${readableBy(reader)}::text[])`)
  const [subject, id] = readRecord(record)
  requireReadable(reader, subject)
  return list(db, by, subject, id, query)
}

/** One that the token may read. */
export async function show(db: Database, by: ProjectKey, reader: Reader, id: number | undefined): Promise<Comment> {
  const comment = await find(db, by, id)
  requireReadable(reader, comment.subject)
  return comment
}

/** On any record of a project. */
export const createAny = (db: Database, by: Author, { record, body }: RecordCommentInput): Promise<Comment> =>
  create(db, by, ...readRecord(record), { body })

function readRecord(record: string): [CommentSubject, id: string] {
  const [kind, ...id] = record.split('/')
  const subject = COMMENT_SUBJECTS.find((subject) => subject === kind)
  if (subject === undefined || id.length !== 1)
    throw invalidParameter('record', `must be a kind (${COMMENT_SUBJECTS.join(', ')}) and an id, such as task/12`)
  return [subject, id[0]!]
}

export const create = (
  db: Database,
  by: Author,
  subject: CommentSubject,
  subjectId: string,
  { body, asset_version, point }: AssetCommentInput,
): Promise<Comment> =>
  db.transaction(async (db) => {
    const newest = await requireSubject(db, by, subject, subjectId)
    if (asset_version !== undefined && asset_version > newest!)
      throw invalidParameter('asset_version', `must be at most ${newest}, the newest version`)
    const version = asset_version ?? newest
    const { column, readId } = SUBJECTS[subject]
    const mentions = await mentionsIn(db, by, body)
    const { id: created } = (await db.one<{ id: number }>(sql`
      insert into comments (account_id, project_id, ${raw(column)}, asset_version, point_x, point_y, user_id, via_api_token_id,
        body, mentions)
      values (${by.account_id}, ${by.project_id}, ${readId(subjectId)}, ${version}, ${point?.x}, ${point?.y}, ${by.user_id}, ${by.token_id}, ${body}, ${mentions})
      returning id`))!
    return find(db, by, created)
  })

/** People named in a text as `<@7>`, who have access to the project. */
async function mentionsIn(db: Database, { account_id, project_id }: ProjectKey, body: string): Promise<number[]> {
  const ids = [...new Set([...body.matchAll(/<@(\d{1,9})>/g)].map(([, id]) => Number(id)))]
  if (ids.length > MENTIONS_MAX) throw invalidParameter('body', `must mention at most ${MENTIONS_MAX} people`)
  if (ids.length === 0) return []
  const rows = await db.rows<{ user_id: number }>(sql`
    select user_id from project_access
    where account_id = ${account_id} and project_id = ${project_id} and user_id = any (${ids}::integer[]) order by user_id`)
  return rows.map(({ user_id }) => user_id)
}

interface Stored {
  id: number
  subject: CommentSubject
  token_id: number | null
  user_id: number | null
  body: string
  is_deleted: boolean
  has_point: boolean
  is_resolved: boolean
}

/** A token may change what it may read, and what it wrote itself. */
async function lock(db: Database, by: Changer, id: number | undefined): Promise<Stored> {
  const found = await db.one<Stored>(sql`
    select c.id, c.subject, c.via_api_token_id as token_id, c.user_id, c.body, c.deleted_at is not null as is_deleted, c.point_x is not null as has_point,
      c.resolved_at is not null as is_resolved from comments c
    where ${ofProject(by)} and c.id = ${id ?? 0} for update`)
  if (!found) throw notFound('Comment')
  if (found.token_id === null || found.token_id !== by.token_id) requireReadable(by, found.subject)
  return found
}

/** A comment that can still change, locked. */
async function lockWritten(db: Database, by: Changer, id: number | undefined): Promise<Stored> {
  const found = await lock(db, by, id)
  if (found.is_deleted) throw notFound('Comment')
  return found
}

/** How many former texts are kept. */
const FORMER_MAX = 20

/** Only the author can edit it. The former text stays readable, so that nobody's reply loses its meaning. */
export const edit = (db: Database, by: Changer, id: number | undefined, { body }: { body: string }): Promise<Comment> =>
  db.transaction(async (db) => {
    const known = await lockWritten(db, by, id)
    if (known.user_id !== by.user_id) throw notTheAuthor()
    if (known.body !== body)
      await db.execute(sql`
        update comments c set body = ${body}, mentions = ${await mentionsIn(db, by, body)}, edited_at = now(), updated_at = now(),
          former_bodies = (select jsonb_agg(f.value order by f.at) from jsonb_array_elements(
            jsonb_build_array(jsonb_build_object('body', c.body, 'written_at', iso(coalesce(c.edited_at, c.created_at)))) || c.former_bodies
          ) with ordinality f (value, at) where f.at <= ${FORMER_MAX})
        where ${ofProject(by)} and c.id = ${known.id}`)
    return find(db, by, known.id)
  })

/** Its texts and attachments are deleted permanently; who wrote it and when stays. */
export const remove = (
  db: Database,
  by: Changer & { project_role: ProjectRole | null },
  id: number | undefined,
): Promise<Comment> =>
  db.transaction(async (db) => {
    const known = await lock(db, by, id)
    if (known.user_id !== by.user_id && by.project_role !== 'lead') throw insufficientRole('lead')
    if (known.is_deleted) return find(db, by, known.id)
    await db.execute(sql`
      update comments c set body = '', former_bodies = '[]', mentions = '{}', deleted_at = now(), updated_at = now()
      where ${ofProject(by)} and c.id = ${known.id}`)
    await db.execute(sql`delete from comment_reactions where account_id = ${by.account_id} and comment_id = ${known.id}`)
    await db.execute(sql`delete from files where account_id = ${by.account_id} and comment_id = ${known.id}`)
    return find(db, by, known.id)
  })

/** Only the author attaches files. The file is stored first: a comment never shows one that does not exist. */
export async function attach(
  db: Database,
  by: Changer,
  id: number | undefined,
  given: { name: string; bytes: Buffer },
  quotas: Quotas,
): Promise<Comment> {
  await requireRoom(db, by, id)
  await refuseFile(db, quotas, by.account_id, 'attachments', given.bytes.length)
  const stored = await files.store(db, by.account_id, given)
  return db.transaction(async (db) => {
    await refuseFile(db, quotas, by.account_id, 'attachments', stored.bytes.length)
    const known = await requireRoom(db, by, id)
    await files.attach(db, by, known.id, stored)
    await db.execute(sql`update comments c set updated_at = now() where ${ofProject(by)} and c.id = ${known.id}`)
    return find(db, by, known.id)
  })
}

/** The caller's comment, if it can have another attachment. */
async function requireRoom(db: Database, by: Changer, id: number | undefined): Promise<Stored> {
  const known = await lockWritten(db, by, id)
  if (known.user_id !== by.user_id) throw notYourComment()
  const { count } = (await db.one<{ count: number }>(sql`
    select count(*) from files f where f.account_id = ${by.account_id} and f.comment_id = ${known.id}`))!
  if (count >= ATTACHMENTS_MAX) throw tooManyAttachments(ATTACHMENTS_MAX)
  return known
}

/** Resolves a point, or opens it again; everybody who can comment may. */
export const resolve = (db: Database, by: Changer, id: number | undefined, resolved: boolean): Promise<Comment> =>
  db.transaction(async (db) => {
    const known = await lockWritten(db, by, id)
    if (!known.has_point) throw invalidParameter('id', 'must be a comment on a point of a picture')
    if (known.is_resolved !== resolved)
      await db.execute(sql`
        update comments c set resolved_at = ${resolved ? sql`now()` : sql`null`}, updated_at = now()
        where ${ofProject(by)} and c.id = ${known.id}`)
    return find(db, by, known.id)
  })

export const react = (db: Database, by: Changer, id: number | undefined, { reaction, on }: ReactionInput): Promise<Comment> =>
  db.transaction(async (db) => {
    const known = await lockWritten(db, by, id)
    const changed = await db.execute(
      on
        ? sql`insert into comment_reactions (account_id, comment_id, user_id, reaction)
            values (${by.account_id}, ${known.id}, ${by.user_id}, ${reaction}) on conflict do nothing`
        : sql`delete from comment_reactions
            where account_id = ${by.account_id} and comment_id = ${known.id} and user_id = ${by.user_id} and reaction = ${reaction}`,
    )
    if (changed > 0) await db.execute(sql`update comments c set updated_at = now() where ${ofProject(by)} and c.id = ${known.id}`)
    return find(db, by, known.id)
  })
