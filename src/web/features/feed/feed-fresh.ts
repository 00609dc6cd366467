import { useState } from 'react'
import type { Event } from '../../../contract/shapes.ts'
import { useLive } from '../../live.ts'

const KEPT = 200

/** What has happened since the page was opened, newest first. */
export function useFresh(types: string, project: string): Event[] {
  const [events, setEvents] = useState<Event[]>([])
  useLive((event) => setEvents((all) => [event, ...all].slice(0, KEPT)))
  return events.filter(
    ({ event_type, project_id }) =>
      (types === '' || (types.endsWith('*') ? event_type.startsWith(types.slice(0, -1)) : event_type === types)) &&
      (project === '' || String(project_id) === project),
  )
}
