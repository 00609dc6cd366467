import type { ListedPerson } from '../../domain/accounts/people-list.ts'
import type { AllowedHosts } from '../../net/addresses.ts'
import { type AskedTool, ask, Missing } from '../history/ask.ts'
import type { History, HistoryReply, HistoryRequest } from '../history/history.ts'
import type { Json } from '../reading.ts'
import { Refused } from './ci-replies.ts'

/** How the users of a tool's server are listed, request by request. Every function is pure. */
export interface UserList {
  headers: History['headers']
  first(config: Readonly<Json>): HistoryRequest
  /** Instead of it if the integration may use only these places, and users belong to one. */
  within?(places: readonly string[]): HistoryRequest[]
  read(reply: HistoryReply, request: HistoryRequest): { people?: ListedPerson[]; next?: HistoryRequest[] }
}

export interface AskedServer {
  /** With decrypted secrets. */
  config: Readonly<Json>
  allowed: AllowedHosts
  signal?: AbortSignal
  /** Absent: everything. */
  places?: readonly string[]
}

const REQUESTS_MAX = 300
/** Everybody of a large publisher; more would be kept in memory while a slow server lists them. */
const PEOPLE_MAX = 20_000

/** Asks a server for its users. A request that was sent already is not repeated, so that circular pages end. */
export async function listUsers(
  { label, name }: Pick<AskedTool, 'label' | 'name'>,
  { headers, first, within, read }: UserList,
  server: AskedServer,
): Promise<ListedPerson[]> {
  const people: ListedPerson[] = []
  const sent = new Set<string>()
  const waiting = (server.places && within?.(server.places)) ?? [first(server.config)]
  for (let request = waiting.shift(); request; request = waiting.shift()) {
    const key = JSON.stringify(request)
    if (sent.has(key)) continue
    if (sent.size === REQUESTS_MAX)
      throw new Refused(`${label} needs more than ${REQUESTS_MAX} requests to list its users. Paste a list instead.`)
    const isFirst = sent.size === 0
    sent.add(key)
    const reply = await ask({ label, name, history: { headers, parts: [] } }, request, server).catch((error: unknown) => {
      // A user who was deleted meanwhile.
      if (!isFirst && error instanceof Missing) return undefined
      throw error
    })
    if (!reply) continue
    const page = read(reply, request)
    if (people.length + (page.people?.length ?? 0) > PEOPLE_MAX)
      throw new Refused(`${label} lists more than ${PEOPLE_MAX} users. Paste a list instead.`)
    people.push(...(page.people ?? []))
    waiting.push(...(page.next ?? []))
  }
  return people
}
