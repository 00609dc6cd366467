import { readTaskEdit } from '../../contract/bodies.ts'
import * as deployments from '../../domain/deployments/contents.ts'
import * as references from '../../domain/tasks/references.ts'
import { revise } from '../../domain/tasks/revise.ts'
import { idOf } from '../rest/path-ids.ts'
import type { AppHandlers } from './app.ts'

/** What the pages of tasks and deployments ask beyond the shared table. */
export const workHandlers: Pick<AppHandlers, 'reviseTask' | 'listTaskReferences' | 'compareDeployment'> = {
  reviseTask: ({ db, project_id, visit, path, body, site }) =>
    revise(
      db,
      { project_id, account_id: visit.account_id!, token_id: null, user_id: visit.user_id },
      idOf(path.id, 'Task'),
      body.seen,
      readTaskEdit({ task: body.task }),
      site,
    ),
  listTaskReferences: async ({ db, project_id, path }) => ({
    references: await references.ofTask(db, project_id, idOf(path.id, 'Task')),
  }),
  compareDeployment: ({ db, project_id, visit, path }) =>
    deployments.changesOf(db, { account_id: visit.account_id!, project_id }, path.id),
}
