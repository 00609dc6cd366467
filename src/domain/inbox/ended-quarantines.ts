import { type Database, sql } from '../../db/database.ts'
import { oneByOne } from '../accounts/isolation.ts'
import type { Vault } from '../privacy/secrets.ts'
import { mailTo, wantedBy } from './delivery-method.ts'

interface Ended {
  user_id: number
  account_id: number
  project_id: number
  test_case_id: string
  name: string
  reason: string
  /** One notification for each end: the test may be quarantined again. */
  subject_id: string
}

const AT_ONCE = 100

/** Tells the owners of tests whose quarantine ended by itself. One that somebody ended has no row any more. */
export async function announceEndedQuarantines(db: Database, { vault, site }: { vault: Vault; site: string }) {
  const accounts = await db.rows<{ account_id: number }>(
    sql`select distinct q.account_id from test_quarantines q where ${HAS_ENDED}`,
  )
  const ids = accounts.map(({ account_id }) => account_id)
  await oneByOne(db, 'announce_ended_quarantines', ids, (id) => announceIn(db, { vault, site }, id))
}

const HAS_ENDED = sql`q.until <= goldmaster_now() and q.until > goldmaster_now() - interval '7 days'`

async function announceIn(db: Database, { vault, site }: { vault: Vault; site: string }, accountId: number) {
  for (;;) {
    const ended = await db.rows<Ended>(sql`
      select q.owner_user_id as user_id, q.account_id, q.project_id, q.test_case_id::text, q.reason,
        concat_ws('.', nullif(c.class, ''), c.name) as name, q.test_case_id || ':' || extract(epoch from q.until)::bigint as subject_id
      from test_quarantines q
      join test_cases c on c.account_id = q.account_id and c.id = q.test_case_id
      join project_access m on m.account_id = q.account_id and m.project_id = q.project_id and m.user_id = q.owner_user_id
      where q.account_id = ${accountId} and ${HAS_ENDED} and not exists (
        select from notifications n where n.account_id = q.account_id and n.user_id = q.owner_user_id and n.project_id = q.project_id
          and n.kind = 'quarantine' and n.subject = 'test' and n.subject_id = q.test_case_id || ':' || extract(epoch from q.until)::bigint)
      limit ${AT_ONCE}`)
    for (const one of ended) await db.transaction((db) => notify(db, { vault, site }, one))
    if (ended.length < AT_ONCE) return
  }
}

async function notify(
  db: Database,
  means: { vault: Vault; site: string },
  { user_id, account_id, project_id, test_case_id, name, reason, subject_id }: Ended,
) {
  const wanted = await wantedBy(db, user_id, 'quarantine')
  const title = `Quarantine ended: ${name}`
  const path = `/projects/${project_id}/tests/${test_case_id}`
  const written = await db.execute(sql`
    insert into notifications (user_id, account_id, project_id, kind, subject, subject_id, title, path, in_app, way)
    values (${user_id}, ${account_id}, ${project_id}, 'quarantine', 'test', ${subject_id}, ${title}, ${path}, ${wanted.in_app},
      ${wanted.mail ? 'mail' : null})
    on conflict (account_id, user_id, project_id, kind, subject, subject_id) do nothing`)
  if (written === 0 || !wanted.mail) return
  const url = `${means.site}${path}`
  const facts = [{ label: 'Reason of the quarantine', value: reason }]
  await mailTo(
    db,
    means,
    { user_id, account_id, kind: 'quarantine' },
    {
      ...{ tone: 'neutral', title, url, facts, mentions: [], here: false },
      links: [{ label: 'Open the test', url }],
    },
  )
}
