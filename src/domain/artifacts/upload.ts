import { artifactGap, invalidParameter, tooManyArtifacts, unknownBuild } from '../../contract/errors.ts'
import { ARTIFACT_MAX, ARTIFACT_PIECE_MIN, ARTIFACTS_MAX } from '../../contract/limits.ts'
import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { type Quotas, refuseFile } from '../accounts/quotas.ts'
import { storeBytes } from '../files/files.ts'
import type { IntegrationContext } from '../integrations/context.ts'

/** A part of a build's file. */
export interface ArtifactPiece {
  job: string
  number: string
  name: string
  /** The sender's id for this upload of the file. */
  upload: string
  /** Of the whole file. */
  size: number
  /** Where this piece starts. */
  offset: number
  bytes: Buffer
}

export interface Uploaded {
  status: 'uploading' | 'complete'
  build_run_id: string
  /** Where the next piece starts. */
  offset: number
}

interface Upload {
  id: string
  bytes: number
  received: number
  complete: boolean
}

interface UploadSettings {
  quotas: Quotas
  /** Runs a transaction once the account has a free slot. */
  transaction<T>(work: (db: Database) => Promise<T>): Promise<T>
}

/**
 * Stores the next piece of a file. Pieces that have arrived are skipped, so that a sender may repeat any of them; nothing refers to a piece
 * before it is on disk, and nobody sees the file before it is complete.
 */
export async function addPiece(
  db: Database,
  context: IntegrationContext,
  piece: ArtifactPiece,
  { quotas, transaction }: UploadSettings,
): Promise<Uploaded> {
  const build = await findBuild(db, context, piece)
  const upload = await transaction((db) => open(db, context, build, piece, quotas))
  const reply = ({ received, complete }: Pick<Upload, 'received' | 'complete'>): Uploaded => ({
    status: complete ? 'complete' : 'uploading',
    build_run_id: String(build),
    offset: received,
  })
  const end = piece.offset + piece.bytes.length
  if (upload.complete || end <= upload.received || piece.bytes.length === 0) return reply(upload)
  if (piece.offset !== upload.received) throw artifactGap(upload.received)
  if (end > piece.size) throw invalidParameter('size', `is ${piece.size}, but this piece ends at byte ${end}`)
  if (end < piece.size && piece.bytes.length < ARTIFACT_PIECE_MIN)
    throw invalidParameter('offset', `must be followed by a piece of at least ${ARTIFACT_PIECE_MIN} bytes, or by the last one`)
  const sha256 = await storeBytes(db, context.account_id, piece.bytes)
  return reply(await transaction((db) => append(db, { account_id: context.account_id, id: build }, upload.id, piece, sha256)))
}

async function findBuild(
  db: Database,
  { account_id, integration_id }: IntegrationContext,
  { job, number }: ArtifactPiece,
): Promise<number> {
  const build = await db.one<{ id: number }>(sql`
    select id from build_runs where account_id = ${account_id} and integration_id = ${integration_id}
      and ci_job_name = ${job} and build_number = ${number} and build_number <> ''`)
  if (!build) throw unknownBuild()
  return build.id
}

/** Announces the file with its first piece: from then on it counts against the quota. */
async function open(
  db: Database,
  { account_id, project_id }: IntegrationContext,
  build: number,
  { name, upload, size }: ArtifactPiece,
  quotas: Quotas,
): Promise<Upload> {
  const find = () =>
    db.one<Upload>(sql`
      select id, bytes::float8 as bytes, received::float8 as received, completed_at is not null as complete from artifacts
      where account_id = ${account_id} and build_run_id = ${build} and name = ${name} and upload = ${upload}`)
  const known = await find()
  if (known) {
    if (known.bytes !== size) throw invalidParameter('size', `was ${known.bytes} before: start again with another upload id`)
    return known
  }
  if (size < 1 || size > ARTIFACT_MAX) throw invalidParameter('size', `must be from 1 to ${ARTIFACT_MAX} bytes`)
  await db.one(sql`select from build_runs where account_id = ${account_id} and id = ${build} for no key update`)
  await refuseFile(db, quotas, account_id, size)
  const { count } = (await db.one<{ count: number }>(sql`
    select count(*) from artifacts where account_id = ${account_id} and build_run_id = ${build}`))!
  if (count >= ARTIFACTS_MAX) throw tooManyArtifacts(ARTIFACTS_MAX)
  await db.execute(sql`
    insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes)
    values (${account_id}, ${project_id}, ${build}, ${name}, ${upload}, ${size}) on conflict do nothing`)
  return (await find())!
}

/** The last piece makes the file visible and removes the former one of that name. */
async function append(
  db: Database,
  build: RecordKey,
  id: string,
  { offset, bytes, name }: ArtifactPiece,
  sha256: Buffer,
): Promise<Pick<Upload, 'received' | 'complete'>> {
  const { account_id } = build
  // Two last pieces of one name would both be the newest.
  await db.one(sql`select from build_runs where account_id = ${account_id} and id = ${build.id} for no key update`)
  const upload = await db.one<Upload>(sql`
    select id, bytes::float8 as bytes, received::float8 as received, completed_at is not null as complete from artifacts
    where account_id = ${account_id} and id = ${id} for update`)
  if (!upload) throw artifactGap(0)
  if (upload.received !== offset) return upload
  const received = offset + bytes.length
  const complete = received === upload.bytes
  await db.execute(sql`
    insert into artifact_pieces (account_id, artifact_id, start, bytes, sha256)
    values (${account_id}, ${id}, ${offset}, ${bytes.length}, ${sha256})`)
  if (complete)
    await db.execute(sql`
      delete from artifacts where account_id = ${account_id} and build_run_id = ${build.id} and name = ${name} and completed_at is not null`)
  await db.execute(sql`
    update artifacts set received = ${received}, updated_at = now(), completed_at = case when ${complete} then now() end
    where account_id = ${account_id} and id = ${id}`)
  if (complete)
    await db.execute(sql`
      update build_runs set progressed_at = now(), updated_at = now() where account_id = ${account_id} and id = ${build.id}`)
  return { received, complete }
}
