import { type ClientSettings, refusal } from '../http-client.ts'

interface Page {
  pagination?: { has_more?: boolean; next_cursor?: string | null }
  [rows: string]: unknown
}

interface Following {
  query?: Record<string, unknown>
  /** Sends everything after this event first. */
  last_id?: string
  signal?: AbortSignal
  /** Something may have been missed: reload. */
  reset?(): void
}

/** Readers of more than one response: every row of a list, and live events. */
export const readersOf = (
  lists: Record<string, string>,
  stream: string,
  client: Record<string, (args: object) => Promise<Page>>,
  settings: ClientSettings,
) => ({
  /** The rows of a list, page by page; the next page is fetched after the last one was read. */
  async *each(name: string, args: { query?: object } = {}): AsyncGenerator<unknown> {
    for (let cursor: string | undefined; ; ) {
      const page = await client[name]!({ ...args, query: { ...args.query, ...(cursor !== undefined && { cursor }) } })
      yield* page[lists[name]!] as unknown[]
      const next = page.pagination?.next_cursor ?? undefined
      if (next === undefined || next === cursor) return
      cursor = next
    }
  },

  /** The live events of the account, with the `id` to resume from, until the connection ends. */
  async *events({ query = {}, last_id, signal, reset }: Following = {}): AsyncGenerator<unknown> {
    const url = new URL(`${settings.site}/api${stream}`)
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
    const response = await (settings.fetch ?? fetch)(url, {
      headers: {
        authorization: `Bearer ${settings.token}`,
        ...(settings.agent && { 'user-agent': settings.agent }),
        ...(last_id !== undefined && { 'last-event-id': last_id }),
      },
      ...(signal && { signal }),
    })
    if (!response.ok) throw refusal(response, await response.text())
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    try {
      for (let text = ''; ; ) {
        const { done, value } = await reader.read()
        if (done) return
        const frames = (text + value).split('\n\n')
        text = frames.pop()!
        for (const frame of frames) {
          const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1]
          const [id, data] = [field('id'), field('data')]
          if (field('event') === 'reset') reset?.()
          else if (data !== undefined) yield { id, ...JSON.parse(data) }
        }
      }
    } finally {
      await reader.cancel().catch(() => {})
    }
  },
})
