import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { TSchema } from 'typebox'
import type { Client } from '../contract/client.ts'
import type { Scope } from '../contract/sets.ts'

export type Fields = Record<string, unknown>

/** One call of a tool: its arguments and resources. */
export interface ToolCall {
  client: Client
  scopes: readonly string[]
  args: Fields
  /** The caller has left, or the service stops: waiting ends. */
  stopped(): boolean
  /** Reports how many of how many seconds have passed, and what for; does nothing unless requested. */
  progress(seconds: number, of: number, message: string): Promise<void>
}

/** A tool's reply: data in the shape of its output, and notes for the reader. */
export interface Answer {
  data: Fields
  notes: string[]
  /** A field of the data that reads better as plain text than inside JSON. */
  plain?: string
}

export interface Tool {
  name: string
  title: string
  description: string
  scope: Scope
  input: Record<string, TSchema>
  /** The shape of its replies, from which the fields with external text are derived. */
  output: TSchema
  annotations: ToolAnnotations
  run(call: ToolCall): Promise<Answer>
}
