import { assetTypeOf } from './asset-types.ts'

export interface ChangedFile {
  path: string
  action: string
  size_bytes?: number
}

/** A longer path does not fit into the index: the file is listed with the change but creates no asset. */
const PATH_MAX = 2_000
const DELETING = /delete|remove|purge|archive/i

/** The files of a change that are assets and still exist after it. */
export const assetFiles = ({ files }: { files: ChangedFile[] | null }) =>
  (files ?? []).flatMap(({ path, action, size_bytes }) => {
    const asset_type = DELETING.test(action) || Buffer.byteLength(path) > PATH_MAX ? undefined : assetTypeOf(path)
    return asset_type === undefined ? [] : [{ path, asset_type, size_bytes: size_bytes ?? null }]
  })
