import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server'
import type { Client } from '../contract/client.ts'
import { notFound } from '../contract/errors.ts'
import { answer } from './answer.ts'
import { type Offer, TOOLS, withheld } from './catalog.ts'
import { visible } from './shrink.ts'
import type { ToolCall } from './tool.ts'

const LISTED = 100
const JSON_TYPE = 'application/json'

/** The URI of a resource is the URL of its page, so that an event with a page identifies a resource. */
const resource = (page: string, name: string, title: string, tool: string, description: string) => ({
  uriTemplate: `goldmaster://${page}`,
  name,
  title,
  description,
  mimeType: JSON_TYPE,
  tool,
  pattern: new RegExp(`^goldmaster://${page.replace(/\{(\w+)\}/g, '(?<$1>[1-9]\\d{0,15})')}$`),
})

const TEMPLATES: readonly (ResourceTemplateType & { tool: string; pattern: RegExp })[] = [
  resource(
    'projects/{project_id}',
    'project',
    'Project',
    'show_project',
    'A project with its status and counts, as show_project returns it',
  ),
  resource(
    'projects/{project_id}/tasks/{task_id}',
    'task',
    'Task',
    'show_task',
    'A task with its links, as show_task returns it',
  ),
  resource(
    'projects/{project_id}/builds/{build_run_id}',
    'build',
    'Build',
    'show_build',
    'A build run with its steps and investigation, as show_build returns it',
  ),
  resource(
    'projects/{project_id}/breakages/{breakage_id}',
    'breakage',
    'Breakage',
    'show_breakage',
    'A breakage with its builds, as show_breakage returns it',
  ),
]

const toolNamed = (name: string) => TOOLS.find((tool) => tool.name === name)!

const offered = (offer: Offer) => TEMPLATES.filter(({ tool }) => withheld(toolNamed(tool), offer) === undefined)

export const listTemplates = (offer: Offer): ResourceTemplateType[] =>
  offered(offer).map(({ tool, pattern, ...template }) => ({
    ...template,
    uriTemplate: offer.project ? template.uriTemplate.replace('{project_id}', offer.project) : template.uriTemplate,
  }))

/** The projects; tasks are too many to list and are found by their template. */
export async function listResources(client: Client, offer: Offer): Promise<Resource[]> {
  if (!offer.scopes.includes('read:projects')) return []
  const { projects } = await client.listProjects({})
  return projects
    .filter(({ id }) => offer.project === undefined || id === offer.project)
    .slice(0, LISTED)
    .map(({ id, name }) => ({ uri: `goldmaster://projects/${id}`, name: visible(name), mimeType: JSON_TYPE }))
}

/** The resource of a URI, if it is offered. */
function named(uri: string, offer: Offer) {
  for (const { tool, pattern } of offered(offer)) {
    const args = pattern.exec(uri)?.groups
    if (args && (offer.project === undefined || args.project_id === offer.project)) return { tool: toolNamed(tool), args }
  }
  throw notFound('Resource')
}

export const projectOf = (uri: string, offer: Offer): string => named(uri, offer).args.project_id!

/** The same content as the record's tool, with the same markers. */
export async function readResource(uri: string, call: Omit<ToolCall, 'args'>, offer: Offer): Promise<ReadResourceResult> {
  const { tool, args } = named(uri, offer)
  const { structuredContent } = answer(tool, await tool.run({ ...call, args: { ...args } }))
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(structuredContent) }] }
}
