/** The context of every bridge. */
export interface Bridge {
  state: string
  since: number | undefined
  interval: number
  once: boolean
  tool: string
  signal: AbortSignal
  say(text: string): void
  /** Resolves when the service has stored it. */
  tell(body: unknown): Promise<void>
  /** Sends the tool's list of its users, who are proposed to the account's owners. */
  tellPeople(list: string): Promise<void>
}
