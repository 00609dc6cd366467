import { Type } from 'typebox'
import { routes } from '../contract/routes.ts'
import { ask, routeTool, sentBy, tellWhole } from './route-tools.ts'
import type { Tool, ToolCall } from './tool.ts'
import { WORDS } from './words.ts'

async function run({ client, args: { version, ...args } }: ToolCall) {
  const headers = { 'if-match': `"${version}"` }
  const reply = await ask(client, 'decideAsset', { ...sentBy(routes.decideAsset, args), headers })
  return tellWhole('decideAsset', reply, WORDS.decideAsset)
}

const tool = routeTool('decideAsset', WORDS.decideAsset)

export const decideAsset: Tool = {
  ...tool,
  input: {
    ...tool.input,
    version: Type.Integer({ description: 'As shown' }),
  },
  run,
}
