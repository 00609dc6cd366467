import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client, type Progress, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { TOOLS } from '../../../src/mcp/catalog.ts'
import { plainSchema } from '../../../src/mcp/schemas.ts'
import { PROGRAM } from '../built.ts'

export interface ToolAnswer {
  text: string
  error: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every shape
  data: any
}

/** A connected assistant: the SDK's own client. Every reply is checked against its tool's declaration. */
export interface Assistant {
  /** The older SDK's client has the same methods as far as tests use them. */
  client: Client
  call(name: string, args?: Record<string, unknown>, onprogress?: (progress: Progress) => void): Promise<ToolAnswer>
  toolNames(): Promise<string[]>
}

const NAME = { name: 'test-assistant', version: '1' }

const assistant = (client: Client, callTool: Client['callTool']): Assistant => ({
  client,
  async call(name, args = {}, onprogress) {
    const { content, isError, structuredContent } = await callTool({ name, arguments: args }, onprogress ? { onprogress } : {})
    const { text } = content[0] as { text: string }
    if (isError !== true) holdAgainst(name, structuredContent)
    return { text, error: isError === true, data: structuredContent }
  },
  toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
})

/** The SDK's version 1, which starts with a handshake. */
async function connectOld(transport: Parameters<OldClient['connect']>[0]): Promise<Assistant> {
  const client = new OldClient(NAME)
  await client.connect(transport)
  const callTool = (asked: never, options?: object) => client.callTool(asked, undefined, options)
  return assistant(client as unknown as Client, callTool as unknown as Client['callTool'])
}

/** Its version 2, pinned to the stateless protocol. */
async function connectPinned(transport: Transport): Promise<Assistant> {
  const client = new Client(NAME, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(transport)
  return assistant(client, client.callTool.bind(client))
}

const validator = new AjvJsonSchemaValidator()

function holdAgainst(name: string, data: unknown) {
  const { output } = TOOLS.find((tool) => tool.name === name)!
  const { valid, errorMessage } = validator.getValidator(plainSchema(output) as never)(data)
  if (!valid) throw new Error(`${name} answers what it does not declare: ${errorMessage}`)
}

const mcpAt = (site: string, token: string) =>
  [new URL(`${site}/mcp`), { requestInit: { headers: { authorization: `Bearer ${token}` } } }] as const

export const connectHttp = (site: string, token: string) => connectOld(new OldHttpTransport(...mcpAt(site, token)))
export const connectHttpPinned = (site: string, token: string) =>
  connectPinned(new StreamableHTTPClientTransport(...mcpAt(site, token)))

/** The real command in a separate process, as an assistant starts it; from the sources, or from the given program. */
const commandFor = (site: string, token: string, words: string[] = [], program: string[] = [PROGRAM], env = {}) => ({
  command: process.execPath,
  args: [...program, 'mcp', ...words],
  cwd: resolve(import.meta.dirname, '../../..'),
  stderr: 'ignore' as const,
  env: {
    PATH: process.env.PATH ?? '',
    XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'goldmaster-mcp-')),
    GOLDMASTER_HOST: site,
    GOLDMASTER_TOKEN: token,
    ...env,
  },
})

export const connectStdio = (...given: Parameters<typeof commandFor>) => connectOld(new OldStdioTransport(commandFor(...given)))
export const connectStdioPinned = (...given: Parameters<typeof commandFor>) =>
  connectPinned(new StdioClientTransport(commandFor(...given)))
