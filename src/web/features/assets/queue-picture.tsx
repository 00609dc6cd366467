import { PreviewPicture } from '../previews/preview-picture.tsx'
import type { Waiting } from './queue-lines.ts'

interface Props {
  projectId: string
  entry: Waiting
  size: 'small' | 'large'
  className: string
}

/** What an entry looks like; its name is beside it. */
export const QueuePicture = ({ projectId, entry: { asset_id, asset_type = 'document', preview }, size, className }: Props) => (
  <PreviewPicture
    // Another version is another picture.
    key={`${asset_id} ${preview?.updated_at}`}
    of={{ projectId, assetId: asset_id }}
    type={asset_type}
    preview={preview}
    size={size}
    className={className}
  />
)
