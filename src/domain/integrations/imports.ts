import type { AppReply } from '../../contract/app/routes.ts'
import { cannotImport, notFound } from '../../contract/errors.ts'
import type { ImportPart, ImportState } from '../../contract/sets.ts'
import { type Database, isUniqueViolation, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { cancel as cancelJob, enqueue } from '../../db/queue.ts'

export type Import = AppReply<'listImports'>['imports'][number]

const SHOWN = sql`i.id, i.project_id, i.integration_id, i.state, i.nightly, i.since, i.until, i.part, i.counts, i.expected, i.waits_until, i.message, i.kept,
  i.created_by_user_id, i.created_at, i.updated_at, i.finished_at`

/** The name of the job that reads an import. */
export const jobName = (importId: number) => `import ${importId}`

const LISTED = 20

/** Newest first. */
export const list = (db: Database, { account_id, id }: RecordKey): Promise<Import[]> =>
  db.rows<Import>(sql`
    select ${SHOWN} from imports i where i.account_id = ${account_id} and i.integration_id = ${id} order by i.id desc limit ${LISTED}`)

export async function find(db: Database, { account_id, project_id }: ProjectKey, id: number): Promise<Import> {
  const found = await db.one<Import>(sql`
    select ${SHOWN} from imports i where i.account_id = ${account_id} and i.project_id = ${project_id} and i.id = ${id}`)
  if (!found) throw notFound('Import')
  return found
}

interface Started extends ProjectKey {
  integration_id: number
  since: Date
  /** The first part that the tool has. */
  part: ImportPart
  expected?: Partial<Record<ImportPart, number>>
  nightly?: boolean
  by?: number | null
  /** What `asking` says of the integration. */
  server: string
}

/** Reads the first page as soon as a worker is free. One import of an integration runs at a time. */
export async function start(db: Database, begun: Started): Promise<Import> {
  const { account_id, project_id, integration_id, since, part, expected = {}, nightly = false, by = null, server } = begun
  return db.transaction(async (db) => {
    const made = await db
      .one<Import>(sql`
        insert into imports as i (account_id, project_id, integration_id, since, until, part, expected, nightly, created_by_user_id)
        values (${account_id}, ${project_id}, ${integration_id}, ${since.toISOString()}, now(), ${part}, ${JSON.stringify(expected)}, ${nightly}, ${by})
        returning ${SHOWN}`)
      .catch((error: unknown) => {
        if (isUniqueViolation(error))
          throw cannotImport('An import of this integration is running. Wait until it ends, or cancel it.')
        throw error
      })
    await enqueue(db, 'read_import', { account_id, import_id: made!.id }, { account_id, server, name: jobName(made!.id) })
    return made!
  })
}

/** What it read so far stays. */
export const cancel = (db: Database, project: ProjectKey, id: number): Promise<Import> =>
  end(db, project, id, { from: ['running'], to: 'cancelled', refusal: 'Only a running import can be cancelled.' })

/** A job deletes what only the import reported. */
export async function undo(db: Database, project: ProjectKey, id: number): Promise<Import> {
  const from: ImportState[] = ['running', 'done', 'cancelled', 'failed']
  const undone = await end(db, project, id, { from, to: 'undoing', refusal: 'This import was undone already.' })
  const { account_id } = project
  await enqueue(db, 'undo_import', { account_id, import_id: id }, { account_id, name: `undo import ${id}` })
  return undone
}

async function end(
  db: Database,
  project: ProjectKey,
  id: number,
  { from, to, refusal }: { from: ImportState[]; to: ImportState; refusal: string },
): Promise<Import> {
  await find(db, project, id)
  const ended = await db.one<Import>(sql`
    update imports i set state = ${to}, part = null, waits_until = null, updated_at = now(), finished_at = now()
    where i.account_id = ${project.account_id} and i.id = ${id} and i.state = any (${from}) returning ${SHOWN}`)
  if (!ended) throw cannotImport(refusal)
  await cancelJob(db, { name: jobName(id), account_id: project.account_id })
  return ended
}

/** An import that a job reads. */
export interface Running extends RecordKey {
  integration_id: number
  nightly: boolean
  since: string
  until: string
  part: ImportPart | null
  cursor: Record<string, unknown>
  pages: number
  message: string
  /** A page of at least one part was read. */
  has_read: boolean
}

/** Undefined if it is over. */
export const running = (db: Database, { account_id, id }: RecordKey, lock: Sql = sql``) =>
  db.one<Running>(sql`
    select account_id, id, integration_id, nightly, iso(since) as since, iso(until) as until, part, cursor, pages, message, counts <> '{}' as has_read
    from imports
    where account_id = ${account_id} and id = ${id} and state = 'running' ${lock}`)

/** How many imports of the account are running, this one included. */
export const runningTogether = async (db: Database, account_id: number) =>
  (await db.one<{ count: number }>(
    sql`select count(*)::integer as count from imports where account_id = ${account_id} and state = 'running'`,
  ))!.count

interface Progress {
  /** Absent: nothing was read, and `note` says why. */
  part?: ImportPart
  /** 1 if absent. */
  pages?: number
  read?: number
  added?: number
  note?: string
  next: { part: ImportPart | null; cursor: object }
}

/** In the transaction that stores a page. */
export const advance = (
  db: Database,
  { account_id, id }: RecordKey,
  { part, pages = 1, read = 0, added = 0, note = '', next }: Progress,
) =>
  db.execute(sql`
    update imports set pages = pages + ${pages}::integer, part = ${next.part}, cursor = ${JSON.stringify(next.cursor)}, waits_until = null, message = trim(message || ' ' || ${note}::text), updated_at = now(),
      state = case when ${next.part}::text is null then 'done' else state end, finished_at = case when ${next.part}::text is null then now() end,
      counts = case when ${part ?? null}::text is null then counts else jsonb_set(counts, array[${part ?? ''}::text], jsonb_build_object(
        'read', coalesce((counts -> ${part ?? ''}::text ->> 'read')::integer, 0) + ${read}::integer,
        'added', coalesce((counts -> ${part ?? ''}::text ->> 'added')::integer, 0) + ${added}::integer)) end
    where account_id = ${account_id} and id = ${id}`)

export const wait = (db: Database, { account_id, id }: RecordKey, seconds: number) =>
  db.execute(sql`
    update imports set waits_until = now() + make_interval(secs => ${seconds}), updated_at = now()
    where account_id = ${account_id} and id = ${id} and state = 'running'`)

export async function fail(db: Database, { account_id, id }: RecordKey, message: string) {
  await db.execute(sql`
    update imports set state = 'failed', message = ${message}, waits_until = null, updated_at = now(), finished_at = now()
    where account_id = ${account_id} and id = ${id} and state = 'running'`)
  await forgetEmpty(db, { account_id, id })
}

const hasAdded = sql`exists (select from jsonb_each(i.counts) part where (part.value ->> 'added')::integer > 0)`

/** Deletes a nightly check that found nothing. A refused one stays listed until a night succeeds, and the same refusal is listed once. */
export async function forgetEmpty(db: Database, { account_id, id }: RecordKey) {
  const ended = await db.one<{ integration_id: number; message: string }>(sql`
    select i.integration_id, i.message from imports i
    where i.account_id = ${account_id} and i.id = ${id} and i.nightly and i.state in ('done', 'failed')`)
  if (!ended) return
  const { integration_id, message } = ended
  await db.execute(sql`
    delete from imports i where i.account_id = ${account_id} and i.id = ${id} and not ${hasAdded} and (${message} = '' or ${message} = (
      select p.message from imports p where p.account_id = i.account_id and p.integration_id = i.integration_id and p.nightly and p.id < i.id
      order by p.id desc limit 1))`)
  if (message === '')
    await db.execute(sql`
      delete from imports i where i.account_id = ${account_id} and i.integration_id = ${integration_id} and i.nightly and i.id < ${id}
        and i.state in ('done', 'failed') and i.message <> '' and not ${hasAdded}`)
}

const JOBS_MAX = 500

/** The jobs of which an integration reported builds itself, in the order of their names. */
export const jobsOf = async (
  db: Database,
  { account_id, project_id, integration_id }: ProjectKey & { integration_id: number },
) => {
  const found = await db.rows<{ name: string }>(sql`
    select distinct ci_job_name as name from build_runs
    where account_id = ${account_id} and project_id = ${project_id} and integration_id = ${integration_id} and ci_job_name <> ''
    limit ${JOBS_MAX}`)
  return found.map(({ name }) => name).toSorted((one, other) => (one < other ? -1 : 1))
}
