import { Link } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { differenceWords } from '../../../contract/labels/measure-words.ts'
import { storeLabel } from '../../../contract/spellings/stores.ts'
import { deploymentPage } from '../../record-pages.ts'
import { aboveRow } from '../../ui/table.tsx'

type Series = AppReply<'listMeasures'>['measures'][number]

/** The search parameters of the page of a series. */
export const seriesSearch = ({
  name,
  job,
  branch,
  platform,
  configuration,
}: Pick<Series, 'name' | 'job' | 'branch' | 'platform' | 'configuration'>) =>
  Object.fromEntries(Object.entries({ name, job, branch, platform, configuration }).filter(([, value]) => value))

export const liveWords = ({ store, track, version }: Series['live'][number]) =>
  [store && storeLabel(store), track, version].filter(Boolean).join(' ')

interface LiveProps {
  projectId: string
  value: number
  live: Series['live'][number]
}

/** How much a value differs from the build that is live on a track. */
export const LiveDifference = ({ projectId, value, live }: LiveProps) => (
  <>
    <span className="tabular-nums">{differenceWords(value, live.value) || 'unchanged'}</span>
    <Link {...deploymentPage(projectId, live.deployment_id)} className={`block text-xs text-soft hover:underline ${aboveRow}`}>
      {liveWords(live)}
    </Link>
  </>
)
