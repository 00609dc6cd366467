import type { Repository } from '../../facts.ts'
import { at, type Json, link, object, text } from '../../reading.ts'

/** The id of a repository stays the same when it is renamed. */
export function repositoryOf(told: unknown): Repository | undefined {
  const [id, name, project] = [text(at(told, 'id')), text(at(told, 'name')), text(at(told, 'project', 'name'))]
  return id === undefined || name === undefined ? undefined : { id, name: project === undefined ? name : `${project}/${name}` }
}

/** The page of a repository, without the user name that Azure may put in front of the host. */
export const pageOf = (resource: Json): string | undefined =>
  link(at(object(resource.repository), 'remoteUrl'))?.replace(/^(https?:\/\/)[^/@]*@/, '$1')
