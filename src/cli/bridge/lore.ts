import { setTimeout as sleep } from 'node:timers/promises'
import type { Bridge } from './bridge.ts'
import { jsonLines } from './run-tool.ts'
import { readState, writeState } from './state.ts'

/** How far back a gap is closed. */
const HISTORY = 1_000
const NOBODY = /^0*$/

/** The newest reported revision of each branch, by the branch's id. */
type State = Record<string, { revision: string; number: number }>

interface Branch {
  id: string
  name: string
  latest: string
}

type Event = Record<string, unknown>

/**
 * Reports what was pushed since the last time, then listens. A notification only says that there is something new: the details come from
 * the history, so that listening and closing a gap are the same work.
 */
export async function bridgeLore(bridge: Bridge): Promise<void> {
  await catchUp(bridge)
  if (bridge.once) return
  const events = jsonLines(bridge.tool, ['--json', 'notification', 'subscribe'], bridge.signal)
  try {
    for (let next = events.next(); ; ) {
      // Polled from time to time anyway: something may have been pushed just before the subscription started.
      const woken = await within(bridge.interval * 1000, next)
      if (woken?.done) return
      if (woken) next = events.next()
      await catchUp(bridge, woken?.value)
    }
  } finally {
    await events.return(undefined)
  }
}

const within = async <T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> => {
  const over = new AbortController()
  const pause = sleep(milliseconds, undefined, { signal: over.signal }).catch(() => undefined)
  return Promise.race([promise, pause]).finally(() => over.abort())
}

async function catchUp(bridge: Bridge, event?: Event): Promise<void> {
  const known = readState<State>(bridge.state)
  const state = known ?? {}
  const heads = await branches(bridge)
  for (const branch of heads) {
    const last = state[branch.id]
    if (last?.revision === branch.latest) continue
    const begins = known === undefined && bridge.since === undefined
    const news = await since(bridge, branch, last?.revision, begins ? 1 : HISTORY)
    if (begins && news[0]) state[branch.id] = { revision: news[0].revision, number: news[0].revision_number }
    for (const revision of begins ? [] : news.reverse()) {
      await bridge.tell(revision)
      state[branch.id] = { revision: revision.revision, number: revision.revision_number }
      writeState(bridge.state, state)
      bridge.say(`Reported revision ${revision.revision_number} of ${branch.name}`)
    }
  }
  if (known === undefined) writeState(bridge.state, state)
  if (event?.tagName === 'notificationBranchPushed') await tellUnknown(bridge, heads, state, event)
}

/** A push that is not in the history (yet) is reported from its notification. */
async function tellUnknown(bridge: Bridge, heads: Branch[], state: State, event: Event) {
  const pushed = dataOf(event)
  const id = heads.find((branch) => branch.id === pushed.branch || branch.name === pushed.branch)?.id ?? String(pushed.branch)
  if (Number(pushed.revisionNumber) > (state[id]?.number ?? 0)) await bridge.tell(event)
}

async function branches({ tool, signal }: Bridge): Promise<Branch[]> {
  const found = new Map<string, Branch>()
  for await (const event of jsonLines(tool, ['--json', '--remote', 'branch', 'list'], signal)) {
    complain(event)
    const { location, id, name, latest, archived } = dataOf(event)
    if (event.tagName !== 'branchListEntry' || location === 'local' || archived === true) continue
    if (typeof id === 'string' && typeof latest === 'string' && !NOBODY.test(latest))
      found.set(id, { id, latest, name: String(name ?? id) })
  }
  return [...found.values()]
}

interface Revision {
  revision: string
  revision_number: number
  repository?: unknown
  branch: string
  author?: unknown
  message?: unknown
  timestamp?: unknown
}

/** Newest first, up to the last reported one; a new branch starts where it left another. */
async function since(
  { tool, signal, ...bridge }: Bridge,
  branch: Branch,
  last: string | undefined,
  most: number,
): Promise<Revision[]> {
  const revisions: Revision[] = []
  let repository: unknown
  let current: Revision | undefined
  const args = ['--json', '--remote', 'revision', 'history', '--branch', branch.name, '--only-branch', String(most)]
  for await (const event of jsonLines(tool, args, signal)) {
    complain(event)
    const data = dataOf(event)
    if (event.tagName === 'revisionHistory') repository = data.repository
    if (event.tagName === 'revisionHistoryEntry') {
      if (data.revision === last || Number(data.revisionNumber) <= (last === undefined ? (bridge.since ?? 0) : 0)) break
      current = { revision: String(data.revision), revision_number: Number(data.revisionNumber), repository, branch: branch.name }
      revisions.push(current)
    }
    if (event.tagName === 'metadata' && current) describe(current, String(data.key), metadataValue(data.value))
  }
  return revisions
}

function describe(revision: Revision, key: string, value: unknown) {
  if (key === 'message') revision.message = value
  if (key === 'created-by') revision.author = value
  if (key === 'timestamp') revision.timestamp = value
}

const dataOf = (event: Event): Event => (typeof event.data === 'object' && event.data !== null ? (event.data as Event) : {})

/** `{"tagName":"string","data":…}`, or the value itself. */
const metadataValue = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (value as { data?: unknown }).data : value

/** The last line has the result. */
function complain(event: Event) {
  const { status, error } = dataOf(event) as { status?: number; error?: { message?: string } }
  if (event.tagName === 'complete' && status !== 0) throw new Error(`lore failed: ${error?.message ?? status}`)
}
