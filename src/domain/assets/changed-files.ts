import { assetTypeOf } from './asset-types.ts'

export interface ChangedFile {
  path: string
  action: string
  size_bytes?: number
}

/** A longer path fits into no index: its file is listed with the change and makes no asset. */
const PATH_MAX = 2_000
const DELETING = /delete|remove|purge|archive/i

/** The files of a change that are assets and are still there after it. */
export const assetFiles = ({ files }: { files: ChangedFile[] | null }) =>
  (files ?? []).flatMap(({ path, action, size_bytes }) => {
    const asset_type = DELETING.test(action) || Buffer.byteLength(path) > PATH_MAX ? undefined : assetTypeOf(path)
    return asset_type === undefined ? [] : [{ path, asset_type, size_bytes: size_bytes ?? null }]
  })
