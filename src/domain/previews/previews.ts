import { notFound } from '../../contract/errors.ts'
import { isUuid, readId } from '../../contract/params.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import type { PreviewSize } from '../../contract/sets.ts'
import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'

type Preview = ReplyOf<'uploadPreview'>

const ofAsset = ({ account_id, project_id }: ProjectKey, assetId: string) =>
  sql`p.account_id = ${account_id} and p.project_id = ${project_id} and p.asset_id = ${assetId}`

/** Previews `p` as they are shown. */
const SHOWN = sql`
  p.version, p.change_id, p.state, p.kind, p.reason, p.source, p.placeholder, p.width, p.height, p.small_sha256 is not null as has_pictures,
  case when p.original_sha256 is not null then json_build_object('type', p.original_type, 'bytes', p.original_bytes) end as original,
  iso(p.created_at) as created_at, iso(p.updated_at) as updated_at`

/** The preview of the newest version of an asset `asset`, for lists; null if that version has none. */
export const newestOf = (asset: Sql): Sql => sql`(
  select json_build_object('version', p.version, 'state', p.state, 'kind', p.kind, 'reason', p.reason, 'placeholder', p.placeholder,
    'width', p.width, 'height', p.height, 'updated_at', iso(p.updated_at))
  from previews p where p.account_id = ${asset}.account_id and p.asset_id = ${asset}.id and p.version = ${asset}.version)`

export async function requireAsset(db: Database, { account_id, project_id }: ProjectKey, assetId: string) {
  const asset =
    isUuid(assetId) &&
    (await db.one<{ version: number; path: string }>(sql`
      select version, path from assets where account_id = ${account_id} and project_id = ${project_id} and id = ${assetId}`))
  if (!asset) throw notFound('Asset')
  return asset
}

/** Newest version first. */
export async function list(
  db: Database,
  by: ProjectKey,
  assetId: string,
  { before_version, limit }: QueryOf<'listPreviews'>,
): Promise<ReplyOf<'listPreviews'>> {
  await requireAsset(db, by, assetId)
  const rows = await db.rows<Preview>(sql`
    select ${SHOWN} from previews p where ${ofAsset(by, assetId)} ${when(before_version, (version) => sql`and p.version < ${version}::bigint`)}
    order by p.version desc limit ${limit + 1}`)
  return { previews: rows.slice(0, limit), pagination: { limit, has_more: rows.length > limit } } as ReplyOf<'listPreviews'>
}

export async function find(db: Database, by: ProjectKey, assetId: string, version: string): Promise<Preview> {
  const preview =
    isUuid(assetId) &&
    (await db.one<Preview>(
      sql`select ${SHOWN} from previews p where ${ofAsset(by, assetId)} and p.version = ${readId(version) ?? 0}::bigint`,
    ))
  if (!preview) throw notFound('Preview')
  return preview
}

interface StoredSize {
  account_id: number
  sha256: Buffer
  bytes: number
  type: string
}

/** One of its pictures, or its original. */
export async function findSize(
  db: Database,
  by: ProjectKey,
  assetId: string,
  version: string,
  size: PreviewSize,
): Promise<StoredSize | undefined> {
  const [hash, bytes] = [raw(`p.${size}_sha256`), raw(`p.${size}_bytes`)]
  const type = size === 'original' ? sql`p.original_type` : sql`'image/webp'`
  if (!isUuid(assetId)) return undefined
  return db.one<StoredSize>(sql`
    select p.account_id, ${hash} as sha256, ${bytes} as bytes, ${type} as type from previews p
    where ${ofAsset(by, assetId)} and p.version = ${readId(version) ?? 0}::bigint and ${hash} is not null`)
}
