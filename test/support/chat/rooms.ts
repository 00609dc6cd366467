import type { ChannelKind } from '../../../src/contract/channels.ts'
import type { Body, Verdict } from './verdict.ts'

/** A message as everybody in the room sees it. */
export interface StoredMessage {
  kind: ChannelKind
  room: string
  /** The vendor's id for it. */
  id: string
  /** Its position among all messages of all rooms. */
  order: number
  text: string
  /** Every text it had, the current one last. */
  texts: string[]
  pings: string[]
  /** Slack: the thread. */
  thread?: string
  /** Slack: our own id. */
  marker?: string
  body: Body
}

/** The rooms of all vendors, with their messages. */
export function openRooms() {
  const messages: StoredMessage[] = []
  const gone = new Set<string>()
  const key = (kind: ChannelKind, room: string) => `${kind} ${room}`
  let order = 0
  return {
    messages,
    isGone: (kind: ChannelKind, room: string) => gone.has(key(kind, room)),
    remove: (kind: ChannelKind, room: string) => void gone.add(key(kind, room)),
    add(kind: ChannelKind, room: string, body: Body, { text, pings }: Verdict, more: Partial<StoredMessage> = {}): StoredMessage {
      order++
      // Slack's ids are unique times.
      const id = `${Math.floor(Date.now() / 1000)}${kind === 'slack' ? '.' : ''}${String(order).padStart(6, '0')}`
      const message = { kind, room, id, order, text, texts: [text], pings, body, ...more }
      messages.push(message)
      return message
    },
    change(message: StoredMessage, body: Body, { text }: Verdict) {
      message.text = text
      message.texts.push(text)
      message.body = body
    },
    find: (kind: ChannelKind, room: string, id: string) =>
      messages.find((message) => message.kind === kind && message.room === room && message.id === id),
    /** Deletes a message. */
    erase(message: StoredMessage) {
      messages.splice(messages.indexOf(message), 1)
    },
  }
}

export type Rooms = ReturnType<typeof openRooms>
