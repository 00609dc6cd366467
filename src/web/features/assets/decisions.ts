import { useQueryClient } from '@tanstack/react-query'
import type { AppBody } from '../../../contract/app/routes.ts'
import { labelOf, lowered } from '../../../contract/labels.ts'
import type { Decision } from '../../../contract/sets.ts'
import { ask, wordsOf } from '../../api.ts'
import type { ListPages } from '../../list-pages.ts'
import { type PageOf, refresh } from '../../queries.ts'
import { wordsOf as spaced } from '../../ui/pill.tsx'
import { countOf } from '../../ui/text/count.ts'
import { useToast } from '../../ui/toast.tsx'

export const DECISION_KEYS: Record<Decision, string> = { approved: 'a', denied: 'd', ignored: 'i' }

type Approvals = ListPages<PageOf<'listApprovals', 'approvals'>>

/** What a decision is about: assets in the versions that were shown, and levels as they were shown. */
export interface Chosen {
  assets: { id: string; version: number }[]
  levels?: NonNullable<AppBody<'decideAssets'>['levels']>
}

const TOUCHED = ['listApprovals', 'listAssets', 'showAsset', 'showOverview'] as const

/** Undoes decisions; the assets are pending again. */
function useUndo(projectId: string) {
  const client = useQueryClient()
  const say = useToast()
  return async ({ assets, levels = [] }: Chosen, names: string) => {
    const asset_ids = assets.map(({ id }) => id)
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
    const { assets, levels = [] } = chosen
    const asset_ids = assets.map(({ id }) => id)
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
      const { waits, newer = [] } = await send(projectId, chosen, status, words)
      const left = new Set(newer.map(({ asset_id }) => asset_id))
      const decided = { ...chosen, assets: assets.filter(({ id }) => !left.has(id)) }
      const said = [
        `${left.size > 0 ? countOf(decided.assets.length + levels.length, 'entry', 'entries') : names} ${lowered(labelOf('approval_status', status))}`,
        waits,
        left.size > 0 && `Not decided, because a newer version arrived: ${newer.map(({ name }) => name).join(', ')}`,
      ]
      say(said.filter(Boolean).join('. '), 'ok', waited ? () => void undo(decided, names) : undefined)
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

/** What the decided assets still wait for, and those that have a newer version than was shown. */
async function send(
  projectId: string,
  { assets, levels = [] }: Chosen,
  status: Decision,
  words: { comments?: string },
): Promise<{ waits?: string | false; newer?: { asset_id: string; name: string }[] }> {
  const [{ id, version } = { id: '', version: 0 }] = assets
  if (assets.length === 1 && levels.length === 0) {
    const body = { status, ...words }
    const done = await ask('decideAsset', { project_id: projectId, asset_id: id, body, headers: { 'if-match': `"${version}"` } })
    return { waits: waitsFor(done) }
  }
  const about = { asset_ids: assets.map(({ id }) => id), versions: assets.map(({ version }) => version), levels }
  const { approvals, newer } = await ask('decideAssets', { project_id: projectId, body: { ...about, status, ...words } })
  return { waits: status === 'approved' && approvals[0]?.status === 'pending' && 'More people must approve', newer }
}

/** What an asset waits for after a decision about it. */
export const waitsFor = ({ status, next_stage }: { status: string; next_stage: string | null }): string | false =>
  status === 'pending' ? 'More people must approve' : next_stage !== null && `It now waits for ${spaced(next_stage)}`

const isQueue = (key: readonly unknown[]) =>
  key[2] === 'pages' && (key[1] as { query?: { status?: string } }).query?.status === 'pending'
