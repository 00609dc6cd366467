import type { Announcement, Person } from '../../domain/channels/announcement.ts'

/** The destination: a bot's room and token, or the URL of a webhook. */
export interface Room {
  room: string
  secret: string
  /** The URL of the vendor's API for bots, if not the default. */
  api?: string
}

/** A message in our own format. */
export interface Post {
  /** Our id: sent with the message if the vendor keeps it, so that it can be found again. */
  id: string
  announcement: Announcement
  /** A person's id at this vendor, if known, to mention them; otherwise their name is used. */
  chatIdOf(person: Person): string | undefined
  /** The vendor's id for the message that this one replies to. */
  thread?: string
  /** The recipient of a direct message. */
  reader?: number
}

export interface VendorRequest {
  method: 'GET' | 'POST' | 'PATCH'
  url: string
  headers: Record<string, string>
  body?: string
}

export interface VendorReply {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** The meaning of a reply. */
export type Outcome =
  /** It was posted; `reference` is needed to edit it later. */
  | { kind: 'sent'; reference: string }
  /** Not now: retry, after this many seconds if the vendor says so. */
  | { kind: 'later'; seconds: number; why: string }
  /**
   * The room is gone or the secret is invalid: disable the channel. `why` tells its owner what to do. If only the room is gone, others
   * still work with the same secret.
   */
  | { kind: 'gone'; of: 'room' | 'secret'; why: string }
  /** This message is not accepted as it is; it can be sent once as plain text. */
  | { kind: 'refused'; why: string }
  /** The message to edit no longer exists. */
  | { kind: 'lost'; why: string }
  /** It may have arrived: search for it if the vendor supports that, otherwise do not send it twice. */
  | { kind: 'unknown'; why: string }

export interface Vendor {
  post(to: Room, post: Post, plain: boolean): VendorRequest
  /** Absent if messages cannot be edited. */
  edit?(to: Room, post: Post, reference: string, plain: boolean): VendorRequest
  read(reply: VendorReply): Outcome
  /**
   * Searches for a message of ours that may have arrived, posted not before `since`, in `thread` if it belongs there; absent if the vendor
   * has no search. Undefined: not found. Throws if it is uncertain.
   */
  find?: {
    ask(to: Room, since: Date, thread?: string): VendorRequest
    read(reply: VendorReply, id: string): string | undefined
  }
  /** Finds a person by address; absent if the vendor has no such lookup. Undefined: not found. Throws if it is uncertain. */
  findPerson?: {
    ask(to: Room, email: string): VendorRequest
    read(reply: VendorReply): string | undefined
  }
  /** The room of a direct message to a person; absent without direct messages. */
  direct?(chatId: string): string
}
