import { useState } from 'react'
import type { AssetType } from '../../../contract/sets.ts'
import { AssetTypeIcon } from '../assets/asset-type.tsx'
import { hasPicture, type OfAsset, type PreviewSummary, previewUrl, reasonOf } from './previews.ts'

interface Props {
  of: OfAsset
  type: AssetType
  preview: PreviewSummary | null | undefined
  size?: 'small' | 'large'
  /** For screen readers; empty beside a name that says the same. */
  alt?: string
  /** Sets the size; the picture fits in, whatever its proportions. */
  className?: string
  /** Writes why there is no picture below the icon; without, it is the title. */
  explains?: boolean
  /** Why there is none, where the preview doesn't say it. */
  reason?: string | undefined
}

/** What an asset looks like: its preview, or an icon of its type with the reason. Nothing moves while pictures load. */
export function PreviewPicture({
  of,
  type,
  preview,
  size = 'small',
  alt = '',
  className = 'size-12',
  explains = false,
  reason: given,
}: Props) {
  const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading')
  const frame = `relative grid shrink-0 place-items-center overflow-hidden rounded-md ${className}`
  if (!hasPicture(preview) || state === 'failed') {
    const reason = state === 'failed' ? 'Can’t load the preview' : (given ?? reasonOf(preview))
    return (
      <span className={`${frame} bg-canvas text-soft`} title={reason}>
        {explains ? (
          <span className="grid max-h-full content-center justify-items-center gap-1.5 p-2 text-center text-xs">
            <AssetTypeIcon type={type} className="size-10" />
            <span className="line-clamp-4 wrap-anywhere">{reason}</span>
          </span>
        ) : (
          <AssetTypeIcon type={type} className="size-1/2 max-h-12 max-w-12" />
        )}
        {!explains && alt !== '' && <span className="sr-only">{`${alt}: ${reason}`}</span>}
      </span>
    )
  }
  return (
    <span className={`${frame} checkered`}>
      {preview.placeholder && state === 'loading' && (
        <img alt="" src={preview.placeholder} className="absolute inset-0 size-full object-contain" />
      )}
      <img
        alt={alt}
        src={previewUrl(of, preview, size)}
        loading="lazy"
        decoding="async"
        draggable={false}
        onLoad={() => setState('loaded')}
        onError={() => setState('failed')}
        className="absolute inset-0 size-full object-contain"
      />
    </span>
  )
}
