import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import type { NotificationKind } from '../../../contract/channels.ts'
import { useFocusKept } from '../../focus.ts'
import { useKeys } from '../../keys.ts'
import { useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { Time } from '../../ui/text/time.tsx'
import { useReport } from '../../ui/toast.tsx'

type Notification = AppReply<'listNotifications'>['notifications'][number]

const KINDS: Record<NotificationKind, [words: string, icon: IconName]> = {
  suspected: ['Your change is suspected', 'breakage'],
  given: ['Assigned to you', 'breakage'],
  mentioned: ['You are mentioned', 'bell'],
  approval: ['Waiting for approval', 'approval'],
  task: ['Task assigned to you', 'task'],
  budget: ['Measure over its budget', 'measure'],
  quarantine: ['Quarantine ended', 'test'],
}

/** j and k move, Enter opens, e marks as read or unread. */
export function InboxList({ notifications }: { notifications: Notification[] }) {
  const [chosen, choose] = useState<number>()
  const current = useCurrent(notifications, chosen)
  const open = notifications[current]
  const navigate = useNavigate()
  const mark = useWrite('markNotifications', ['listNotifications'])
  const report = useReport()
  const put = ({ id }: Notification, read: boolean) => void report(mark.mutateAsync({ body: { ids: [id], read } }))
  const seen = (one: Notification) => one.read_at === null && put(one, true)
  const walk = (step: number) => choose(notifications[Math.max(0, Math.min(notifications.length - 1, current + step))]?.id)
  const list = useFocusKept<HTMLOListElement>(open && String(open.id))
  useKeys({
    j: () => walk(1),
    k: () => walk(-1),
    e: () => open && put(open, open.read_at === null),
    Enter: () => {
      if (!open || !isFree()) return
      seen(open)
      void navigate({ to: open.path })
    },
  })
  return (
    <div className="grid gap-2">
      <p className="text-xs text-soft max-sm:hidden">
        <Key>J</Key> <Key>K</Key> move · <Key>Enter</Key> open · <Key>E</Key> mark as read or unread · <Key>G</Key> <Key>I</Key>{' '}
        open the inbox from anywhere
      </p>
      <p aria-live="polite" className="sr-only">
        {open && `${open.title}, ${current + 1} of ${notifications.length}`}
      </p>
      <ol
        ref={list}
        tabIndex={-1}
        aria-label="Notifications, newest first"
        className="grid overflow-hidden rounded-lg border border-line bg-panel outline-none"
      >
        {notifications.map((one, i) => (
          <Item
            key={one.id}
            notification={one}
            isCurrent={i === current}
            onOpen={() => seen(one)}
            onMark={(read) => put(one, read)}
          />
        ))}
      </ol>
    </div>
  )
}

/** The index of the selected one, wherever new entries have moved it; if it is gone, the one at its index. */
function useCurrent(notifications: readonly Notification[], chosen: number | undefined): number {
  const place = useRef(0)
  const found = notifications.findIndex(({ id }) => id === chosen)
  place.current = found >= 0 ? found : Math.min(place.current, notifications.length - 1)
  return place.current
}

/** A focused link or button handles Enter itself. */
const isFree = () => !document.activeElement?.matches('a, button, summary')

const Key = ({ children }: { children: string }) => (
  <kbd className="rounded border border-line bg-panel px-1 font-sans">{children}</kbd>
)

interface ItemProps {
  notification: Notification
  isCurrent: boolean
  onOpen(): void
  onMark(read: boolean): void
}

function Item({ notification: { kind, title, path, project_name, at, read_at }, isCurrent, onOpen, onMark }: ItemProps) {
  const ref = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isCurrent) ref.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  const [words, icon] = KINDS[kind]
  const isUnread = read_at === null
  return (
    <li
      ref={ref}
      aria-current={isCurrent || undefined}
      className={`flex scroll-my-24 items-start gap-3 border-b border-l-2 border-b-line px-3 py-2 text-sm last:border-b-0 ${isCurrent ? 'border-l-accent bg-canvas' : 'border-l-transparent hover:bg-hover/60'}`}
    >
      <Icon name={icon} className={`mt-1 shrink-0 ${isUnread ? 'text-accent' : 'text-faint'}`} />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <Link to={path} onClick={onOpen} className={`wrap-anywhere hover:underline ${isUnread ? 'font-semibold' : 'text-soft'}`}>
          {isUnread && <span className="sr-only">Unread: </span>}
          {title}
        </Link>
        <span className="wrap-anywhere text-xs text-soft">
          {words} · {project_name} · <Time at={at} />
        </span>
      </div>
      <Button look="quiet" onClick={() => onMark(isUnread)}>
        <Icon name={isUnread ? 'task' : 'mail'} className="sm:hidden" />
        <span className="max-sm:sr-only">{isUnread ? 'Mark read' : 'Mark unread'}</span>
        <span className="sr-only">{title}</span>
      </Button>
    </li>
  )
}
