import { createHash } from 'node:crypto'
import { emptyFile, fileStoreAway, objectLost } from '../../contract/errors.ts'
import type { CommentSubject } from '../../contract/sets.ts'
import { type Database, type FileStore, sql } from '../../db/database.ts'
import { fileKey } from '../../db/file-key.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { oneByOne } from '../accounts/isolation.ts'
import { isOnDeletedTask } from '../tasks/deleted.ts'
import { type Content, nameOf, readContent } from './content.ts'

const storeOf = (db: Database): FileStore => {
  if (!db.files) throw fileStoreAway(new Error('This process has no file store.'))
  return db.files
}

const reach = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw fileStoreAway(error)
  })

export interface StoredFile extends Content {
  name: string
  sha256: Buffer
}

/**
 * Writes bytes to the store as they are, before anything refers to them. The row that announces them is written first: whenever this process
 * is killed, the file is found by the row and removed. Returns their hash.
 */
export async function storeBytes(db: Database, accountId: number, bytes: Buffer): Promise<Buffer> {
  const files = storeOf(db)
  const sha256 = createHash('sha256').update(bytes).digest()
  await db.execute(sql`
    insert into file_contents (account_id, sha256, bytes) values (${accountId}, ${sha256}, ${bytes.length})
    on conflict (account_id, sha256) do update set used_at = excluded.used_at`)
  await reach(files.put(fileKey(accountId, sha256), bytes))
  return sha256
}

/** The same for a file that somebody attaches: its type is recognized, and personal data is removed. */
export async function store(db: Database, accountId: number, given: { name: string; bytes: Buffer }): Promise<StoredFile> {
  if (given.bytes.length === 0) throw emptyFile()
  const content = readContent(given.bytes)
  return { ...content, name: nameOf(given.name), sha256: await storeBytes(db, accountId, content.bytes) }
}

/** The same where there may be no file store: the bytes are kept in the database until the next sweep moves them. */
export async function storeImported(
  db: Database,
  accountId: number,
  given: { name: string; bytes: Buffer },
): Promise<StoredFile> {
  const content = readContent(given.bytes)
  const sha256 = createHash('sha256').update(content.bytes).digest()
  await db.execute(sql`
    insert into file_contents (account_id, sha256, bytes, content) values (${accountId}, ${sha256}, ${content.bytes.length}, ${content.bytes})
    on conflict (account_id, sha256) do update set used_at = excluded.used_at`)
  return { ...content, name: nameOf(given.name), sha256 }
}

export const attach = (
  db: Database,
  by: ProjectKey,
  commentId: number,
  { name, sha256, bytes, type, width, height }: StoredFile,
) =>
  db.execute(sql`
    insert into files (account_id, project_id, comment_id, sha256, bytes, name, type, width, height)
    values (${by.account_id}, ${by.project_id}, ${commentId}, ${sha256}, ${bytes.length}, ${name}, ${type}, ${width}, ${height})`)

export interface File {
  id: string
  account_id: number
  sha256: Buffer
  bytes: number
  name: string
  type: string
  /** The kind of record that its comment is on. */
  subject: CommentSubject
}

/** Of a comment that was not deleted, on a record that was not. */
export const find = (db: Database, by: ProjectKey, id: string): Promise<File | undefined> =>
  db.one<File>(sql`
    select f.id, f.account_id, f.sha256, f.bytes, f.name, f.type, c.subject
    from files f join comments c on c.account_id = f.account_id and c.id = f.comment_id
    where f.account_id = ${by.account_id} and f.project_id = ${by.project_id} and f.id = ${id} and c.deleted_at is null
      and not ${isOnDeletedTask(sql`c`)}`)

/** As much as is in memory at a time. */
const PIECE = 1024 * 1024

/** The bytes of a file, from one offset to before another. */
export async function* read(
  db: Database,
  { account_id, sha256 }: Pick<File, 'account_id' | 'sha256'>,
  from: number,
  until: number,
): AsyncGenerator<Buffer> {
  for (let at = from; at < until; at += PIECE) yield await readPiece(db, account_id, sha256, at, Math.min(until, at + PIECE))
}

async function readPiece(db: Database, accountId: number, sha256: Buffer, from: number, until: number): Promise<Buffer> {
  return (await importedPiece(db, accountId, sha256, from, until)) ?? readStored(db, accountId, sha256, from, until)
}

