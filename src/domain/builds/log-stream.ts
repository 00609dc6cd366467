import { logGap, logSuperseded, logTaken, unknownBuild } from '../../contract/errors.ts'
import { LOG_MAX } from '../../contract/limits.ts'
import { type BuildStatus, RUNNING_STATUSES } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import type { IntegrationContext } from '../integrations/context.ts'
import { charactersIn, wholeCharacters } from './log-text.ts'
import { append, kept, stored } from './logs.ts'
import { clearLost } from './lost.ts'
import { hasLog, replacing } from './stored-log.ts'

/** A piece of the log of a running build. */
export interface LogChunk {
  job: string
  number: string
  /** How many bytes of the log precede it. */
  offset: number
  /** The sender's id for this run of the build. */
  stream: string
  bytes: Buffer
}

interface Appended {
  status: 'appended' | 'duplicate' | 'ignored'
  build_run_id: string
  /** Where the next piece starts: after the last whole character that was stored. */
  offset: number
}

interface StreamedBuild extends RecordKey {
  status: BuildStatus
  has_log: boolean
  stream: string | null
  received: number
  closed: boolean
}

/**
 * Appends what the build printed since the last piece; bytes that are stored already are skipped. The cost does not depend on the length of
 * the log.
 */
export async function appendChunk(db: Database, context: IntegrationContext, chunk: LogChunk): Promise<Appended> {
  const known = await lock(db, context, chunk)
  if (known === undefined) throw unknownBuild()
  const answer = (status: Appended['status'], offset: number): Appended => ({ status, build_run_id: String(known.id), offset })
  if (known.closed) return answer('ignored', chunk.offset + chunk.bytes.length)
  const running = RUNNING_STATUSES.includes(known.status)
  if (chunk.bytes.length === 0) {
    if (running) await heartbeat(db, known, chunk)
    return answer('duplicate', known.stream === chunk.stream ? known.received : 0)
  }
  const received = known.stream === chunk.stream ? known.received : await begin(db, known, chunk, running)
  const fresh = wholeCharacters(chunk.bytes.subarray(Math.min(chunk.bytes.length, Math.max(0, received - chunk.offset))))
  if (fresh.length === 0) return answer('duplicate', received)
  const text = fresh.toString('utf8').replaceAll('\0', '\uFFFD')
  // A piece longer than the kept part needs nothing before it: a sender that was offline for long continues at the end.
  if (chunk.offset > received && charactersIn(text) < LOG_MAX) throw logGap(received)

  const offset = Math.max(received, chunk.offset) + fresh.length
  await db.execute(sql`
    insert into build_log_streams (account_id, build_run_id, stream, received, received_at)
    values (${context.account_id}, ${known.id}, ${chunk.stream}, ${offset}, goldmaster_now())
    on conflict (account_id, build_run_id) do update set stream = excluded.stream, received = excluded.received, received_at = excluded.received_at`)
  if (running) {
    await addChunk(db, known, text)
    await clearLost(db, known)
    await progress(db, known)
  } else await append(db, known, text)
  return answer('appended', offset)
}

/** An empty piece: the build prints nothing for now, but its runner is alive. */
async function heartbeat(db: Database, known: RecordKey, { stream }: LogChunk) {
  const heard = await db.execute(sql`
    insert into build_log_streams as s (account_id, build_run_id, stream, received, received_at)
    values (${known.account_id}, ${known.id}, ${stream}, 0, goldmaster_now())
    on conflict (account_id, build_run_id) do update set received_at = excluded.received_at where s.stream = excluded.stream`)
  if (heard > 0) await clearLost(db, known)
}

