import appRoutes from 'virtual:app-routes'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { AppName } from '../contract/app/routes.ts'
import { EVENTS, type EventSource, type EventType } from '../contract/events.ts'
import type { Event } from '../contract/shapes.ts'
import { ask } from './api.ts'
import { connection } from './connection.ts'
import { ANY_BUILD, invalidateRecords } from './list-pages.ts'
import { refreshAll } from './queries.ts'

/** An event of the stream: of any type, in the feed or not. */
export type LiveEvent = Omit<Event, 'event_type'> & { event_type: EventType }
type Listener = (event: LiveEvent) => void
const listeners = new Set<Listener>()
const tell = (event: LiveEvent) => {
  for (const listener of listeners) listener(event)
}

/** Calls back with every live event of the account. */
export function useLive(listener: Listener) {
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => {
    const call: Listener = (event) => latest.current(event)
    listeners.add(call)
    return () => void listeners.delete(call)
  }, [])
}

let streamed = false
const watchers = new Set<() => void>()
const setStreamed = (is: boolean) => {
  if (streamed === is) return
  streamed = is
  for (const watcher of watchers) watcher()
}
const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

/** Whether live events arrive, in this tab or through another one. */
export const useStreamed = (): boolean => useSyncExternalStore(watch, () => streamed)

/** The routes that show records of an event source. */
const shownBy = (source: EventSource): AppName[] => NAMES.filter((name) => appRoutes[name][3]?.includes(source))
const NAMES = Object.keys(appRoutes) as AppName[]
/** Routes that show the one record of their arguments: events about others don't matter. */
const isSingle = (name: AppName) => appRoutes[name][4] === true

const QUIET_MS = 400
/** Previews of a large change become ready one after the other, for minutes. */
const PREVIEWS_MS = 2_000

/** Follows the account's stream and reloads affected queries. */
export function useStream(accountId: number | undefined) {
  const client = useQueryClient()
  useEffect(
    () => (accountId === undefined ? undefined : followTogether(accountId, tell, () => void refreshAll(client))),
    [accountId, client],
  )
  const touched = useRef(new Set<AppName>())
  const records = useRef(new Set<string>())
  const timer = useRef<{ due: number; id: ReturnType<typeof setTimeout> }>(undefined)
  const progress = useRef(new Map<string, string>())
  useLive(({ event_type, url, message }) => {
    // The log of a running build reloads by itself.
    if (event_type !== 'build_run.progressed') progress.current.delete(url)
    else if (progress.current.get(url) === message) return
    else progress.current.set(url, message)
    // A tab from before an upgrade may get unknown types.
    for (const name of shownBy(EVENTS[event_type]?.source)) touched.current.add(name)
    // Its URL ends in the id of the changed record.
    records.current.add(url.slice(url.lastIndexOf('/') + 1))
    if (EVENTS[event_type]?.source === 'build') records.current.add(ANY_BUILD)
    const wait = EVENTS[event_type]?.source === 'preview' ? PREVIEWS_MS : QUIET_MS
    if (timer.current && timer.current.due <= Date.now() + wait) return
    clearTimeout(timer.current?.id)
    const reload = () => {
      timer.current = undefined
      const names = [...touched.current]
      const changed = new Set(records.current)
      touched.current.clear()
      records.current.clear()
      invalidateRecords(changed)
      const isMeant = ([, args]: QueryKey) => Object.values(args as object).some((id) => changed.has(String(id)))
      for (const name of names)
        void client.invalidateQueries({ queryKey: [name], predicate: ({ queryKey }) => !isSingle(name) || isMeant(queryKey) })
    }
    timer.current = { due: Date.now() + wait, id: setTimeout(reload, wait) }
  })
}

/** Messages between tabs. */
type TabMessage = { event: LiveEvent } | { streamed: boolean } | { who: 'leads' }

/** One tab listens for all: browsers open few connections to one host, and a stream keeps one open. */
function followTogether(accountId: number, onEvent: Listener, onGap: () => void): () => void {
  const name = `goldmaster-live-${accountId}`
  const channel = new BroadcastChannel(name)
  let isLeader = false
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if ('event' in data) onEvent(data.event)
    else if ('streamed' in data) isLeader || setStreamed(data.streamed)
    else if (isLeader) say({ streamed })
  }
  const say = (said: TabMessage) => channel.postMessage(said)
  say({ who: 'leads' })
  const stop = new AbortController()
  const tellAll: Listener = (event) => {
    say({ event })
    onEvent(event)
  }
  const onStreamed = (is: boolean) => {
    setStreamed(is)
    say({ streamed: is })
  }
  const lead = () => {
    isLeader = true
    return follow(accountId, tellAll, onGap, onStreamed, stop.signal)
  }
  // Locks only exist on secure pages; without them every tab listens by itself.
  if (navigator.locks) navigator.locks.request(name, { signal: stop.signal }, lead).catch(() => {})
  else void lead()
  return () => {
    stop.abort()
    if (isLeader) onStreamed(false)
    setStreamed(false)
    channel.close()
  }
}

const REOPEN_MS = 5_000

type OnStreamed = (is: boolean) => void

/** The browser reconnects a broken stream by itself with the last id, so nothing is missed; a refused one has to be requested again. */
async function follow(accountId: number, onEvent: Listener, onGap: () => void, onStreamed: OnStreamed, signal: AbortSignal) {
  for (let again = false; !signal.aborted; again = true) {
    const onOpen = () => {
      onStreamed(true)
      if (again) onGap()
    }
    await listen(accountId, onEvent, onOpen, () => onStreamed(false), signal)
    if (signal.aborted) return
    await new Promise((resolve) => setTimeout(resolve, REOPEN_MS))
    await connection.back()
  }
}

/** Resolves when the stream is refused or nobody listens any more. */
const listen = (accountId: number, onEvent: Listener, onOpen: () => void, onLost: () => void, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    // The lock may be granted after the page has been closed.
    if (signal.aborted) return resolve()
    const source = new EventSource(`/app/api/v1/workspace/events/stream?account_id=${accountId}&include=all`)
    const end = () => {
      source.close()
      resolve()
    }
    source.onopen = onOpen
    source.onmessage = ({ data }) => onEvent(JSON.parse(data))
    source.onerror = () => {
      onLost()
      // It does not report why: another request does, and the page shows whether the server is unreachable or the session is over.
      if (!connection.isAway()) void ask('showMe', {}).catch(() => {})
      if (source.readyState === EventSource.CLOSED) end()
    }
    signal.addEventListener('abort', end)
  })
