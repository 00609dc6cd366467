import { createHash } from 'node:crypto'
import { preconditionFailed } from '../../contract/errors.ts'
import { readId } from '../../contract/params.ts'
import type { RouteName } from '../../contract/routes.ts'
import { lockBreakages, lockProject } from '../../domain/builds/project-lock.ts'
import * as tasks from '../../domain/tasks/tasks.ts'
import type { Call, HandledName } from './handlers.ts'

/** The tag of an answer: the same for the same content. */
export const tagOf = (answer: unknown): string =>
  `"${createHash('sha256').update(JSON.stringify(answer)).digest('base64url').slice(0, 22)}"`

const tagsIn = (header: string) => header.split(',').map((tag) => tag.trim())

/** Whether the reader has this already. A tag that a proxy weakened still says so. */
export const isKnown = (header: string | undefined, tag: string): boolean =>
  header !== undefined && tagsIn(header).some((known) => known === '*' || known.replace(/^W\//, '') === tag)

interface Edited {
  /** The route that shows the record. */
  shown: HandledName
  /** Taken by whoever writes the record: until the end of the transaction it stays as it was compared. */
  lock(call: Call<RouteName>): Promise<unknown>
}

/** The records that can be edited under the condition that they are as the client read them. */
export const EDITED: Partial<Record<RouteName, Edited>> = {
  editTask: {
    shown: 'showTask',
    lock: ({ db, by, path }) => tasks.lock(db, by.project_id, readId((path as { id: string }).id)),
  },
  editBreakage: { shown: 'showBreakage', lock: ({ db, by }) => lockBreakages(db, by.project_id) },
  editDeployment: { shown: 'showDeployment', lock: ({ db, by }) => lockProject(db, by.project_id) },
}

/** Refuses the edit unless the record is one of those that `If-Match` names. In the transaction of the edit. */
export async function requireMatch({ lock }: Edited, call: Call<RouteName>, show: () => Promise<unknown>): Promise<void> {
  const header = call.header('if-match')
  if (header === undefined) return
  await lock(call)
  const tag = tagOf(await show())
  if (!tagsIn(header).some((named) => named === '*' || named === tag)) throw preconditionFailed(tag)
}