/** Locked: reports about the build and other pieces wait until this one is stored. */
async function lock(
  db: Database,
  { account_id, integration_id }: IntegrationContext,
  { job, number }: LogChunk,
): Promise<StreamedBuild | undefined> {
  const build = await db.one<Pick<StreamedBuild, 'account_id' | 'id' | 'status' | 'has_log'>>(sql`
    select b.account_id, b.id, b.status, ${hasLog} as has_log from build_runs b
    where account_id = ${account_id} and integration_id = ${integration_id} and ci_job_name = ${job} and build_number = ${number}
      and build_number <> ''
    for no key update`)
  if (!build) return undefined
  // A separate statement after the lock: a join would read the row as it was before the piece that this one waited for.
  const stream = await db.one<Pick<StreamedBuild, 'stream' | 'received' | 'closed'>>(sql`
    select stream, received::float8 as received, closed from build_log_streams
    where account_id = ${account_id} and build_run_id = ${build.id}`)
  return { stream: null, received: 0, closed: false, ...build, ...stream }
}

/** The first piece of a run. A new run of the same number replaces the log while it lasts, and keeps it once it is over. */
async function begin(db: Database, known: StreamedBuild, { offset }: LogChunk, running: boolean): Promise<number> {
  if (known.stream === null) {
    if (!running && known.has_log) throw logTaken()
    return 0
  }
  if (!running) throw logTaken()
  if (offset > 0) throw logSuperseded()
  await replaceChunks(db, known.account_id, [known.id])
  await db.execute(sql`
    update build_runs set ${replacing(sql`null`)} where account_id = ${known.account_id} and id = ${known.id}`)
  return 0
}

/** Appended; pieces entirely before the kept part are deleted. */
const addChunk = (db: Database, { account_id, id }: RecordKey, text: string) =>
  db.execute(sql`
    with added as (
      insert into build_log_chunks (account_id, build_run_id, until, text)
      select ${account_id}, ${id}, char_length(piece) + coalesce((
        select max(until) from build_log_chunks where account_id = ${account_id} and build_run_id = ${id}), 0), piece
      from (select ${stored(text)} as piece) given returning until)
    delete from build_log_chunks where account_id = ${account_id} and build_run_id = ${id} and until <= (select until from added) - ${LOG_MAX}`)

/** Viewers are notified at most once a second. */
const progress = (db: Database, { account_id, id }: RecordKey) =>
  db.execute(sql`
    update build_runs set progressed_at = now(), updated_at = now()
    where account_id = ${account_id} and id = ${id} and coalesce(progressed_at, '-infinity') < now() - interval '1 second'`)

/** The build is over: its pieces become its log. */
export const joinChunks = async (db: Database, accountId: number, builds: readonly number[]) =>
  builds.length > 0 &&
  db.execute(sql`
    with gone as (
        delete from build_log_chunks where account_id = ${accountId} and build_run_id = any (${builds}::bigint[])
        returning build_run_id, until, text),
      printed as (select build_run_id, string_agg(text, '' order by until) as text from gone group by build_run_id)
    update build_runs b set output_log = ${kept(sql`coalesce(b.output_log, '') || p.text`)}
    from printed p where b.account_id = ${accountId} and b.id = p.build_run_id`)

/** A report contained the log up to now. */
export const replaceChunks = async (db: Database, accountId: number, builds: readonly number[]) =>
  builds.length > 0 &&
  db.execute(sql`delete from build_log_chunks where account_id = ${accountId} and build_run_id = any (${builds}::bigint[])`)

/** The complete log has arrived in another way. */
export const close = async (db: Database, accountId: number, builds: readonly number[]) =>
  builds.length > 0 &&
  db.execute(sql`
    with gone as (delete from build_log_chunks where account_id = ${accountId} and build_run_id = any (${builds}::bigint[]))
    update build_log_streams set closed = true
    where account_id = ${accountId} and build_run_id = any (${builds}::bigint[]) and not closed`)

/** What the build `b` printed so far, without the part moved to object storage: `logOf` has all of it. */
export const printed = sql`case when exists (select from build_log_chunks c where c.account_id = b.account_id and c.build_run_id = b.id)
  then ${kept(sql`coalesce(b.output_log, '') || (select string_agg(c.text, '' order by c.until) from build_log_chunks c
    where c.account_id = b.account_id and c.build_run_id = b.id)`)}
  else b.output_log end`
