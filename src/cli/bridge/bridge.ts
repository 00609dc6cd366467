/** What every bridge works with. */
export interface Bridge {
  state: string
  since: number | undefined
  interval: number
  once: boolean
  tool: string
  signal: AbortSignal
  say(text: string): void
  /** Resolves when the service has it for good. */
  tell(body: unknown): Promise<void>
}
