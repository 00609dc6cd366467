import type { appTaskRoutes } from '../../contract/app/tasks.ts'
import { readTask, TaskEdit } from '../../contract/bodies.ts'
import * as bulk from '../../domain/tasks/bulk.ts'
import * as references from '../../domain/tasks/references.ts'
import { revise } from '../../domain/tasks/revise.ts'
import { count as countTasks } from '../../domain/tasks/tasks.ts'
import { done, type Handlers } from '../routes/call.ts'
import { idOf } from '../routes/path-ids.ts'

export const taskHandlers: Handlers<keyof typeof appTaskRoutes> = {
  reviseTask: ({ db, by, path, body, site }) =>
    revise(db, by, idOf(path.id, 'Task'), body.seen, readTask(TaskEdit, body.task), site),
  countTasks: ({ db, project_id }) => countTasks(db, project_id),
  async editTasks({ db, by, body: { ids, task = {}, ...labels }, site }) {
    await bulk.editAll(db, by, ids, readTask(TaskEdit, task), labels, site)
    return done
  },
  async deleteTasks({ db, by, body }) {
    await bulk.removeAll(db, by, body.ids)
    return done
  },
  async restoreTasks({ db, by, body }) {
    await bulk.restoreAll(db, by, body.ids)
    return done
  },
  listTaskReferences: async ({ db, by, path }) => ({
    references: await references.ofTask(db, by, idOf(path.id, 'Task')),
  }),
}
