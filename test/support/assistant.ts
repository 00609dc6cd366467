import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { PROGRAM } from './built.ts'

export interface ToolAnswer {
  text: string
  error: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  data: any
}

/** An assistant that is connected: the SDK's own client, which holds every answer against its output schema. */
export interface Assistant {
  client: Client
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>
  toolNames(): Promise<string[]>
}

async function connect(transport: Transport): Promise<Assistant> {
  const client = new Client({ name: 'test-assistant', version: '1' })
  await client.connect(transport)
  // Listing is what teaches the client the schemas.
  await client.listTools()
  return {
    client,
    async call(name, args = {}) {
      const { content, isError, structuredContent } = await client.callTool({ name, arguments: args })
      const [{ text }] = content as [{ text: string }]
      return { text, error: isError === true, data: structuredContent }
    },
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
  }
}

export const connectHttp = (site: string, token: string): Promise<Assistant> =>
  connect(
    new StreamableHTTPClientTransport(new URL(`${site}/mcp`), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  )

/** The real command in a process of its own, as an assistant starts it; from the sources, or as Node is told to find it. */
export const connectStdio = (
  site: string,
  token: string,
  words: string[] = [],
  program: string[] = [PROGRAM],
): Promise<Assistant> =>
  connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...program, 'mcp', ...words],
      cwd: resolve(import.meta.dirname, '../..'),
      stderr: 'ignore',
      env: {
        PATH: process.env.PATH ?? '',
        XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'goldmaster-mcp-')),
        GOLDMASTER_HOST: site,
        GOLDMASTER_TOKEN: token,
      },
    }),
  )
