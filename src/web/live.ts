import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { AppName } from '../contract/app/routes.ts'
import { EVENTS, type EventSource, type EventType } from '../contract/events.ts'
import type { Event } from '../contract/shapes.ts'
import { ask } from './api.ts'
import { connection } from './connection.ts'
import { refresh } from './queries.ts'

/** An event of the stream: of any type, in the feed or not. */
export type LiveEvent = Omit<Event, 'event_type'> & { event_type: EventType }
type Listener = (event: LiveEvent) => void
const listeners = new Set<Listener>()
const tell = (event: LiveEvent) => {
  for (const listener of listeners) listener(event)
}

/** Calls back with everything that happens in the account, as it happens. */
export function useLive(listener: Listener) {
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => {
    const call: Listener = (event) => latest.current(event)
    listeners.add(call)
    return () => void listeners.delete(call)
  }, [])
}

/** Which routes show what an event is about. */
const SHOWN: Record<EventSource, AppName[]> = {
  build: [
    'listBuilds',
    'showBuild',
    'listBuildChanges',
    'showOverview',
    'showPlots',
    'showChange',
    'listBranches',
    'showBranchHealth',
  ],
  change: ['listChanges', 'listBuildChanges', 'showOverview', 'listBranches', 'showBranchHealth'],
  breakage: ['listBreakages', 'showBreakage', 'showOverview', 'listNotifications'],
  // A build joins the breakage of its cause when its investigation ends.
  investigation: ['showBuild', 'listBreakages', 'showBreakage'],
  task: ['listTasks', 'showTask', 'listTaskReferences', 'showOverview', 'listNotifications'],
  approval: ['listApprovals', 'listAssets', 'showAsset', 'showApproval', 'showOverview', 'listNotifications'],
  deployment: ['listDeployments', 'showDeployment', 'showOverview', 'showPlots'],
}
const QUIET_MS = 400

/** Follows the account's stream and has what is on the page asked anew when something about it happens. */
export function useStream(accountId: number | undefined) {
  const client = useQueryClient()
  useEffect(
    () => (accountId === undefined ? undefined : followTogether(accountId, tell, () => void client.invalidateQueries())),
    [accountId, client],
  )
  const touched = useRef(new Set<AppName>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useLive(({ event_type }) => {
    // A tab that was opened before an upgrade may hear of types it does not know.
    for (const name of SHOWN[EVENTS[event_type]?.source] ?? []) touched.current.add(name)
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      const names = [...touched.current]
      touched.current.clear()
      void refresh(client, names)
    }, QUIET_MS)
  })
}

/** One tab listens for all: browsers open few connections to one host, and a stream keeps one for good. */
function followTogether(accountId: number, onEvent: Listener, onGap: () => void): () => void {
  const name = `goldmaster-live-${accountId}`
  const channel = new BroadcastChannel(name)
  channel.onmessage = ({ data }: MessageEvent<LiveEvent>) => onEvent(data)
  const stop = new AbortController()
  const tellAll: Listener = (event) => {
    channel.postMessage(event)
    onEvent(event)
  }
  const lead = () => follow(accountId, tellAll, onGap, stop.signal)
  // Locks are only there on secure pages; without them every tab listens for itself.
  if (navigator.locks) navigator.locks.request(name, { signal: stop.signal }, lead).catch(() => {})
  else void lead()
  return () => {
    stop.abort()
    channel.close()
  }
}

const REOPEN_MS = 5_000

/** A broken line the browser mends by itself, saying what it heard last, so nothing is missed; a refused one is for us to ask for again. */
async function follow(accountId: number, onEvent: Listener, onGap: () => void, signal: AbortSignal) {
  for (let again = false; !signal.aborted; again = true) {
    await listen(accountId, onEvent, again ? onGap : () => {}, signal)
    if (signal.aborted) return
    await new Promise((resolve) => setTimeout(resolve, REOPEN_MS))
    await connection.back()
  }
}

/** Until the stream is refused or nobody listens any more. */
const listen = (accountId: number, onEvent: Listener, onOpen: () => void, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    // The lock may be granted after the page has been left.
    if (signal.aborted) return resolve()
    const source = new EventSource(`/app/api/v1/workspace/events/stream?account_id=${accountId}&include=all`)
    const end = () => {
      source.close()
      resolve()
    }
    source.onopen = onOpen
    source.onmessage = ({ data }) => onEvent(JSON.parse(data))
    source.onerror = () => {
      // It does not say why: asking anything does, and the page shows whether the server is away or the session over.
      if (!connection.isAway()) void ask('showMe', {}).catch(() => {})
      if (source.readyState === EventSource.CLOSED) end()
    }
    signal.addEventListener('abort', end)
  })
