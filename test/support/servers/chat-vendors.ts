import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ChannelKind } from '../../../src/contract/channels.ts'
import type { Room } from '../../../src/jobs/sending/vendor.ts'
import { type Fault, type FaultSchedule, openFaults } from '../chat/faults.ts'
import { openPace, type Rate } from '../chat/pace.ts'
import type { ChatReply, ChatRequest, Handled } from '../chat/request.ts'
import { openRooms, type StoredMessage } from '../chat/rooms.ts'
import { slackApi } from '../chat/slack-api.ts'
import { webhook } from '../chat/webhooks.ts'
import { openLocalServer } from './local-server.ts'

export interface ChatVendorsOptions {
  /** Slack: people by email address. */
  people?: Record<string, string>
  /** The rate limit of a room; unlimited by default. */
  rate?: Rate
  faults?: FaultSchedule
  port?: number
}

export interface ChatVendors {
  /** The credentials that somebody would enter for a room there. Slack's rooms are ids: C…, or U… for a person. */
  destination(kind: ChannelKind, room: string): Room
  messages(kind?: ChannelKind, room?: string): StoredMessage[]
  /** Everything that a vendor would not have accepted, and every early retry. */
  violations(): string[]
  /** The number of requests. */
  requests(): number
  /** The next requests to a room fail like this. */
  inject(room: string, ...faults: Fault[]): void
  /** Deletes a webhook, or closes a room. */
  remove(kind: ChannelKind, room: string): void
  /** Deletes a message. */
  erase(message: StoredMessage): void
  close(): Promise<void>
}

const SECRET = 'xoxb-stand-in'

/** The paths of each vendor; followed by the room and the secret of a webhook, or the method of Slack's API. */
const PATHS: Record<ChannelKind, string> = {
  slack: '/slack/api/',
  slack_webhook: '/slack/services/',
  discord: '/discord/api/webhooks/',
  teams: '/teams/workflows/',
  mattermost: '/mattermost/hooks/',
  rocketchat: '/rocketchat/hooks/',
}

/** Servers that stand in for the vendors: they store what they are sent, enforce the vendors' limits, and fail on command. */
export async function openChatVendors(options: ChatVendorsOptions = {}): Promise<ChatVendors> {
  const rooms = openRooms()
  const violations: string[] = []
  const faults = openFaults(options.faults)
  const pace = openPace(options.rate, violations)
  let requests = 0

  const handle = (kind: ChannelKind, request: ChatRequest): Handled =>
    kind === 'slack'
      ? slackApi(request, rooms, { token: SECRET, people: options.people ?? {}, violations })
      : webhook(kind, request, rooms, { secret: SECRET, violations })

  const { url: base, close } = await openLocalServer(
    async (incoming, response) => {
      requests++
      // The client may be gone before the request was read.
      const asked = await read(incoming).catch(() => undefined)
      if (asked === undefined) return send(response, { status: 400, body: 'no such address, or nothing that can be read' })
      const [kind, request] = asked
      const { room, reads, answer } = handle(kind, request)
      const limited = reads ? 0 : pace.wait(room)
      const fault = limited > 0 ? '429' : faults.next(room)
      if (fault === '429') {
        const seconds = limited || 1
        pace.rest(room, seconds)
        return send(response, { status: 429, body: tooMany(kind, seconds) }, { 'retry-after': String(seconds) })
      }
      if (fault === '500' || fault === '503') return send(response, { status: Number(fault), body: '<html>an outage</html>' })
      if (fault === 'reset before') return void incoming.socket.resetAndDestroy()
      // The client gets nothing until it gives up.
      if (fault === 'hang before') return
      const answered = answer()
      if (fault === 'reset after') return void incoming.socket.resetAndDestroy()
      if (fault === 'hang after') return
      send(response, fault === '504 after' ? { status: 504, body: '' } : answered)
    },
    { port: options.port ?? 0 },
  )

  return {
    destination: (kind, room) =>
      kind === 'slack'
        ? { room, secret: SECRET, api: `${base}/slack/api` }
        : { room: '', secret: `${base}${PATHS[kind]}${room}/${SECRET}` },
    messages: (kind, room) =>
      rooms.messages.filter((message) => (!kind || message.kind === kind) && (!room || message.room === room)),
    violations: () => violations,
    requests: () => requests,
    inject: faults.inject,
    remove: rooms.remove,
    erase: rooms.erase,
    close,
  }
}

function tooMany(kind: ChannelKind, seconds: number): ChatReply['body'] {
  if (kind === 'slack') return { ok: false, error: 'ratelimited' }
  if (kind === 'discord') return { message: 'You are being rate limited.', retry_after: seconds - 0.07, global: false }
  return ''
}

async function read(incoming: IncomingMessage): Promise<[ChannelKind, ChatRequest] | undefined> {
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk
  const { pathname, searchParams } = new URL(incoming.url!, 'http://stand-in')
  const kind = (Object.keys(PATHS) as ChannelKind[]).find((each) => pathname.startsWith(PATHS[each]))
  if (kind === undefined) return
  return [
    kind,
    {
      method: incoming.method!,
      rest: pathname.slice(PATHS[kind].length).split('/'),
      query: searchParams,
      token: (incoming.headers.authorization ?? '').replace('Bearer ', ''),
      body: text === '' ? undefined : JSON.parse(text),
      bytes: Buffer.byteLength(text),
    },
  ]
}

function send(response: ServerResponse, { status, body }: ChatReply, headers: Record<string, string> = {}) {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
  response.end(isText ? body : JSON.stringify(body))
}
