import { useApi } from '../../queries.ts'

const SHOWN_MAX = 99

/** How much one has not read yet; nothing where all is read. */
export function UnreadCount() {
  const { data } = useApi('listNotifications', { query: { unread: true } })
  if (!data?.unread) return null
  return (
    <span className="rounded-full bg-accent px-1.5 text-xs font-semibold text-accent-ink tabular-nums">
      {data.unread > SHOWN_MAX ? `${SHOWN_MAX}+` : data.unread}
      <span className="sr-only"> unread</span>
    </span>
  )
}
