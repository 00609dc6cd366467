import type { CorrectionInput } from '../../contract/bodies.ts'
import { buildNotFailed, invalidParameter, notFound } from '../../contract/errors.ts'
import type { Correction } from '../../contract/health-shapes.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import { type Database, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { Correction as EngineCorrection } from '../../diagnosis/corrections.ts'
import type { Applied } from '../../diagnosis/finding.ts'
import { lockBreakages } from '../branches/project-lock.ts'
import { logOf } from '../builds/stored-log.ts'
import { investigateAgain } from './again.ts'

/** What people corrected about findings. The engine applies it to the same failure in other builds of the project. */

interface Editor {
  account_id: number
  project_id: number
  user_id: number | null
}

interface Case {
  account_id: number
  project_id: number
  build_run_id: number
}

/** A project has few; older ones no longer apply. */
const APPLIED_MAX = 500

interface KnownCorrection extends EngineCorrection {
  cleared_change_ids: number[]
}

/** The corrections that an investigation of this build considers, newest first. */
export const correctionsFor = (db: Database, { account_id, project_id, build_run_id }: Case): Promise<KnownCorrection[]> =>
  db.rows(sql`
    select id, coalesce(build_run_id = ${build_run_id}, false) as own, line, template, fingerprint, category, cause, cleared_change_ids
    from corrections where account_id = ${account_id} and project_id = ${project_id} and undone_at is null
    order by corrected_at desc, id desc limit ${APPLIED_MAX}`)

/** Two lists are the same if nobody corrected anything in between. */
export const revisionOf = (corrections: readonly KnownCorrection[]): string =>
  JSON.stringify(corrections.map(({ template: _, fingerprint: __, ...given }) => given))

/** Preflights of this time have the same failure as a branch, and are no builds of its breakage. */
const PREFLIGHTS_SINCE = sql`interval '14 days'`

/**
 * Stores how the engine recognizes the failure again, once it has examined the corrected build itself, and investigates the other builds of
 * its breakage and the preflights with this failure again. Needs the lock of the project's breakages.
 */
export async function applyToOthers(
  db: Database,
  { account_id, project_id, build_run_id }: Case,
  { id, own, template, fingerprint }: Applied,
) {
  if (!own) return
  const isNew = await db.execute(sql`
    update corrections set template = ${template}, fingerprint = ${fingerprint}, applied_at = goldmaster_now()
    where account_id = ${account_id} and id = ${id} and applied_at is null`)
  if (isNew > 0)
    await investigateAgain(
      db,
      account_id,
      sql`
        select o.build_run_id as id from breakage_builds m
        join breakage_builds o on o.account_id = m.account_id and o.breakage_id = m.breakage_id and not o.downstream
        where m.account_id = ${account_id} and m.build_run_id = ${build_run_id} and o.build_run_id <> m.build_run_id
        union select b.id from investigations i join build_runs b on b.account_id = i.account_id and b.id = i.build_run_id
        where i.account_id = ${account_id} and i.fingerprint = ${fingerprint} and b.project_id = ${project_id} and b.kind = 'preflight'
          and b.id <> ${build_run_id} and b.created_at > goldmaster_now() - ${PREFLIGHTS_SINCE}`,
    )
}

const COLUMNS = sql`
  c.id::text, c.project_id::text, c.build_run_id::text, c.line, c.line_text, c.category, c.cause, c.cleared_change_ids, c.user_id,
  iso(c.corrected_at) as corrected_at`

export async function list(
  db: Database,
  { account_id, project_id }: Editor,
  { build_run_id, limit }: QueryOf<'listCorrections'>,
): Promise<ReplyOf<'listCorrections'>> {
  const applied = (build: number) => sql`and c.id = (
    select i.correction_id from investigations i where i.account_id = ${account_id} and i.build_run_id = ${build}
    order by i.id desc limit 1)`
  const rows = await db.rows<Correction>(sql`
    select ${COLUMNS} from corrections c
    where c.account_id = ${account_id} and c.project_id = ${project_id} and c.undone_at is null ${when(build_run_id, applied)}
    order by c.corrected_at desc, c.id desc limit ${limit + 1}`)
  return {
    corrections: rows.slice(0, limit),
    pagination: { limit, has_more: rows.length > limit },
  } as ReplyOf<'listCorrections'>
}

