import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { Rollup } from '../../../contract/shapes.ts'
import { useLive } from '../../live.ts'
import { useApi } from '../../queries.ts'
import { COUNTED } from '../projects/pipeline.tsx'

const TILES: [key: keyof Rollup, label: string][] = [
  ['changes_24h', 'Changes in 24 h'],
  ['builds_passed_24h', 'Builds passed in 24 h'],
  ['builds_failed_24h', 'Builds failed in 24 h'],
  ['open_tasks', 'Open tasks'],
  ['active_projects', 'Active projects'],
]
/** The event types that a tile counts. */
const KINDS: Partial<Record<keyof Rollup, string>> = {
  changes_24h: 'change.submitted',
  builds_passed_24h: 'build_run.completed',
  builds_failed_24h: 'build_run.failed',
}
/** How often the server updates the counts. */
const QUIET_MS = 5_000

export function FeedTiles({ accountId }: { accountId: number | undefined }) {
  const { data, refetch } = useApi('listEvents', { query: { account_id: accountId, limit: 1 } })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useLive(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void refetch()
    }, QUIET_MS)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <dl className="grid grid-cols-2 gap-2 sm:grid-cols-3 lg:grid-cols-5">
      {TILES.map(([key, label]) => {
        const count = data?.rollup?.[key]
        return (
          <div
            key={key}
            className={`relative flex flex-col justify-between rounded-lg border border-line bg-panel px-3 py-2 max-sm:last:col-span-2 ${KINDS[key] ? 'hover:border-strong-line' : ''}`}
          >
            <dt className="text-xs text-soft" title={key.startsWith('builds_') ? COUNTED : undefined}>
              {label}
            </dt>
            <dd className={`text-2xl font-semibold tabular-nums ${key === 'builds_failed_24h' && count ? 'text-err' : ''}`}>
              {KINDS[key] ? (
                <Link
                  to="/feed"
                  search={{ kind: KINDS[key] } as never}
                  aria-label={`${count ?? '–'} ${label}`}
                  className="after:absolute after:inset-0"
                >
                  {count ?? '–'}
                </Link>
              ) : (
                (count ?? '–')
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
