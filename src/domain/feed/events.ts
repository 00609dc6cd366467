import { describe, type EventFacts, type EventSource, type EventType, rowOf } from '../../contract/events.ts'
import type { Event } from '../../contract/shapes.ts'
import { scrub, scrubAuthor } from '../privacy/scrub.ts'

/** An event as the stream and webhooks send it; the feed has fewer types. */
export interface OutboxEvent extends Omit<Event, 'event_type'> {
  event_type: EventType
}

interface EventContext {
  at: string
  project_id: number
  project_name: string
}

/** The readable event: actor, action, subject and result. Contains no member's name and no address. */
export function eventOf(
  type: EventType,
  { at, project_id, project_name }: EventContext,
  facts: EventFacts[EventSource],
): OutboxEvent {
  const safe = 'author' in facts && facts.author ? { ...facts, author: scrubAuthor(facts.author) } : facts
  const { actor, target_ref, status, message, page } = describe(type, safe)
  return {
    event_type: type,
    actor: scrubAuthor(actor) || 'system',
    target_ref: scrub(target_ref),
    status,
    message: scrub(message),
    project_id,
    project_name,
    timestamp: at,
    url: `/projects/${project_id}/${page}`,
    cursor_key: `${at}|${rowOf(type).source}|${facts.id}`,
  }
}
