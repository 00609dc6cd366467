import { useApi } from '../../queries.ts'

const SHOWN_MAX = 99
export const UNREAD = { query: { unread: true } } as const

/** The number of unread notifications; renders nothing if there are none. */
export function UnreadCount() {
  const { data } = useApi('listNotifications', UNREAD)
  if (!data?.unread) return null
  return (
    <span className="rounded-full bg-accent px-1.5 text-xs font-semibold text-accent-ink tabular-nums">
      {data.unread > SHOWN_MAX ? `${SHOWN_MAX}+` : data.unread}
      <span className="sr-only"> unread</span>
    </span>
  )
}
