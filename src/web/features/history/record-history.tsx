import { type HistoryEntry, historyWords, quotedNote } from '../../../contract/labels/history-words.ts'
import type { CommentSubject } from '../../../contract/sets.ts'
import { useApi } from '../../queries.ts'
import { useNames } from '../../session.ts'
import { Failed } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { dateOf } from '../../ui/text/dates.ts'
import { Time } from '../../ui/text/time.tsx'
import { HistoryLink } from './history-link.tsx'

const ROUTES = {
  task: { list: 'listTaskHistory', id: 'id' },
  build_run: { list: 'listBuildHistory', id: 'build_run_id' },
  breakage: { list: 'listBreakageHistory', id: 'id' },
  change: { list: 'listChangeHistory', id: 'id' },
  asset: { list: 'listAssetHistory', id: 'asset_id' },
  deployment: { list: 'listDeploymentHistory', id: 'id' },
} as const satisfies Record<CommentSubject, { list: string; id: string }>

interface Of {
  subject: CommentSubject
  projectId: string
  id: string
}

const SHOWN = '50'

/** A page calls it with its other queries, so that all load together. */
export const useHistory = ({ subject, projectId, id }: Of) => {
  const route = ROUTES[subject]
  return useApi(route.list, { project_id: projectId, [route.id]: id, query: { limit: SHOWN } } as never)
}

/** Who changed what in a record, newest first. */
export function RecordHistory({ deploymentStatus, ...of }: Of & { deploymentStatus?: (status: string) => string }) {
  const user = useNames()
  const { data, error, refetch } = useHistory(of)
  const names = { user, moment: (at: string) => dateOf('moment', at), ...(deploymentStatus && { deploymentStatus }) }
  if (error) return <Failed error={error} retry={() => void refetch()} />
  if (!data || data.history.length === 0) return null
  return (
    <Section title="History">
      <ol aria-label="History" className="grid grid-cols-1 gap-2 text-sm">
        {data.history.map((entry: HistoryEntry) => (
          <li key={entry.id} className="grid grid-cols-1 gap-0.5 border-l-2 border-line pl-3">
            <span className="flex flex-wrap items-baseline justify-between gap-x-3">
              <span className="wrap-anywhere min-w-0">
                {historyWords(entry, names)} <HistoryLink projectId={of.projectId} entry={entry} />
              </span>
              <span className="text-xs text-soft">
                <Time at={entry.at} />
              </span>
            </span>
            {quotedNote(entry) && (
              <p className="wrap-anywhere whitespace-pre-wrap rounded-md bg-hover px-2 py-1">{quotedNote(entry)}</p>
            )}
          </li>
        ))}
      </ol>
      {data.pagination.has_more && <p className="text-sm text-soft">Only the newest {data.history.length} entries are shown.</p>}
    </Section>
  )
}
