import { notFound } from '../../contract/errors.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import { buildPlatformOf, configurationOf } from '../../contract/spellings/build-dimensions.ts'
import { type Database, empty, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { branchKey } from '../branches/branch-names.ts'
import { PASSED } from '../branches/build-statuses.ts'
import { BRANCH, inOrder, positionOn } from '../branches/positions.ts'
import { artifactUrl } from '../builds/artifact-list.ts'
import { CONFIGURATION, PLATFORM } from '../builds/builds.ts'
import { nameOf } from '../files/content.ts'
import { readPiece } from '../files/files.ts'
import { asShown } from '../privacy/scrub.ts'

export interface Artifact {
  id: string
  account_id: number
  bytes: number
  name: string
  /** The SHA-256 of the hashes of its pieces: the same for the same upload. */
  tag: string
}

/** A path is only a name here: the last part, without marks that mislead. */
export const fileNameOf = ({ name }: Pick<Artifact, 'name'>): string => nameOf(name)

const TAG = sql`(
  select encode(sha256(string_agg(p.sha256, ''::bytea order by p.start)), 'hex') from artifact_pieces p
  where p.account_id = a.account_id and p.artifact_id = a.id)`

/** A complete one. */
export const find = (db: Database, by: ProjectKey, id: string): Promise<Artifact | undefined> =>
  db.one<Artifact>(sql`
    select a.id, a.account_id, a.bytes::float8 as bytes, a.name, ${TAG} as tag from artifacts a
    where a.account_id = ${by.account_id} and a.project_id = ${by.project_id} and a.id = ${id} and a.completed_at is not null`)

/** As much as is in memory at a time. */
const READ_BYTES = 1024 * 1024

/** The bytes of an artifact, from one offset to before another. */
export async function* read(db: Database, { account_id, id }: Artifact, from: number, until: number): AsyncGenerator<Buffer> {
  for (let at = from; at < until; ) {
    const piece = await db.one<{ start: number; bytes: number; sha256: Buffer }>(sql`
      select start::float8 as start, bytes, sha256 from artifact_pieces
      where account_id = ${account_id} and artifact_id = ${id} and start <= ${at} order by start desc limit 1`)
    // Deleted or replaced meanwhile.
    if (!piece) throw notFound('Artifact')
    const end = Math.min(until, piece.start + piece.bytes)
    for (; at < end; at = Math.min(end, at + READ_BYTES))
      yield await readPiece(db, account_id, piece.sha256, at - piece.start, Math.min(end, at + READ_BYTES) - piece.start)
  }
}

const shown = (site: string) => sql`
  a.id, a.build_run_id::text, a.name, a.bytes::float8 as size_bytes, ${artifactUrl(site)} as url, iso(a.completed_at) as created_at`

export async function listOfBuild(
  db: Database,
  by: ProjectKey,
  buildId: number | undefined,
  site: string,
): Promise<ReplyOf<'listBuildArtifacts'>> {
  const build = await db.one(sql`
    select from build_runs where account_id = ${by.account_id} and project_id = ${by.project_id} and id = ${buildId ?? 0}`)
  if (!build) throw notFound('Build run')
  return {
    artifacts: await db.rows(sql`
      select ${shown(site)} from artifacts a
      where a.account_id = ${by.account_id} and a.build_run_id = ${buildId} and a.completed_at is not null order by a.name`),
  }
}

/** How many builds with artifacts are compared; far more than retention keeps of one branch. */
const COMPARED = 2_000

/** `*` stands for anything. */
const likeOf = (pattern: string) => pattern.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')

/**
 * The artifacts of the newest passed build that has a matching one: with a branch by position, since reports of older changes may come later;
 * otherwise by arrival.
 */
export async function latest(
  db: Database,
  by: ProjectKey,
  { job, branch, platform, configuration, name }: QueryOf<'listLatestArtifacts'>,
  site: string,
): Promise<ReplyOf<'listLatestArtifacts'>> {
  const on = branch === undefined ? undefined : asShown(branchKey(branch))
  const named = when(name, (pattern) => sql`and a.name ilike ${likeOf(pattern)}`)
  const order = on === undefined ? sql`b.created_at desc, b.id desc` : sql`${inOrder(positionOn(sql`${on}::text`))} desc`
  const build = await db.one<{ id: number }>(sql`
    select b.id from (
      select distinct on (a.build_run_id) a.build_run_id from artifacts a
      where a.account_id = ${by.account_id} and a.project_id = ${by.project_id} and a.completed_at is not null ${named}
      order by a.build_run_id desc limit ${COMPARED}) a
    join build_runs b on b.account_id = ${by.account_id} and b.id = a.build_run_id
    where b.status in ${PASSED} and b.kind <> 'preflight'
      ${when(job, (job) => sql`and b.ci_job_name = ${asShown(job)}`)}
      ${on === undefined ? empty : sql`and ${BRANCH} = ${on}`}
      ${when(platform, (platform) => sql`and ${PLATFORM} = ${asShown(buildPlatformOf(platform))}`)}
      ${when(configuration, (configuration) => sql`and ${CONFIGURATION} = ${asShown(configurationOf(configuration))}`)}
    order by ${order} limit 1`)
  if (!build) return { artifacts: [] }
  return {
    artifacts: await db.rows(sql`
      select ${shown(site)} from artifacts a
      where a.account_id = ${by.account_id} and a.build_run_id = ${build.id} and a.completed_at is not null ${named} order by a.name`),
  }
}
