import { at, text } from '../../reading.ts'

/** What happened to the changelist. Of the events before it is submitted, its number may still change. */
export type Stage = 'submitted' | 'shelved' | 'other'

/** Our scripts and test runs of P4 Code Review say it as a status, other published triggers by the name of an event. */
export function stageOf(body: unknown): Stage {
  const [status, event] = [at(body, 'status'), at(body, 'event_type')].map((told) => text(told)?.trim().toLowerCase())
  if (status === 'shelved' || status === 'pending') return 'shelved'
  if (status === 'submitted' || status === 'committed') return 'submitted'
  if (status !== undefined) return 'other'
  if (event === undefined || /^(?:change|push)[_-]commit$/.test(event)) return 'submitted'
  return /^shelve[_-]commit$/.test(event) ? 'shelved' : 'other'
}
