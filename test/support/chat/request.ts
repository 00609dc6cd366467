import type { ChannelKind } from '../../../src/contract/channels.ts'
import type { Body } from './verdict.ts'

/** A request as a vendor's server reads it. */
export interface ChatRequest {
  method: string
  /** What stands after the address that the vendor gave out. */
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

/** Which room a request is about; its answer writes whatever there is to write. */
export interface Handled {
  kind: ChannelKind
  room: string
  /** Looks only, so that no limit on messages holds. */
  reads?: boolean
  answer(): ChatReply
}
