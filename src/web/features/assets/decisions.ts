import { useQueryClient } from '@tanstack/react-query'
import { labelOf, lowered } from '../../../contract/labels.ts'
import type { Decision } from '../../../contract/sets.ts'
import { ask, wordsOf } from '../../api.ts'
import type { ListPages } from '../../list-pages.ts'
import { type PageOf, refresh } from '../../queries.ts'
import { useToast } from '../../ui/toast.tsx'

export const DECISION_KEYS: Record<Decision, string> = { approved: 'a', denied: 'd', ignored: 'i' }

type Approvals = ListPages<PageOf<'listApprovals', 'approvals'>>

const TOUCHED = ['listApprovals', 'listAssets', 'showAsset', 'showOverview'] as const

/** Undoes decisions; the assets are pending again. */
function useUndo(projectId: string) {
  const client = useQueryClient()
  const say = useToast()
  return async (assetIds: string[], names: string) => {
    try {
      await ask('undoDecisions', { project_id: projectId, body: { asset_ids: assetIds } })
      say(`${names}: waiting for approval again`)
    } catch (error) {
      say(`${names}: ${wordsOf(error)}`, 'err')
    } finally {
      void refresh(client, TOUCHED)
    }
  }
}

/**
 * Decides assets of a project. They leave the queue at once and return, with the reason, if the server refuses. Decisions about pending
 * ones can be undone for ten seconds; earlier decisions are simply replaced.
 */
export function useDecide(projectId: string, { waited = true } = {}) {
  const client = useQueryClient()
  const say = useToast()
  const undo = useUndo(projectId)
  return async (assetIds: string[], names: string, status: Decision, comments: string): Promise<boolean> => {
    const queue = { queryKey: ['listApprovals'] }
    await client.cancelQueries(queue)
    const before = client.getQueriesData<Approvals>(queue)
    const gone = new Set(assetIds)
    client.setQueriesData<Approvals>({ ...queue, predicate: ({ queryKey }) => isQueue(queryKey) }, (data) =>
      data?.pages
        ? {
            ...data,
            pages: data.pages.map((page) => ({ ...page, rows: page.rows.filter((one) => !gone.has(one.asset_id)) })),
          }
        : data,
    )
    try {
      const words = comments.trim() === '' ? {} : { comments: comments.trim() }
      if (assetIds.length === 1)
        await ask('decideAsset', { project_id: projectId, asset_id: assetIds[0]!, body: { status, ...words } })
      else await ask('decideAssets', { project_id: projectId, body: { asset_ids: assetIds, status, ...words } })
      say(`${names} ${lowered(labelOf('approval_status', status))}`, 'ok', waited ? () => void undo(assetIds, names) : undefined)
      return true
    } catch (error) {
      for (const [key, data] of before) client.setQueryData(key, data)
      say(`${names}: ${wordsOf(error)}`, 'err')
      return false
    } finally {
      void refresh(client, TOUCHED, assetIds)
    }
  }
}

const isQueue = (key: readonly unknown[]) =>
  key[2] === 'pages' && (key[1] as { query?: { status?: string } }).query?.status === 'pending'
