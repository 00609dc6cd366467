export interface SetupContext {
  /** Where the tool is to call, `?token=` included. */
  url: string
  /** The integration's webhook token alone, for tools that can send a header. */
  token: string
  base_url: string
  /** What the operator's commands call the integration. */
  id: number
}

/** How a tool is connected, as Markdown with blocks that are ready to paste. */
export type Setup = (context: SetupContext) => string

/** The operator's way to save what a tool signs with, where nobody opens a page. */
export const saveSecret = (id: number) => `goldmaster admin integration secret ${id}`

/** For tools that send many requests from one address. */
export const ADDRESS_LIMIT =
  'Busy sender? Requests are also counted by address, 300 in five minutes unless the operator says otherwise; raise `LIMIT_REQUESTS_PER_IP` (or switch it `off` behind a proxy that limits already) so that a rush of events from one host is not turned away with 429.'

/** The build's own command, on any machine that has Node. */
export const runLines = (base_url: string, token: string) => `export GOLDMASTER_HOST='${base_url}'
export GOLDMASTER_WEBHOOK_TOKEN='${token}'
curl -fsSo goldmaster.mjs "$GOLDMASTER_HOST/goldmaster.mjs"
node goldmaster.mjs run --job Game-Win64 -- ./build.sh
`
