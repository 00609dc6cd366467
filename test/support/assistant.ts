import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { TOOLS } from '../../src/mcp/catalogue.ts'
import { plainSchema } from '../../src/mcp/schemas.ts'
import { PROGRAM } from './built.ts'

export interface ToolAnswer {
  text: string
  error: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  data: any
}

/** An assistant that is connected: the SDK's own client. Every answer is held against what its tool declares. */
export interface Assistant {
  client: Client
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>
  toolNames(): Promise<string[]>
}

async function connect(transport: Transport): Promise<Assistant> {
  const client = new Client({ name: 'test-assistant', version: '1' })
  await client.connect(transport)
  return {
    client,
    async call(name, args = {}) {
      const { content, isError, structuredContent } = await client.callTool({ name, arguments: args })
      const [{ text }] = content as [{ text: string }]
      if (isError !== true) holdAgainst(name, structuredContent)
      return { text, error: isError === true, data: structuredContent }
    },
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
  }
}

const validator = new AjvJsonSchemaValidator()

function holdAgainst(name: string, data: unknown) {
  const { output } = TOOLS.find((tool) => tool.name === name)!
  const { valid, errorMessage } = validator.getValidator(plainSchema(output) as never)(data)
  if (!valid) throw new Error(`${name} answers what it does not declare: ${errorMessage}`)
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
