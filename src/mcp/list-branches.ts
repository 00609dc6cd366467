import { type TSchema, Type } from 'typebox'
import { invalidParameter } from '../contract/errors.ts'
import { BranchHealth, Preflight } from '../contract/health-shapes.ts'
import { routes } from '../contract/routes.ts'
import { routeTool, tellWhole } from './route-tools.ts'
import { outputOf } from './schemas.ts'
import type { Tool, ToolCall } from './tool.ts'
import { WORDS } from './words.ts'

const tool = routeTool('listBranches', WORDS.listBranches)

async function run(call: ToolCall) {
  const { project_id, branch, preflight, ...list } = call.args
  const project = { project_id: String(project_id) }
  if (preflight !== undefined) {
    const [other] = [...(branch === undefined ? [] : ['branch']), ...Object.keys(list)]
    // Ignored, it would make an answer look narrower than it is.
    if (other !== undefined) throw invalidParameter(other, 'does not go together with preflight')
    const [, kind, value] = /^(pull_request|shelf|commit)=(\w+)$/.exec(String(preflight)) ?? []
    if (kind === undefined) throw invalidParameter('preflight', 'must look like shelf=7, commit=HASH or pull_request=42')
    const query = { [kind]: value }
    return tellWhole('listBranches', { preflight: await call.client.showPreflight({ ...project, query }) }, WORDS.listBranches)
  }
  if (branch === undefined) return tool.run({ ...call, args: { project_id, ...list } })
  const health = await call.client.showBranchHealth({ ...project, query: { branch: String(branch) } })
  return tellWhole('listBranches', { health }, WORDS.listBranches)
}

const fields = Object.entries((routes.listBranches.reply as unknown as { properties: Record<string, TSchema> }).properties)

/** The branches of a project, one with the runs of its jobs, or a change that is on none yet: every tool costs in each conversation. */
export const listBranches: Tool = {
  ...tool,
  input: {
    ...tool.input,
    branch: Type.Optional(Type.String({ description: 'Only this, such as main' })),
    preflight: Type.Optional(Type.String({ description: 'shelf=7, commit=HASH or pull_request=42' })),
  },
  output: outputOf({
    ...Object.fromEntries(fields.map(([name, schema]) => [name, Type.Optional(schema)])),
    health: Type.Optional(BranchHealth),
    preflight: Type.Optional(Preflight),
  }),
  run,
}
