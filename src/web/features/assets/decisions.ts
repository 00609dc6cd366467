import { useQueryClient } from '@tanstack/react-query'
import type { AppBody } from '../../../contract/app/routes.ts'
import { labelOf, lowered } from '../../../contract/labels.ts'
import type { Decision } from '../../../contract/sets.ts'
import { ask, wordsOf } from '../../api.ts'
import type { ListPages } from '../../list-pages.ts'
import { type PageOf, refresh } from '../../queries.ts'
import { useToast } from '../../ui/toast.tsx'

export const DECISION_KEYS: Record<Decision, string> = { approved: 'a', denied: 'd', ignored: 'i' }

type Approvals = ListPages<PageOf<'listApprovals', 'approvals'>>

/** What a decision is about: assets, and levels as they were shown. */
export interface Chosen {
  asset_ids: string[]
  levels?: NonNullable<AppBody<'decideAssets'>['levels']>
}

const TOUCHED = ['listApprovals', 'listAssets', 'showAsset', 'showOverview'] as const

/** Undoes decisions; the assets are pending again. */
function useUndo(projectId: string) {
  const client = useQueryClient()
  const say = useToast()
  return async ({ asset_ids, levels = [] }: Chosen, names: string) => {
    try {
      await ask('undoDecisions', { project_id: projectId, body: { asset_ids, levels: levels.map(({ level }) => level) } })
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
  return async (chosen: Chosen, names: string, status: Decision, comments: string): Promise<boolean> => {
    const { asset_ids, levels = [] } = chosen
    const queue = { queryKey: ['listApprovals'] }
    await client.cancelQueries(queue)
    const before = client.getQueriesData<Approvals>(queue)
    const gone = new Set([...asset_ids, ...levels.map(({ level }) => level)])
    client.setQueriesData<Approvals>({ ...queue, predicate: ({ queryKey }) => isQueue(queryKey) }, (data) =>
      data?.pages
        ? {
            ...data,
            pages: data.pages.map((page) => ({
              ...page,
              rows: page.rows.filter((one) => !gone.has(one.asset_id) && !gone.has(one.queue?.level ?? '')),
            })),
          }
        : data,
    )
    try {
      const words = comments.trim() === '' ? {} : { comments: comments.trim() }
      const result = await send(projectId, chosen, status, words)
      const isShort = status === 'approved' && result === 'pending'
      const said = isShort ? 'approved by you. More people must approve' : lowered(labelOf('approval_status', status))
      say(`${names} ${said}`, 'ok', waited ? () => void undo(chosen, names) : undefined)
      return true
    } catch (error) {
      for (const [key, data] of before) client.setQueryData(key, data)
      say(`${names}: ${wordsOf(error)}`, 'err')
      return false
    } finally {
      void refresh(client, TOUCHED, asset_ids)
    }
  }
}

/** The status of the first decided asset: still pending if its stage needs more people. */
async function send(projectId: string, { asset_ids, levels = [] }: Chosen, status: Decision, words: { comments?: string }) {
  if (asset_ids.length === 1 && levels.length === 0)
    return (await ask('decideAsset', { project_id: projectId, asset_id: asset_ids[0]!, body: { status, ...words } })).status
  const body = { asset_ids, levels, status, ...words }
  return (await ask('decideAssets', { project_id: projectId, body })).approvals[0]?.status
}

const isQueue = (key: readonly unknown[]) =>
  key[2] === 'pages' && (key[1] as { query?: { status?: string } }).query?.status === 'pending'
