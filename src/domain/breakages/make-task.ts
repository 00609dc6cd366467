import type { BreakageDetail } from '../../contract/health-shapes.ts'
import { TITLE_MAX } from '../../contract/limits.ts'
import type { TaskDetail } from '../../contract/shapes.ts'
import { type Database, sql } from '../../db/database.ts'
import { lockBreakages } from '../branches/project-lock.ts'
import { scrub } from '../privacy/scrub.ts'
import * as tasks from '../tasks/tasks.ts'
import { find } from './breakages.ts'
import { note } from './history.ts'

/** Creates a task for the owner, linked to the failed builds and the suspects, or returns the existing one. */
export function makeTask(
  db: Database,
  by: tasks.Author,
  id: number | undefined,
  site: string,
): Promise<{ task: TaskDetail; created: boolean }> {
  return db.transaction(async (db) => {
    await lockBreakages(db, by.project_id)
    const breakage = await find(db, by, id, site)
    if (breakage.task_id !== null) return { task: await tasks.find(db, by, breakage.task_id, site), created: false }
    const { id: taskId } = await tasks.create(db, by, inputOf(breakage), site)
    await db.execute(sql`
      insert into task_changes (account_id, task_id, change_id)
      select c.account_id, ${taskId}, c.id from changes c where c.account_id = ${by.account_id} and c.project_id = ${by.project_id}
        and c.id = any (${breakage.suspects.map((one) => one.change_id)}::bigint[])`)
    await db.execute(sql`
      insert into task_build_runs (account_id, task_id, build_run_id)
      select m.account_id, ${taskId}, m.build_run_id from breakage_builds m
      where m.account_id = ${by.account_id} and m.breakage_id = ${breakage.id} order by m.build_run_id desc limit 50`)
    await db.execute(
      sql`update breakages set task_id = ${taskId}, updated_at = now() where account_id = ${by.account_id} and id = ${breakage.id}`,
    )
    await note(db, { account_id: by.account_id, id: Number(breakage.id) }, 'task', by.user_id, { task_id: taskId })
    return { task: await tasks.find(db, by, taskId, site), created: true }
  })
}

/** Tasks are shown as written: nothing may go into one that must not be shown. */
function inputOf({ cause, suggested_fix, evidence, jobs, branch, urls, owner_user_id }: BreakageDetail) {
  const where = `${jobs.join(', ')}${branch ? ` on ${branch}` : ''}`
  const lines = evidence.map(({ text }) => `    ${text}`).join('\n')
  const description = [cause, lines, suggested_fix, `Broke ${where}: ${urls.web}`].filter(Boolean).join('\n\n')
  return {
    title: cut(scrub(`Fix ${where}: ${(evidence[0]?.text ?? cause).trim().split('\n', 1)[0]}`)),
    description: scrub(description),
    task_type: 'bug' as const,
    priority: 'high' as const,
    ...(owner_user_id !== null && { user_id: owner_user_id }),
  }
}

const cut = (title: string) => (title.length > TITLE_MAX ? `${title.slice(0, TITLE_MAX - 1).toWellFormed()}…` : title)
