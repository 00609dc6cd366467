import { useState } from 'react'
import { EVENTS, type EventType, isChosen } from '../../../contract/events.ts'
import type { Event } from '../../../contract/shapes.ts'
import { type LiveEvent, useLive } from '../../live.ts'

const KEPT = 200

/** A running build is in the feed until it ends; past pages only have ends. */
const RUNNING: readonly EventType[] = ['build_run.started', 'build_run.progressed']
const SHOW_RUNNING = ['', 'build_run.*']

/** The events since the page was opened, newest first. */
export function useFresh(types: string, project: string): Event[] {
  const [events, setEvents] = useState<Event[]>([])
  useLive((event) => {
    if (isOfFeed(event)) setEvents((all) => [event, ...all].slice(0, KEPT))
  })
  return events.filter(
    ({ event_type, project_id }) =>
      (RUNNING.includes(event_type) ? SHOW_RUNNING.includes(types) : isChosen(types === '' ? [] : [types], event_type)) &&
      (project === '' || String(project_id) === project),
  )
}

const isOfFeed = (event: LiveEvent): event is Event => EVENTS[event.event_type]?.feed || RUNNING.includes(event.event_type)
