import type { AppReply } from '../../../contract/app/routes.ts'
import type { PreviewKind } from '../../../contract/sets.ts'
import { useApi } from '../../queries.ts'

export type Preview = AppReply<'listPreviews'>['previews'][number]
/** What lists know of the newest version's preview. */
export type PreviewSummary = NonNullable<AppReply<'showAsset'>['preview']>

export interface OfAsset {
  projectId: string
  assetId: string
}

/** The previews of an asset's newest versions. A page calls it with its other queries, so that all load together. */
export const usePreviews = ({ projectId, assetId }: OfAsset) =>
  useApi('listPreviews', { project_id: projectId, asset_id: assetId, query: { limit: '100' } })

/** With the time of the upload, so that browsers keep it until another one replaces it. */
export const previewUrl = (
  { projectId, assetId }: OfAsset,
  { version, updated_at }: Pick<Preview, 'version' | 'updated_at'>,
  size: 'small' | 'large' | 'original',
): string =>
  `/app/api/v1/projects/${projectId}/assets/${assetId}/versions/${version}/preview?size=${size}&at=${encodeURIComponent(updated_at)}`

/** A sound is shown as the picture of its wave. */
const PICTURED = new Set(['picture', 'waveform'])
export const hasPicture = (preview: PreviewSummary | null | undefined): preview is PreviewSummary =>
  preview?.state === 'ready' &&
  preview.kind !== null &&
  (PICTURED.has(preview.kind) || ('has_pictures' in preview && preview.has_pictures === true))

/** Kinds that only the viewer shows. */
const UNPICTURED: Partial<Record<PreviewKind, string>> = { video: 'Video', model: '3D model', text: 'Text' }

/** Why there is no picture, for people. */
export function reasonOf(preview: PreviewSummary | null | undefined): string {
  if (preview?.state === 'pending') return 'Preview is being made'
  const what = preview?.kind && UNPICTURED[preview.kind]
  return what ? `${what}: see the asset’s page` : (preview?.reason ?? 'No preview')
}