interface Build {
  id: number
  status: string
  log: string | null
  log_object: string | null
}

/** Fields that are not given stay as they are. The build is investigated again, then the others of its breakage. */
export async function correct(
  db: Database,
  by: Editor,
  buildId: number | undefined,
  input: CorrectionInput,
): Promise<Correction> {
  const { account_id, project_id } = by
  const build = await db.one<Build>(sql`
    select id, status, output_log as log, log_object from build_runs
    where account_id = ${account_id} and project_id = ${project_id} and id = ${buildId ?? 0}`)
  if (!build) throw notFound('Build run')
  if (build.status !== 'failed') throw buildNotFailed(build.status)
  const line_text = input.line === undefined ? null : lineOf((await logOf(db, { account_id, ...build })) ?? '', input.line)
  await requireChanges(db, by, input.cleared_change_ids ?? [])
  return db.transaction(async (db) => {
    await lockBreakages(db, project_id)
    // After an undo a correction starts anew.
    const isGiven = (name: keyof CorrectionInput) => sql`(${input[name] !== undefined} or c.undone_at is not null)`
    const made = (await db.one<Correction>(sql`
      insert into corrections as c (account_id, project_id, build_run_id, line, line_text, category, cause, cleared_change_ids, user_id)
      values (${account_id}, ${project_id}, ${build.id}, ${input.line ?? null}, ${line_text}, ${input.category ?? null}, ${input.cause ?? null},
        ${input.cleared_change_ids ?? []}::bigint[], ${by.user_id})
      on conflict (account_id, build_run_id) do update set
        line = case when ${isGiven('line')} then excluded.line else c.line end,
        line_text = case when ${isGiven('line')} then excluded.line_text else c.line_text end,
        template = case when ${isGiven('line')} then null else c.template end,
        category = case when ${isGiven('category')} then excluded.category else c.category end,
        cause = case when ${isGiven('cause')} then excluded.cause else c.cause end,
        cleared_change_ids = case when ${isGiven('cleared_change_ids')} then excluded.cleared_change_ids else c.cleared_change_ids end,
        user_id = excluded.user_id, corrected_at = goldmaster_now(), applied_at = null, undone_at = null
      returning ${COLUMNS}`))!
    await investigateAgain(db, account_id, sql`select ${build.id}::bigint as id`)
    return made
  })
}

/** Undoes a correction. The builds that it was applied to are investigated again. */
export const undo = (db: Database, { account_id, project_id }: Editor, id: number | undefined): Promise<Correction> =>
  db.transaction(async (db) => {
    await lockBreakages(db, project_id)
    const isUndone = await db.execute(sql`
      update corrections set undone_at = goldmaster_now()
      where account_id = ${account_id} and project_id = ${project_id} and id = ${id ?? 0} and undone_at is null`)
    const found = await db.one<Correction>(sql`
      select ${COLUMNS} from corrections c where c.account_id = ${account_id} and c.project_id = ${project_id} and c.id = ${id ?? 0}`)
    if (!found) throw notFound('Correction')
    if (isUndone > 0)
      await investigateAgain(
        db,
        account_id,
        sql`select i.build_run_id as id from investigations i where i.account_id = ${account_id} and i.correction_id = ${id!}`,
      )
    return found
  })

const lineOf = (log: string, number: number): string => {
  const text = log.split('\n')[number - 1]?.trim() ?? ''
  if (text === '') throw invalidParameter('line', 'must be the number of a line in the log that is not empty')
  return text.slice(0, LINE_MAX)
}
const LINE_MAX = 2_000

async function requireChanges(db: Database, { account_id, project_id }: Editor, ids: readonly number[]) {
  const unknown = await db.one<{ id: number }>(sql`
    select id from unnest(${ids}::bigint[]) given (id)
    where not exists (select from changes c where c.account_id = ${account_id} and c.project_id = ${project_id} and c.id = given.id) limit 1`)
  if (unknown) throw invalidParameter('cleared_change_ids', `must be changes of this project: ${unknown.id} is not`)
}
