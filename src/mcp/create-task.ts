import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { routes } from '../contract/routes.ts'
import { VERSION } from '../contract/version.ts'
import { ask, routeTool, sentBy, tellWhole } from './route-tools.ts'
import type { Fields, Tool, ToolCall } from './tool.ts'
import { WORDS } from './words.ts'

const CLIENT = { name: 'goldmaster-mcp', version: VERSION }

/** Assistants repeat calls without a reply: the same arguments create the same task. */
const keyOf = (args: Fields) =>
  `mcp-${createHash('sha256')
    .update(JSON.stringify(sorted(args)))
    .digest('hex')}`

const sorted = (args: Fields) => Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1))

async function run({ client, args: { idempotency_key, ...args } }: ToolCall) {
  const metadata = { ...(args.metadata as Fields | undefined), client: CLIENT }
  const key = keyOf({ ...args, metadata, idempotency_key })
  const sent = sentBy(routes.createTask, { ...args, metadata })
  const reply = await ask(client, 'createTask', { ...sent, headers: { 'idempotency-key': key } })
  return tellWhole('createTask', reply, WORDS.createTask)
}

const tool = routeTool('createTask', WORDS.createTask)

export const createTask: Tool = {
  ...tool,
  input: {
    ...tool.input,
    idempotency_key: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Any text' })),
  },
  run,
}
