import { type Scope, TOOLSETS } from '../contract/sets.ts'
import { readBuildLog } from './build-log.ts'
import { createTask } from './create-task.ts'
import { decideAsset } from './decide-asset.ts'
import { investigateBuild } from './investigate-build.ts'
import { listBranches } from './list-branches.ts'
import { listMeasures } from './list-measures.ts'
import { listTests } from './list-tests.ts'
import { routeTool } from './route-tools.ts'
import type { Tool, ToolCall } from './tool.ts'
import { type ToolRoute, WORDS } from './words.ts'

/** Tools that do more than their route. */
const OWN: Partial<Record<ToolRoute, Tool>> = {
  createTask,
  decideAsset,
  readBuildLog,
  investigateBuild,
  listBranches,
  listMeasures,
  listTests,
}

/** Every route is a tool, but a search is part of its list's. */
export const TOOLS: readonly Tool[] = (Object.keys(WORDS) as ToolRoute[]).map((name) => OWN[name] ?? routeTool(name, WORDS[name]))

export interface Offer {
  scopes: readonly string[]
  /** The only project that the tools can access. */
  project?: string | undefined
  readOnly?: boolean | undefined
  /** Only the tools of these groups. */
  toolsets?: readonly string[] | undefined
}

/** Requests to the CI are about builds. */
const nounOf = (scope: string) => (scope === 'write:ci' ? 'builds' : scope.slice(scope.indexOf(':') + 1))

const isChosen = (scope: string, { toolsets }: Offer): boolean =>
  toolsets === undefined || !TOOLSETS.includes(nounOf(scope)) || toolsets.includes(nounOf(scope))

/** Reduces the scopes to those of the chosen toolsets. */
export const narrowed = (offer: Offer): Offer => ({ ...offer, scopes: offer.scopes.filter((scope) => isChosen(scope, offer)) })

/** The tool limited to one project: the parameter is removed. */
function bound(tool: Tool, project: string): Tool {
  const { project_id, ...input } = tool.input
  if (project_id === undefined) return tool
  return { ...tool, input, run: (call: ToolCall) => tool.run({ ...call, args: { ...call.args, project_id: project } }) }
}

/** Why a tool is not offered, and the missing scope if that is why; undefined if it is offered. */
export function withheld(tool: Tool, offer: Offer): { why: string; scope?: Scope } | undefined {
  const { scopes, project, readOnly } = offer
  if (readOnly && !tool.annotations.readOnlyHint)
    return {
      why: "this server is read-only: the user chose that in this assistant's settings (--read-only, or read_only in the URL)",
    }
  if (project !== undefined && tool.name === 'list_projects')
    return {
      why: `this assistant's settings limit this server to project ${project}; the other tools use it without a project_id`,
    }
  if (!isChosen(tool.scope, offer))
    return {
      why: "the user did not choose its toolset in this assistant's settings (--toolsets, or toolsets in the URL)",
    }
  if (scopes.includes(tool.scope)) return undefined
  return { why: `it needs the scope ${tool.scope}, which the token lacks`, scope: tool.scope }
}

export const toolsFor = (offer: Offer): Tool[] =>
  TOOLS.filter((tool) => withheld(tool, offer) === undefined).map((tool) =>
    offer.project === undefined ? tool : bound(tool, offer.project),
  )
