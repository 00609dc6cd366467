import type { AppReply } from '../../contract/app/routes.ts'
import type { ReleaseGap, TaskState } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { named } from '../tasks/references.ts'
import type { Words } from '../tasks/tracker-keys.ts'
import { changesOf } from './deployment-contents.ts'

type Release = AppReply<'showRelease'>
type Line = Release['tasks'][number]

interface Linked extends Line, Words {
  labels: string[]
  of_breakage: boolean
  change_ids: number[]
}

/**
 * The tasks of a deployment: completed ones that a change in it names. Unfinished tasks and tasks about the build rather than the game are
 * left out with the reason. Also the tracker items that tasks or changes name.
 */
export async function releaseOf(db: Database, owner: ProjectKey, id: string): Promise<Release> {
  const { changes } = await changesOf(db, owner, id)
  const linked = await db.rows<Linked>(sql`
    select t.id, t.title, t.state, t.task_type, t.labels, t.description, t.metadata, k.change_ids,
      exists (select from breakages b where b.account_id = ${owner.account_id} and b.project_id = ${owner.project_id}
        and b.task_id = t.id) as of_breakage
    from (
      select k.task_id, array_agg(k.change_id) as change_ids from task_changes k
      where k.account_id = ${owner.account_id} and k.change_id = any (${changes.map((change) => change.id)}::bigint[]) group by k.task_id) k
    join tasks t on t.account_id = ${owner.account_id} and t.id = k.task_id and t.project_id = ${owner.project_id} and t.deleted_at is null
    order by t.id`)
  const tracked = new Set(linked.flatMap(({ change_ids }) => change_ids))
  const said = changes.map(({ description }) => ({ title: '', description, metadata: {} }))
  const judged = linked.map((task) => ({ task: lineOf(task), reason: gapOf(task) }))
  return {
    tasks: judged.flatMap(({ task, reason }) => (reason === null ? [task] : [])),
    left_out: judged.flatMap(({ task, reason }) => (reason === null ? [] : [{ ...task, reason }])),
    references: await named(db, owner, [...linked, ...said]),
    untracked_change_ids: changes.flatMap((change) => (tracked.has(change.id) ? [] : [change.id])),
  }
}

const lineOf = ({ id, title, state, task_type }: Linked): Line => ({ id, title, state, task_type })

const INFRASTRUCTURE_LABELS = new Set([
  'infrastructure',
  'infra',
  'ci',
  'build',
  'build-machine',
  'devops',
  'pipeline',
  'tooling',
])
const INFRASTRUCTURE_TITLE =
  /\b(?:build (?:machine|agent|server|farm|node)s?|jenkins|buildkite|teamcity|ci (?:agent|runner|server)|perforce server|license server)\b/i

function gapOf({ state, labels, title, of_breakage }: { state: TaskState } & Linked): ReleaseGap | null {
  if (state !== 'completed') return 'not_completed'
  if (of_breakage) return 'breakage'
  const isInfrastructure =
    labels.some((label) => INFRASTRUCTURE_LABELS.has(label.toLowerCase())) || INFRASTRUCTURE_TITLE.test(title)
  return isInfrastructure ? 'infrastructure' : null
}
