import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { EVENTS, type EventSource } from '../../../contract/events.ts'
import { useLive } from '../../live.ts'
import { refresh } from '../../queries.ts'

const CONCERNING: readonly EventSource[] = ['breakage', 'approval', 'task']
const LATE_MS = 4_000

/**
 * Who is concerned by something is worked out after it was told: whoever asked for their inbox with the event asks once more, and so does
 * whoever came just after it. Every event has a look that comes long enough after it, and a flood of them one in a while.
 */
export function useLateLook() {
  const client = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const again = useRef(false)
  const look = () => {
    timer.current = undefined
    void refresh(client, ['listNotifications'])
    if (again.current) wait()
  }
  const wait = () => {
    again.current = timer.current !== undefined
    timer.current ??= setTimeout(look, LATE_MS)
  }
  useLive(({ event_type }) => CONCERNING.includes(EVENTS[event_type]?.source) && wait())
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when somebody comes
  useEffect(() => {
    wait()
    return () => {
      clearTimeout(timer.current)
      timer.current = undefined
    }
  }, [])
}
