import { readBuildLog } from './build-log.ts'
import { createTask } from './create-task.ts'
import { investigateBuild } from './investigate-build.ts'
import { routeTool } from './route-tools.ts'
import type { Tool, ToolCall } from './tool.ts'
import { type ToolRoute, WORDS } from './words.ts'

/** Tools that do more than their route. */
const OWN: Partial<Record<ToolRoute, Tool>> = { createTask, readBuildLog, investigateBuild }

/** Every route is a tool, but a search is part of its list's. */
export const TOOLS: readonly Tool[] = (Object.keys(WORDS) as ToolRoute[]).map((name) => OWN[name] ?? routeTool(name, WORDS[name]))

export interface Offer {
  scopes: readonly string[]
  /** The only project the tools reach. */
  project?: string | undefined
  readOnly?: boolean | undefined
}

/** The tool inside one project: nobody names it, and nobody can name another. */
function bound(tool: Tool, project: string): Tool {
  const { project_id, ...input } = tool.input
  if (project_id === undefined) return tool
  return { ...tool, input, run: (call: ToolCall) => tool.run({ ...call, args: { ...call.args, project_id: project } }) }
}

/** Why a tool is not offered, or undefined when it is. */
export function withheld(tool: Tool, { scopes, project, readOnly }: Offer): string | undefined {
  if (!scopes.includes(tool.scope)) return `it needs the scope ${tool.scope}, which the token lacks`
  if (readOnly && !tool.annotations.readOnlyHint) return 'this server only reads: it was started with --read-only'
  if (project !== undefined && tool.name === 'list_projects') return `this server was bound to project ${project} with --project`
  return undefined
}

export const toolsFor = (offer: Offer): Tool[] =>
  TOOLS.filter((tool) => withheld(tool, offer) === undefined).map((tool) =>
    offer.project === undefined ? tool : bound(tool, offer.project),
  )
