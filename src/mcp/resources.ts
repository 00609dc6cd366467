import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server'
import type { Client } from '../contract/client.ts'
import { notFound } from '../contract/errors.ts'
import { answer } from './answer.ts'
import { type Offer, TOOLS, withheld } from './catalogue.ts'
import { visible } from './shrink.ts'
import type { ToolCall } from './tool.ts'

const LISTED = 100
const JSON_TYPE = 'application/json'

const TEMPLATES: readonly (ResourceTemplateType & { tool: string; pattern: RegExp })[] = [
  {
    uriTemplate: 'goldmaster://projects/{project_id}',
    name: 'project',
    title: 'Project',
    description: 'A project with its status and counts, as show_project gives it',
    mimeType: JSON_TYPE,
    tool: 'show_project',
    pattern: /^goldmaster:\/\/projects\/(?<project_id>[1-9]\d{0,9})$/,
  },
  {
    uriTemplate: 'goldmaster://projects/{project_id}/tasks/{task_id}',
    name: 'task',
    title: 'Task',
    description: 'A task with what is linked to it, as show_task gives it',
    mimeType: JSON_TYPE,
    tool: 'show_task',
    pattern: /^goldmaster:\/\/projects\/(?<project_id>[1-9]\d{0,9})\/tasks\/(?<task_id>[1-9]\d{0,9})$/,
  },
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

/** What the tool of the same thing would answer, marked alike. */
export async function readResource(uri: string, call: Omit<ToolCall, 'args'>, offer: Offer): Promise<ReadResourceResult> {
  for (const { tool: name, pattern } of offered(offer)) {
    const args = pattern.exec(uri)?.groups
    if (!args || (offer.project !== undefined && args.project_id !== offer.project)) continue
    const tool = toolNamed(name)
    const { structuredContent } = answer(tool, await tool.run({ ...call, args: { ...args } }))
    return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(structuredContent) }] }
  }
  throw notFound('Resource')
}
