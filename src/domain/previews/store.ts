import type { PreviewKind, PreviewSource } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import type { Made } from '../../previews/made.ts'
import * as files from '../files/files.ts'
import { scrub } from '../privacy/scrub.ts'

/** What is stored of a preview; nothing refers to its files yet. */
export interface StoredPreview {
  kind: PreviewKind
  source: PreviewSource
  placeholder?: string
  width?: number
  height?: number
  small?: files.StoredFile
  large?: files.StoredFile
  original?: files.StoredFile
}

/** Where the bytes of a file go. */
export type Store = (bytes: Buffer) => Promise<files.StoredFile>

export const fileStore =
  (db: Database, accountId: number): Store =>
  (bytes) =>
    files.store(db, accountId, { name: '', bytes })

/** The files of what was made; without a reference they are swept. */
export async function storeMade(made: Exclude<Made, { reason: string }>, store: Store): Promise<StoredPreview> {
  const { kind, source } = made
  // Settings hold secrets, and translations the addresses of translators.
  if (kind === 'text') return { kind, source, original: await store(Buffer.from(scrub(made.text.toString()))) }
  return { ...made, small: await store(made.small), large: await store(made.large) }
}

export const sizeOf = ({ small, large, original }: StoredPreview): number =>
  [small, large, original].reduce((sum, file) => sum + (file?.bytes.length ?? 0), 0)

interface Target {
  assetId: string
  version: number
  /** Nothing is written if somebody uploaded one meanwhile. */
  onlyPending?: true
}

/** Replaces what the version has. */
export function put(db: Database, by: ProjectKey, { assetId, version, onlyPending }: Target, stored: StoredPreview) {
  const { small, large, original } = stored
  return db.execute(sql`
    insert into previews as p (account_id, project_id, asset_id, version, change_id, state, kind, source, placeholder, width, height,
      small_sha256, small_bytes, large_sha256, large_bytes, original_sha256, original_bytes, original_type)
    select a.account_id, a.project_id, a.id, ${version}, case when a.version = ${version} then a.last_change_id end, 'ready', ${stored.kind},
      ${stored.source}, ${stored.placeholder ?? null}, ${stored.width ?? null}, ${stored.height ?? null},
      ${small?.sha256 ?? null}, ${small?.bytes.length ?? 0}, ${large?.sha256 ?? null}, ${large?.bytes.length ?? 0},
      ${original?.sha256 ?? null}, ${original?.bytes.length ?? 0}, ${original?.type ?? null}
    from assets a where a.account_id = ${by.account_id} and a.project_id = ${by.project_id} and a.id = ${assetId}
    on conflict (account_id, asset_id, version) do update set
      state = excluded.state, kind = excluded.kind, source = excluded.source, reason = null, placeholder = excluded.placeholder,
      width = excluded.width, height = excluded.height, small_sha256 = excluded.small_sha256, small_bytes = excluded.small_bytes,
      large_sha256 = excluded.large_sha256, large_bytes = excluded.large_bytes, original_sha256 = excluded.original_sha256,
      original_bytes = excluded.original_bytes, original_type = excluded.original_type, updated_at = now()
    where ${onlyPending ? sql`p.state = 'pending'` : sql`true`}`)
}
