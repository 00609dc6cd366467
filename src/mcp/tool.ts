import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { TSchema } from 'typebox'
import type { Client } from '../contract/client.ts'
import type { Scope } from '../contract/sets.ts'

export type Fields = Record<string, unknown>

/** One call of a tool: what was asked, and through whom it is answered. */
export interface ToolCall {
  client: Client
  scopes: readonly string[]
  args: Fields
  /** Whoever asked has gone, or the service stops: what waits comes to an end. */
  stopped(): boolean
  /** Tells whoever waits how many of how many seconds have passed, and what for; where nobody asked to be told it does nothing. */
  progress(seconds: number, of: number, message: string): Promise<void>
}

/** What a tool has to say: data in the form of its output, and what the reader must know about it. */
export interface Answer {
  data: Fields
  notes: string[]
  /** A field of the data that reads better as it is than inside JSON. */
  plain?: string
}

export interface Tool {
  name: string
  title: string
  description: string
  scope: Scope
  input: Record<string, TSchema>
  /** The form of its answers: which of their fields others wrote is read off it. */
  output: TSchema
  annotations: ToolAnnotations
  run(call: ToolCall): Promise<Answer>
}
