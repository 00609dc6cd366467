import { emptyFile, notFound, unusablePreview } from '../../contract/errors.ts'
import { readId } from '../../contract/params.ts'
import type { PreviewKind } from '../../contract/sets.ts'
import type { Database } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { makePreview } from '../../previews/make-preview.ts'
import { type Quotas, refuseFile } from '../accounts/quotas.ts'
import { isPicture, readContent } from '../files/content.ts'
import * as files from '../files/files.ts'
import { find, requireAsset } from './previews.ts'
import { fileStore, put, type Store, type StoredPreview, sizeOf, storeMade } from './store.ts'

/** Files that browsers play or that the app shows: kept as they are. */
const KEPT: Readonly<Record<string, PreviewKind>> = {
  'video/mp4': 'video',
  'video/webm': 'video',
  'model/gltf-binary': 'model',
}

/** Somebody's own preview of a version replaces whatever it had. */
export async function upload(
  db: Database,
  by: ProjectKey,
  { assetId, version: given, bytes }: { assetId: string; version: string; bytes: Buffer },
  quotas: Quotas,
) {
  const asset = await requireAsset(db, by, assetId)
  const version = readId(given) ?? 0
  if (version < 1 || version > asset.version) throw notFound('Version')
  if (bytes.length === 0) throw emptyFile()
  await refuseFile(db, quotas, by.account_id, 'previews', bytes.length)
  const stored = await storeUpload(by.account_id, asset.path, bytes, fileStore(db, by.account_id))
  return db.transaction(async (db) => {
    await refuseFile(db, quotas, by.account_id, 'previews', sizeOf(stored))
    await put(db, by, { assetId, version }, stored)
    return find(db, by, assetId, given)
  })
}

/** Of a world file, as if it was uploaded. */
export async function importPreview(
  db: Database,
  by: ProjectKey,
  { assetId, version, bytes }: { assetId: string; version: number; bytes: Buffer },
) {
  const asset = await requireAsset(db, by, assetId)
  if (version > asset.version) throw notFound('Version')
  const store: Store = (bytes) => files.storeImported(db, by.account_id, { name: '', bytes })
  await put(db, by, { assetId, version }, await storeUpload(by.account_id, asset.path, bytes, store))
}

/** The pictures that are made of it, and the file without personal data, if browsers can show or play it. */
async function storeUpload(accountId: number, path: string, bytes: Buffer, store: Store): Promise<StoredPreview> {
  const { type } = readContent(bytes)
  const kept = KEPT[type]
  if (kept) return { kind: kept, source: 'upload', original: await store(bytes) }
  const made = await makePreview(accountId, { path, isCut: false }, bytes)
  if ('reason' in made) throw unusablePreview(made.reason)
  const stored = await storeMade(made, store)
  const isPlayable = isPicture(type) || type === 'audio/wav' || type === 'audio/ogg'
  return { ...stored, source: 'upload', ...(isPlayable && { original: await store(bytes) }) }
}
