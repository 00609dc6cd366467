import { type Database, sql } from '../db/database.ts'
import type { Loaded } from '../world/loaded.ts'
import type { assetsOf } from './assets.ts'
import { HOUR, iso, MINUTE } from './calendar.ts'
import type { Game } from './game.ts'
import type { tasksOf } from './tasks.ts'

interface Records {
  assets: ReturnType<typeof assetsOf>
  tasks: ReturnType<typeof tasksOf>
}

/** Types whose demo previews are pictures. */
const PICTURED: readonly string[] = ['texture', 'level', 'material', 'model', 'animation']

/** A conversation at a point of a denied asset, and one on a task that somebody works on. */
export function commentsOf({ key, team, approvers }: Game, { assets, tasks }: Records, now: number) {
  const [lead, other] = [approvers[0]!, team.find((person) => !approvers.includes(person)) ?? team[0]!]
  const said = (on: object, at: number, user: string, body: string) => ({
    project: key,
    ...on,
    user,
    body,
    created_at: iso(Math.min(at, now)),
  })
  const deniedOnes = assets.filter(({ approvals }) => approvals.at(-1)?.status === 'denied')
  const shows = (asset: (typeof assets)[number]) => PICTURED.includes(asset.asset_type) && !asset.path.endsWith('.glb')
  // With two versions, the viewer has something to compare.
  const denied = deniedOnes.find((asset) => shows(asset) && asset.version > 1) ?? deniedOnes.find(shows) ?? deniedOnes[0]
  const task = tasks.find(({ state }) => state === 'in_progress')
  return [
    ...(denied
      ? [
          said(
            { asset: denied.key, ...(shows(denied) && { asset_version: denied.version, point: { x: 0.62, y: 0.4 } }) },
            Date.parse(denied.updated_at) + 5 * MINUTE,
            lead,
            'Too noisy next to the other props. Compare it in the level, at dusk.',
          ),
          said(
            { asset: denied.key },
            Date.parse(denied.updated_at) + 2 * HOUR,
            other,
            'Agreed. A calmer version comes with the next submit.',
          ),
        ]
      : []),
    ...(task
      ? [
          said(
            { task: task.key },
            Date.parse(task.updated_at) + 10 * MINUTE,
            lead,
            'Is anything missing, or is this only waiting for time?',
          ),
        ]
      : []),
  ]
}

/** The newest breakage of each game has a comment of somebody on its team. */
export async function commentOnBreakages(db: Database, games: readonly Game[], loaded: Loaded) {
  for (const { key, team } of games)
    await db.execute(sql`
      insert into comments (account_id, project_id, breakage_id, user_id, body, created_at, updated_at)
      select k.account_id, k.project_id, k.id, ${loaded.users[team.at(-1)!]!.id}, 'I can reproduce it. Looking at the first error, not at the last one.',
        k.opened_at + interval '4 minutes', k.opened_at + interval '4 minutes'
      from breakages k where k.project_id = ${loaded.projects[key]!.id} and k.state <> 'withdrawn' and k.opened_at < now() - interval '5 minutes'
      order by k.opened_at desc limit 1`)
}
