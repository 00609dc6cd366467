import type { Platform } from '../../../contract/sets.ts'
import type { Event } from '../../../contract/shapes.ts'
import { wordsOf } from '../../ui/pill.tsx'
import { inOrder } from '../../ui/reading-order.ts'
import { PLATFORM_NAMES } from '../deployments/platforms.ts'

/** One line for each thing, newest first: what was told later stands for what was told before. */
export function merged(fresh: Event[], listed: Event[], complete: boolean): Event[] {
  const seen = new Set<string>()
  // What belongs below the last line shown comes with its own page.
  const end = complete ? '' : (listed.at(-1)?.cursor_key ?? '')
  return [...fresh, ...listed]
    .filter(({ cursor_key }) => {
      const thing = cursor_key.slice(cursor_key.indexOf('|'))
      return cursor_key >= end && !seen.has(thing) && seen.add(thing)
    })
    .sort((a, b) => (a.timestamp < b.timestamp ? 1 : a.timestamp > b.timestamp ? -1 : 0))
}

const dayOf = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long' })

/** Consecutive events of one day, under the name people have for it. */
export function byDay(events: Event[], now = new Date()): [name: string, events: Event[]][] {
  const today = dayOf.format(now)
  const yesterday = dayOf.format(new Date(now.getTime() - 86_400_000))
  const days = new Map<string, Event[]>()
  for (const event of events) {
    const day = dayOf.format(new Date(event.timestamp))
    const name = day === today ? 'Today' : day === yesterday ? 'Yesterday' : day
    const those = days.get(name)
    if (those) those.push(event)
    else days.set(name, [event])
  }
  return [...days]
}

const SET_WORD = /^[a-z]+(?:_[a-z]+)+$/

/** The message without the underscores of our own words: causes, stages and stores. */
export function messageOf({ event_type, message }: Event): string {
  const text = event_type.startsWith('deployment.')
    ? message.replace(/^[a-z_]+/, (store) => PLATFORM_NAMES[store as Platform] ?? wordsOf(store))
    : message
  return inOrder(text)
    .split(' · ')
    .map((part) => (SET_WORD.test(part) ? wordsOf(part) : part))
    .join(' · ')
}
