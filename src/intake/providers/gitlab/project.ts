import type { Repository } from '../../facts.ts'
import { at, type Json, text, word } from '../../reading.ts'

/** With all its groups: `studio/games/starfall`. */
export const pathOf = (body: Json): string | undefined => text(at(body, 'project', 'path_with_namespace'))

/** The id of a project stays the same when it is renamed or moved. */
export function repositoryOf(body: Json): Repository | undefined {
  const name = pathOf(body)
  const id = word(at(body, 'project', 'id')) ?? word(at(body, 'project_id'))
  return name === undefined ? undefined : { id: id ?? name, name }
}
