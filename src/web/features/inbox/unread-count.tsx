import { useApi } from '../../queries.ts'

const SHOWN_MAX = 99
export const UNREAD = { query: { unread: true } } as const

/** How much one has not read yet; nothing where all is read. */
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
