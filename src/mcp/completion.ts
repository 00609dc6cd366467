import type { CompleteResult } from '@modelcontextprotocol/server'
import type { Client } from '../contract/client.ts'
import type { Offer } from './catalog.ts'

/** The protocol's maximum. */
const MOST = 100

/** Values for an argument of a prompt or a resource: projects by a prefix of their number or a part of their name. */
export async function complete(
  { name, value }: { name: string; value: string },
  client: Client,
  { scopes, project }: Offer,
): Promise<CompleteResult['completion']> {
  if (name !== 'project_id' || project !== undefined || !scopes.includes('read:projects')) return { values: [] }
  const { projects } = await client.listProjects({})
  const wanted = value.toLowerCase()
  const fitting = projects.filter((each) => each.id.startsWith(value) || each.name.toLowerCase().includes(wanted))
  return { values: fitting.slice(0, MOST).map(({ id }) => id), total: fitting.length, hasMore: fitting.length > MOST }
}
