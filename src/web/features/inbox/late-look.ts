import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { EVENTS, type EventSource } from '../../../contract/events.ts'
import { useLive } from '../../live.ts'
import { refresh } from '../../queries.ts'

const CONCERNING: readonly EventSource[] = ['breakage', 'approval', 'task']
const LATE_MS = 4_000

/**
 * Notifications are computed after their event: a page that loaded the inbox with the event loads it once more, and so does one that was
 * opened just after it. Every event is followed by a later load, and a flood of them by one in a while.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens
  useEffect(() => {
    wait()
    return () => {
      clearTimeout(timer.current)
      timer.current = undefined
    }
  }, [])
}
