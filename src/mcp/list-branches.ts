import { type TSchema, Type } from 'typebox'
import { BranchHealth } from '../contract/health-shapes.ts'
import { routes } from '../contract/routes.ts'
import { routeTool, tellWhole } from './route-tools.ts'
import { outputOf } from './schemas.ts'
import type { Tool, ToolCall } from './tool.ts'
import { WORDS } from './words.ts'

const tool = routeTool('listBranches', WORDS.listBranches)

async function run(call: ToolCall) {
  const { project_id, branch, ...list } = call.args
  if (branch === undefined) return tool.run({ ...call, args: { project_id, ...list } })
  const health = await call.client.showBranchHealth({ project_id: String(project_id), query: { branch: String(branch) } })
  return tellWhole('listBranches', { health }, WORDS.listBranches)
}

const fields = Object.entries((routes.listBranches.reply as unknown as { properties: Record<string, TSchema> }).properties)

/** The branches of a project, or one with the runs of its jobs. */
export const listBranches: Tool = {
  ...tool,
  input: {
    ...tool.input,
    branch: Type.Optional(Type.String({ description: 'Only this, such as main' })),
  },
  output: outputOf({
    ...Object.fromEntries(fields.map(([name, schema]) => [name, Type.Optional(schema)])),
    health: Type.Optional(BranchHealth),
  }),
  run,
}
