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
import { put, type StoredPreview, sizeOf, storeMade } from './store.ts'

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
  await refuseFile(db, quotas, by.account_id, bytes.length)
  const stored = await storeUpload(db, by.account_id, asset.path, bytes)
  return db.transaction(async (db) => {
    await refuseFile(db, quotas, by.account_id, sizeOf(stored))
    await put(db, by, { assetId, version }, stored)
    return find(db, by, assetId, given)
  })
}

/** The pictures that are made of it, and the file without personal data, if browsers can show or play it. */
async function storeUpload(db: Database, accountId: number, path: string, bytes: Buffer): Promise<StoredPreview> {
  const original = () => files.store(db, accountId, { name: '', bytes })
  const { type } = readContent(bytes)
  const kept = KEPT[type]
  if (kept) return { kind: kept, source: 'upload', original: await original() }
  const made = await makePreview(accountId, { path, isCut: false }, bytes)
  if ('reason' in made) throw unusablePreview(made.reason)
  const stored = await storeMade(db, accountId, made)
  const isPlayable = isPicture(type) || type === 'audio/wav' || type === 'audio/ogg'
  return { ...stored, source: 'upload', ...(isPlayable && { original: await original() }) }
}
