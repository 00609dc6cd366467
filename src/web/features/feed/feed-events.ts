import type { Event } from '../../../contract/shapes.ts'
import { storeLabel } from '../../../contract/spellings/stores.ts'
import { wordsOf } from '../../ui/pill.tsx'
import { inOrder } from '../../ui/reading-order.ts'
import { dateOf } from '../../ui/text/dates.ts'

/** One line per record, newest first: later events replace earlier ones. */
export function merged(fresh: Event[], listed: Event[], complete: boolean): Event[] {
  const seen = new Set<string>()
  // Events below the last shown line are loaded with their own page.
  const end = complete ? '' : (listed.at(-1)?.cursor_key ?? '')
  return [...fresh, ...listed]
    .filter(({ cursor_key }) => {
      const thing = cursor_key.slice(cursor_key.indexOf('|'))
      return cursor_key >= end && !seen.has(thing) && seen.add(thing)
    })
    .sort((a, b) => (a.timestamp < b.timestamp ? 1 : a.timestamp > b.timestamp ? -1 : 0))
}

/** Consecutive events of one day, under its label. */
export function byDay(events: Event[], now = new Date()): [name: string, events: Event[]][] {
  const today = dateOf('weekday', now)
  const yesterday = dateOf('weekday', now.getTime() - 86_400_000)
  const days = new Map<string, Event[]>()
  for (const event of events) {
    const day = dateOf('weekday', event.timestamp)
    const name = day === today ? 'Today' : day === yesterday ? 'Yesterday' : day
    const those = days.get(name)
    if (those) those.push(event)
    else days.set(name, [event])
  }
  return [...days]
}

/** Events with the same text for one record each: 30 assets of one changelist, requested or decided together. */
export type Line = [first: Event, ...others: Event[]]

/** One line for simultaneous events: approvals of one kind, project, person and second. */
export function together(events: readonly Event[]): Line[] {
  const lines = new Map<string, Line>()
  for (const event of events) {
    const { event_type, project_id, actor, timestamp, cursor_key } = event
    const isApproval = event_type.startsWith('approval.')
    const key = isApproval ? [event_type, project_id, actor, timestamp.slice(0, 19)].join(' ') : cursor_key
    const line = lines.get(key)
    if (line) line.push(event)
    else lines.set(key, [event])
  }
  return [...lines.values()]
}

const TOGETHER: Partial<Record<Event['event_type'], string>> = {
  'approval.requested': 'are waiting for approval',
  'approval.granted': 'were approved',
  'approval.denied': 'were denied',
  'approval.ignored': 'were ignored',
}

/** `30 assets were approved · art review`. */
export function lineWords([first, ...others]: Line): string {
  if (others.length === 0) return messageOf(first)
  const stages = new Set([first, ...others].map((event) => messageOf(event).split(' · ').at(-1)))
  const stage = stages.size === 1 ? ` · ${[...stages][0]}` : ''
  return `${others.length + 1} assets ${TOGETHER[first.event_type]}${stage}`
}

const SET_WORD = /^[a-z]+(?:_[a-z]+)+$/

/** The message without the underscores of our own terms: causes, stages and stores. */
export function messageOf({ event_type, message }: Event): string {
  const text = event_type.startsWith('deployment.') ? message.replace(/^[a-z0-9_]+/, storeLabel) : message
  return inOrder(text)
    .split(' · ')
    .map((part) => (SET_WORD.test(part) ? wordsOf(part) : part))
    .join(' · ')
}
