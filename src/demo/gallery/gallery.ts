import type { AssetType } from '../../contract/sets.ts'
import { type Database, ofAccount, type Pool, sql } from '../../db/database.ts'
import type { Quotas } from '../../domain/accounts/quotas.ts'
import { upload } from '../../domain/previews/upload.ts'
import { modelOf } from './model.ts'
import { pictureOf, type Subject } from './pictures.ts'
import { soundOf } from './sound.ts'

interface Shown extends Subject {
  account_id: number
  project_id: number
  id: string
  asset_type: AssetType
}

/** The newest and the previous version of every asset that waits for approval or was denied, those that wait first. */
const shownAssets = (db: Database, limit: number) =>
  db.rows<Shown>(sql`
    select a.account_id, a.project_id, a.id, a.asset_type, a.path, v.version
    from assets a cross join lateral generate_series(a.version, greatest(1, a.version - 1), -1) v (version)
    where a.approval_status in ('pending', 'denied') and a.path not like '%/\\_\\_ExternalActors\\_\\_/%'
      and not exists (select from previews p where p.account_id = a.account_id and p.asset_id = a.id and p.version = v.version)
    order by a.approval_status = 'pending' desc, a.version - v.version, a.project_id, a.path limit ${limit}`)

const fileOf = async ({ asset_type, path, version }: Shown): Promise<Buffer<ArrayBuffer> | null> =>
  path.endsWith('.glb')
    ? modelOf({ path, version })
    : asset_type === 'audio'
      ? soundOf({ path, version })
      : pictureOf(asset_type, { path, version })

interface GallerySettings {
  quotas: Quotas
  /** At most so many. */
  limit?: number
  signal?: AbortSignal | undefined
}

/** Uploads previews of the demo's assets, one after the other: the service is already in use. Returns how many. */
export async function hangGallery(db: Pool, { quotas, limit = 200, signal }: GallerySettings): Promise<number> {
  let count = 0
  for (const shown of await shownAssets(db, limit)) {
    signal?.throwIfAborted()
    const bytes = await fileOf(shown)
    if (!bytes) continue
    const own = ofAccount(db, shown.account_id)
    await upload(own, shown, { assetId: shown.id, version: String(shown.version), bytes }, quotas)
    count++
  }
  return count
}
