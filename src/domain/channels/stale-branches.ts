import { type Database, sql } from '../../db/database.ts'
import { eachRow } from '../accounts/isolation.ts'
import * as branches from '../branches/branches.ts'
import { activeRules, messagesFor } from './announce.ts'
import { enqueue } from './message-queue.ts'

const BRANCHES_LOOKED_AT = 50

/** Announces each last known good change that has become too old once, in channels with a rule for it, if later changes exist. */
export async function announceStaleBranches(db: Database) {
  const projects = await db.rows<{ account_id: number; project_id: number }>(sql`
    select distinct r.account_id, r.project_id from channel_rules r join destinations c on c.account_id = r.account_id and c.id = r.channel_id
    where r.subject = 'last_known_good' and c.status = 'active' order by r.project_id`)
  await eachRow(db, 'announce_stale_branches', projects, async ({ account_id, project_id }) => {
    const rules = await activeRules(db, [project_id])
    const { branches: found } = await branches.list(db, { account_id, project_id }, { q: undefined, limit: BRANCHES_LOOKED_AT })
    for (const { name, last_known_good: good, changes_behind } of found) {
      if (good === null || !changes_behind) continue
      const age = (Date.now() - Date.parse(good.timestamp)) / 3_600_000
      const about = { project_id, subject: 'last_known_good', subject_id: name, occasion: good.id } as const
      await enqueue(
        db,
        messagesFor(
          rules.filter(({ hours }) => hours !== null && age > hours),
          about,
          { branch: name },
        ),
      )
    }
  })
}
