import { exportRunning, notFound } from '../../contract/errors.ts'
import type { ExportStatus } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { enqueue, type Jobs } from '../../db/queue.ts'
import { sealedIn, type Vault } from '../privacy/secrets.ts'
import type { Scope } from './table-ownership.ts'
import { someOf } from './table-placement.ts'

/** How long a file can be downloaded. */
const HOURS = 24

interface Export {
  id: number
  project_id: number | null
  user_id: number
  status: ExportStatus
  /** Whether it includes secrets. */
  secrets: boolean
  rows: number
  bytes: number
  error: string | null
  created_at: string
  expires_at: string
}

interface Requested extends Scope {
  user_id: number
  /** The requester administers the account. Otherwise the file contains what the project's lead can see. */
  whole: boolean
}

const placeOf = (id: number) => sealedIn('exports', id, 'passphrase_sealed')
const select = (where: Sql) => sql`
  select e.id, e.project_id, e.user_id, e.status, e.secrets, e.rows, e.bytes, e.error, e.created_at, e.expires_at
  from exports e where ${where} order by e.id desc limit 100`

/** One at a time per account or project: another would contain the same. */
export function request(db: Database, vault: Vault, asked: Requested, passphrase: string | undefined): Promise<Export> {
  const { account_id, project_id = null, user_id, whole } = asked
  return db.transaction(async (db) => {
    const made = await db.one<{ id: number }>(sql`
      insert into exports (account_id, project_id, user_id, whole, secrets, expires_at)
      values (${account_id}, ${project_id}, ${user_id}, ${whole}, ${passphrase !== undefined}, now() + make_interval(hours => ${HOURS}))
      on conflict do nothing returning id`)
    if (!made) throw exportRunning()
    if (passphrase !== undefined)
      await db.execute(sql`
        update exports set passphrase_sealed = ${vault.seal(passphrase, placeOf(made.id))} where account_id = ${account_id} and id = ${made.id}`)
    // Each holds a snapshot and a connection for as long as it takes, so only a few are written at a time.
    await enqueue(db, 'write_export', { account_id, export_id: made.id }, { account_id, server: 'exports' })
    return (await db.one<Export>(select(sql`e.account_id = ${account_id} and e.id = ${made.id}`)))!
  })
}

/** Owners can download all exports; the creator of a project export can as long as they have access to its content. */
const fetchable = (accountId: number, userId: number) => sql`
  e.account_id = ${accountId} and e.expires_at > now() and exists (
    select from account_members m where m.account_id = e.account_id and m.user_id = ${userId} and (m.role = 'owner'
      or e.user_id = m.user_id and e.project_id is not null and (m.role = 'admin' or not e.whole and exists (
        select from project_access a where a.user_id = m.user_id and a.project_id = e.project_id and a.project_role = 'lead'))))`

export const list = (db: Database, accountId: number, userId: number): Promise<Export[]> =>
  db.rows(select(fetchable(accountId, userId)))

export interface ExportFile {
  account_id: number
  id: number
  bytes: number
  created_at: string
}

export async function find(db: Database, accountId: number, userId: number, id: number): Promise<ExportFile> {
  const found = await db.one<ExportFile>(sql`
    select e.account_id, e.id, e.bytes, e.created_at from exports e
    where e.id = ${id} and e.status = 'done' and ${fetchable(accountId, userId)}`)
  if (!found) throw notFound('Export')
  return found
}

/** The bytes of a file from an offset on, in chunks; nothing if it was deleted in the meantime. */
export async function* read(db: Database, { account_id, id }: ExportFile, from: number, until: number): AsyncGenerator<Buffer> {
  for (let at = from; at < until; ) {
    const chunk = await db.one<{ start: number; body: Buffer }>(sql`
      select start, body from export_chunks
      where account_id = ${account_id} and export_id = ${id} and start <= ${at} order by start desc limit 1`)
    const bytes = chunk?.body.subarray(at - chunk.start, until - chunk.start)
    if (!bytes?.length) throw new Error('the export is gone')
    yield bytes
    at += bytes.length
  }
}

/** Called before writing, also after a worker died; the file starts over. Nothing if nobody waits for it any more. */
export async function begin(db: Database, vault: Vault, { account_id, export_id: id }: Jobs['write_export']) {
  const found = await db.one<
    Omit<Requested, 'account_id' | 'project_id'> & { passphrase_sealed: string | null; project_id: number | null }
  >(sql`
    update exports set status = 'running', rows = 0, bytes = 0
    where account_id = ${account_id} and id = ${id} and status in ('waiting', 'running') and expires_at > now()
    returning project_id, user_id, whole, passphrase_sealed`)
  if (!found) return undefined
  const { project_id, user_id, whole, passphrase_sealed } = found
  await removeChunks(db, account_id, sql`t.export_id = ${id}`)
  return {
    scope: { account_id, project_id: project_id ?? undefined },
    audience: whole ? ('admin' as const) : { lead: user_id },
    passphrase: passphrase_sealed === null ? undefined : vault.open(passphrase_sealed, placeOf(id)),
  }
}

export const append = (db: Database, accountId: number, id: number, start: number, body: Buffer, rows: number) =>
  db.execute(sql`
    with chunk as (insert into export_chunks (account_id, export_id, start, body) values (${accountId}, ${id}, ${start}, ${body}))
    update exports set rows = ${rows}, bytes = ${start + body.length} where account_id = ${accountId} and id = ${id}`)

/**
 * The passphrase is not stored with the file. A new file replaces earlier ones of the same content by the same person: repeated requests
 * don't fill the disk.
 */
export const finish = (db: Database, accountId: number, id: number) =>
  db.execute(sql`
    with finished as (
      update exports set status = 'done', passphrase_sealed = null, expires_at = now() + make_interval(hours => ${HOURS})
      where account_id = ${accountId} and id = ${id} returning account_id, project_id, user_id)
    update exports e set expires_at = now() from finished f
    where e.account_id = f.account_id and e.project_id is not distinct from f.project_id and e.user_id = f.user_id and e.id < ${id}`)

/** Deletes the partial file and keeps a former one. The error goes to the service's log only. */
export async function fail(db: Database, accountId: number, id: number) {
  await removeChunks(db, accountId, sql`t.export_id = ${id}`)
  const words = `The export failed and left no file. Try again. If it fails again, ask the operator to check the service log for export ${id}.`
  await db.execute(sql`
    update exports set status = 'failed', error = ${words}, passphrase_sealed = null, rows = 0, bytes = 0
    where account_id = ${accountId} and id = ${id}`)
}

async function removeChunks(db: Database, accountId: number, which: Sql) {
  const own = sql`t.account_id = ${accountId} and ${which}`
  const some = sql`delete from export_chunks t where ${await someOf(db, 'export_chunks', accountId, own, 100)}`
  while ((await db.execute(some)) > 0);
}

/** Files that contain somebody who is being deleted. */
export async function removeOf(db: Database, accountId: number) {
  await removeChunks(db, accountId, sql`true`)
  await db.execute(sql`delete from exports where account_id = ${accountId}`)
}
