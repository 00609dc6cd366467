import type { Announcement, Person } from '../../domain/channels/announcement.ts'

/** Where messages go: the room a bot posts to and its token, or the address of a webhook. */
export interface Room {
  room: string
  secret: string
  /** Where a bot finds the vendor's API, if not at its usual address. */
  api?: string
}

/** A message as we know it. */
export interface Post {
  /** Ours: travels with the message where a vendor keeps it, so that it can be found again. */
  id: string
  announcement: Announcement
  /** What somebody is called at this vendor, where that is known: they are mentioned by it; else by their name. */
  chatIdOf(person: Person): string | undefined
  /** What the vendor calls the message that this one follows. */
  thread?: string
  /** The only person who gets it. */
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

/** What an answer means. */
export type Outcome =
  /** It is there; `reference` is what changing it later needs. */
  | { kind: 'sent'; reference: string }
  /** Not now: try again, after so many seconds where the vendor says so. */
  | { kind: 'later'; seconds: number; why: string }
  /**
   * The room is gone or the secret does not count: switch the channel off. `why` is for its owner: what to do about it.
   * Where only the room is gone, others can still be written to with the same secret.
   */
  | { kind: 'gone'; of: 'room' | 'secret'; why: string }
  /** This message is not taken as it is; it can be sent once as plain text. */
  | { kind: 'refused'; why: string }
  /** What was to be changed is not there any more. */
  | { kind: 'lost'; why: string }
  /** It may have arrived: look for it where that can be done, and do not send it twice where it cannot. */
  | { kind: 'unknown'; why: string }

export interface Vendor {
  post(to: Room, post: Post, plain: boolean): VendorRequest
  /** Absent where messages cannot be changed. */
  edit?(to: Room, post: Post, reference: string, plain: boolean): VendorRequest
  read(reply: VendorReply): Outcome
  /**
   * Looks for a message of ours that may have arrived, posted not before `since`, below `thread` if it was to stand there; absent
   * where nobody can look. Undefined: not there. Throws when it cannot be known.
   */
  find?: {
    ask(to: Room, since: Date, thread?: string): VendorRequest
    read(reply: VendorReply, id: string): string | undefined
  }
  /** Finds somebody by their address; absent where a vendor has no such question. Undefined: not there. Throws when it cannot be known. */
  findPerson?: {
    ask(to: Room, email: string): VendorRequest
    read(reply: VendorReply): string | undefined
  }
  /** A message to one person goes to this room; absent where there is no such thing. */
  direct?(chatId: string): string
}
