import { PreviewPicture } from '../previews/preview-picture.tsx'
import { isLevel, type Waiting } from './queue-lines.ts'

interface Props {
  projectId: string
  entry: Waiting
  size: 'small' | 'large'
  className: string
}

/** What an entry looks like; its name is beside it. */
export const QueuePicture = ({ projectId, entry, size, className }: Props) => {
  const { asset_id, asset_type = 'document', preview } = entry
  return (
    <PreviewPicture
      // Another version is another picture.
      key={`${asset_id} ${preview?.updated_at}`}
      of={{ projectId, assetId: asset_id }}
      type={asset_type}
      preview={preview}
      size={size}
      className={className}
      explains
      reason={isLevel(entry) ? 'A level with a file per actor has no preview' : undefined}
    />
  )
}
