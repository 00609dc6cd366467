import type { ReferenceFact } from '../../facts.ts'
import type { History } from '../../history/history.ts'
import { at, type Json, objects, text, time } from '../../reading.ts'
import { isTask, taskFact } from './task.ts'

const PAGE = 100
const FIELDS = 'name,completed,modified_at,assignee,memberships.project,memberships.section.name'

/** From `/projects/1` to the API itself. */
export const API = '/../..'

export const headers = (config: Readonly<Json>) => ({ authorization: `Bearer ${text(config.api_token) ?? ''}` })

/** Tasks of the project that were changed in these days. */
export const history: History = {
  headers,
  about: { path: '?opt_fields=gid', read: (body) => ({ project: text(at(body, 'data', 'gid')) ?? null }) },
  parts: [
    {
      name: 'issues',
      needs: 'tasks:read',
      page({ cursor, since, about }) {
        const offset = text(cursor.offset)
        const query = { project: String(about.project), modified_since: since, opt_fields: FIELDS, limit: String(PAGE) }
        return { path: `${API}/tasks?${new URLSearchParams({ ...query, ...(offset && { offset }) })}` }
      },
      read({ body }, { cursor, about }) {
        const offset = text(at(body, 'next_page', 'offset'))
        const isMore = offset !== undefined && offset !== cursor.offset
        return { facts: objects(at(body, 'data')).flatMap((task) => imported(task, about)), ...(isMore && { next: { offset } }) }
      },
    },
  ],
}

/** A section of the project is the state of an open task. */
function imported(task: Json, about: Json): ReferenceFact[] {
  const key = text(task.gid)
  if (!isTask(key)) return []
  const membership = objects(task.memberships).find((one) => at(one, 'project', 'gid') === about.project)
  return [
    {
      ...taskFact(key),
      title: text(task.name),
      state: task.completed === true ? 'Completed' : text(at(membership, 'section', 'name')),
      assignee_uid: text(at(task.assignee, 'gid')) ?? null,
      deleted: false,
      at: time(task.modified_at),
    },
  ]
}
