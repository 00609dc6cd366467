import type { ChannelKind } from '../../../src/contract/channels.ts'
import type { Body } from './verdict.ts'

/** A request as a vendor's server parses it. */
export interface ChatRequest {
  method: string
  /** The path after the vendor's own URL. */
  rest: string[]
  query: URLSearchParams
  token: string
  body: Body
  bytes: number
}

export interface ChatReply {
  status: number
  body: object | string
}

/** The room of a request; its handler writes whatever is needed. */
export interface Handled {
  kind: ChannelKind
  room: string
  /** Read-only, so that no rate limit on messages applies. */
  reads?: boolean
  answer(): ChatReply
}
