import { useApi } from '../../queries.ts'
import { useNames } from '../../session.ts'

const FRESH_MS = 20_000

/** Who has an asset checked out, once its version control has said so: the page doesn't wait for it. Empty if nobody has, or it is unknown. */
export function useCheckedOut(projectId: string, assetId: string, enabled = false): string {
  const nameOf = useNames()
  const { data, isPlaceholderData } = useApi(
    'listCheckouts',
    { project_id: projectId, asset_id: assetId },
    { enabled, stale: FRESH_MS },
  )
  // Of the asset that was open before.
  if (!data?.checkouts || isPlaceholderData) return ''
  return data.checkouts
    .map(({ user_id, name, workspace, action }) => {
      const who = user_id === null ? name : nameOf(user_id)
      return `${who}${workspace && ` in ${workspace}`}${action === 'edit' ? '' : ` (${action})`}`
    })
    .join(', ')
}
