import { artifactGap, invalidParameter, tooManyArtifacts, tooManyUnfinished, unknownBuild } from '../../contract/errors.ts'
import { ARTIFACT_MAX, ARTIFACT_PIECE_MIN, ARTIFACTS_MAX } from '../../contract/limits.ts'
import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { fileLimit, type Quotas, refuseFile } from '../accounts/quotas.ts'
import { RUNNING } from '../branches/build-statuses.ts'
import { storeBytes } from '../files/files.ts'
import type { IntegrationContext } from '../integrations/context.ts'
import { addBytes, hashOf } from './running-sha256.ts'

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
  /** Of the received bytes; null before the first. */
  hash_state: Buffer | null
}

const UPLOAD = sql`id, bytes::float8 as bytes, received::float8 as received, completed_at is not null as complete, hash_state`

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
  // A piece of an unknown build waits for its turn like any other.
  const { build, upload } = await transaction(async (db) => {
    const build = await findBuild(db, context, piece)
    return { build, upload: await open(db, context, build, piece, quotas) }
  })
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
  const stored: StoredPiece = {
    ...piece,
    sha256: await storeBytes(db, context.account_id, piece.bytes),
    hash_state: await addBytes(upload.hash_state, piece.bytes),
  }
  return reply(await transaction((db) => append(db, context, build, upload.id, stored, quotas)))
}

interface StoredPiece extends ArtifactPiece {
  sha256: Buffer
  /** Of the file up to the end of this piece. */
  hash_state: Buffer
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

/** Announces the file with its first piece. One that can't fit is refused at once; what has arrived counts against the quota. */
async function open(
  db: Database,
  { account_id, project_id }: IntegrationContext,
  build: number,
  { name, upload, size }: ArtifactPiece,
  quotas: Quotas,
): Promise<Upload> {
  const find = () =>
    db.one<Upload>(sql`
      select ${UPLOAD} from artifacts
      where account_id = ${account_id} and build_run_id = ${build} and name = ${name} and upload = ${upload}`)
  const known = await find()
  if (known) {
    if (known.bytes !== size) throw invalidParameter('size', `was ${known.bytes} before: start again with another upload id`)
    return known
  }
  if (size < 1 || size > ARTIFACT_MAX) throw invalidParameter('size', `must be from 1 to ${ARTIFACT_MAX} bytes`)
  await db.one(sql`select from build_runs where account_id = ${account_id} and id = ${build} for no key update`)
  await refuseFile(db, quotas, account_id, 'artifacts', size)
  const { count } = (await db.one<{ count: number }>(sql`
    select count(*) from artifacts where account_id = ${account_id} and build_run_id = ${build}`))!
  if (count >= ARTIFACTS_MAX) throw tooManyArtifacts(ARTIFACTS_MAX)
  await db.execute(sql`
    insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes)
    values (${account_id}, ${project_id}, ${build}, ${name}, ${upload}, ${size}) on conflict do nothing`)
  return (await find())!
}

/** The last piece makes the file visible. */
async function append(
  db: Database,
  context: IntegrationContext,
  build: number,
  id: string,
  piece: StoredPiece,
  quotas: Quotas,
): Promise<Pick<Upload, 'received' | 'complete'>> {
  const { account_id } = context
  // Two last pieces of one name would both be the newest.
  const running = await db.one<{ is_running: boolean }>(sql`
    select status in ${RUNNING} as is_running from build_runs where account_id = ${account_id} and id = ${build} for no key update`)
  const upload = await db.one<Upload>(
    sql`select ${UPLOAD} from artifacts where account_id = ${account_id} and id = ${id} for update`,
  )
  if (!upload) throw artifactGap(0)
  if (upload.received !== piece.offset) return upload
  const received = piece.offset + piece.bytes.length
  const complete = received === upload.bytes
  await refuseFile(db, quotas, account_id, 'artifacts', piece.bytes.length)
  if (!complete) await refuseUnfinished(db, quotas, context, id, piece.bytes.length)
  await db.execute(sql`
    insert into artifact_pieces (account_id, artifact_id, start, bytes, sha256)
    values (${account_id}, ${id}, ${piece.offset}, ${piece.bytes.length}, ${piece.sha256})`)
  await db.execute(sql`
    update artifacts set received = ${received}, hash_state = ${piece.hash_state}, updated_at = now()
    where account_id = ${account_id} and id = ${id}`)
  if (complete) await finish(db, { account_id, id: build }, id, piece, running?.is_running ?? false)
  return { received, complete }
}

/**
 * The same bytes again are the artifact that is there, with its links. Other bytes are another artifact beside it, unless the build still runs and
 * nobody was given a link to the former: what a finished build has made never changes under its address.
 */
async function finish(db: Database, build: RecordKey, id: string, { name, upload, hash_state }: StoredPiece, isRunning: boolean) {
  const { account_id } = build
  const sha256 = hashOf(hash_state)
  const former = await db.rows<{ id: string; sha256: Buffer }>(sql`
    select id, sha256 from artifacts
    where account_id = ${account_id} and build_run_id = ${build.id} and name = ${name} and completed_at is not null order by id for update`)
  const same = former.find((one) => one.sha256.equals(sha256))
  if (same) {
    await db.execute(sql`delete from artifacts where account_id = ${account_id} and id = ${id}`)
    await db.execute(sql`update artifacts set upload = ${upload} where account_id = ${account_id} and id = ${same.id}`)
    return
  }
  const replaced = isRunning
    ? await db.execute(sql`
        delete from artifacts a where a.account_id = ${account_id} and a.id = any (${former.map((one) => one.id)}) and not exists (
          select from share_links l where l.account_id = ${account_id} and l.artifact_id = a.id)`)
    : 0
  await db.execute(sql`
    update artifacts set completed_at = now(), sha256 = ${sha256}, hash_state = null, again = ${replaced < former.length}
    where account_id = ${account_id} and id = ${id}`)
  await db.execute(sql`
    update build_runs set progressed_at = now(), updated_at = now() where account_id = ${account_id} and id = ${build.id}`)
}

/** Uploads that stop are kept for a day: those of one integration may have half of the account's files meanwhile. */
const UNFINISHED_SHARE = 0.5

async function refuseUnfinished(
  db: Database,
  quotas: Quotas,
  { account_id, integration_id }: IntegrationContext,
  id: string,
  bytes: number,
) {
  const limit = await fileLimit(db, quotas, account_id)
  if (limit === null) return
  const { others } = (await db.one<{ others: number }>(sql`
    select coalesce(sum(a.received), 0)::float8 as others from artifacts a
    join build_runs b on b.account_id = a.account_id and b.id = a.build_run_id
    where a.account_id = ${account_id} and a.completed_at is null and a.id <> ${id} and b.integration_id = ${integration_id}`))!
  if (others > 0 && others + bytes > limit * UNFINISHED_SHARE) throw tooManyUnfinished()
}