/** Of bytes that were never imported. */
export async function readStored(db: Database, accountId: number, sha256: Buffer, from: number, until: number): Promise<Buffer> {
  const piece = await reach(storeOf(db).read(fileKey(accountId, sha256), from, until))
  if (piece?.length !== until - from) throw objectLost()
  return piece
}

/** Of an imported account, until its files are in the store. */
async function importedPiece(db: Database, accountId: number, sha256: Buffer, from: number, until: number) {
  const found = await db.one<{ piece: Buffer }>(sql`
    select substring(content from ${from + 1} for ${until - from}) as piece from file_contents
    where account_id = ${accountId} and sha256 = ${sha256} and content is not null`)
  return found?.piece
}

/** All of it, for an export. */
export async function readWhole(db: Database, accountId: number, sha256: Buffer, bytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of read(db, { account_id: accountId, sha256 }, 0, bytes)) pieces.push(piece)
  return Buffer.concat(pieces)
}

const AT_ONCE = 200

interface ContentKey {
  account_id: number
  sha256: Buffer
}

/** Removes files that no row refers to, a day after their last upload began, and moves imported ones to the store. */
export async function sweep(db: Database, signal?: AbortSignal): Promise<{ removed: number; moved: number }> {
  const done = { removed: 0, moved: 0 }
  const files = db.files
  if (!files) return done
  const sweepAccount = async (account_id: number) => {
    for (;;) {
      signal?.throwIfAborted()
      const unused = await db.rows<ContentKey>(sql`
        select c.account_id, c.sha256 from file_contents c where c.account_id = ${account_id} and ${UNUSED} limit ${AT_ONCE}`)
      for (const key of unused) if (await removeUnused(db, files, key)) done.removed++
      const imported = await db.rows<ContentKey>(sql`
        select c.account_id, c.sha256 from file_contents c where c.account_id = ${account_id} and c.content is not null limit 10`)
      for (const key of imported) done.moved += await moveImported(db, files, key)
      if (unused.length < AT_ONCE && imported.length < 10) break
    }
  }
  const ids = (await accounts(db)).map(({ account_id }) => account_id)
  await oneByOne(db, 'sweep_files', ids, sweepAccount, { signal })
  await files.sweep()
  return done
}

const UNUSED = sql`c.used_at < now() - interval '1 day' and not exists (
  select from files f where f.account_id = c.account_id and f.sha256 = c.sha256)
  and not exists (select from previews p where p.account_id = c.account_id and p.small_sha256 = c.sha256)
  and not exists (select from previews p where p.account_id = c.account_id and p.large_sha256 = c.sha256)
  and not exists (select from previews p where p.account_id = c.account_id and p.original_sha256 = c.sha256)
  and not exists (select from artifact_pieces p where p.account_id = c.account_id and p.sha256 = c.sha256)`

/** From one account to the next, deleted ones too. */
const accounts = (db: Database) =>
  db.rows<{ account_id: number }>(sql`select distinct account_id from file_contents order by account_id`, { across: true })

/** An upload of the same content waits for the row, and writes the file again. */
const removeUnused = (db: Database, files: FileStore, { account_id, sha256 }: ContentKey): Promise<boolean> =>
  db.transaction(async (db) => {
    const locked = await db.one(sql`
      select from file_contents c where c.account_id = ${account_id} and c.sha256 = ${sha256} and ${UNUSED} for update`)
    if (!locked) return false
    await db.execute(sql`delete from file_contents where account_id = ${account_id} and sha256 = ${sha256}`)
    await files.remove(fileKey(account_id, sha256))
    return true
  })

/** What is not what it says is dropped: its file is lost, and nobody else gets it. */
async function moveImported(db: Database, files: FileStore, { account_id, sha256 }: ContentKey): Promise<number> {
  const found = await db.one<{ content: Buffer }>(sql`
    select content from file_contents where account_id = ${account_id} and sha256 = ${sha256} and content is not null`)
  if (!found) return 0
  if (createHash('sha256').update(found.content).digest().equals(sha256))
    await files.put(fileKey(account_id, sha256), found.content)
  return db.execute(sql`update file_contents set content = null where account_id = ${account_id} and sha256 = ${sha256}`)
}
