import { type Database, sql } from '../../db/database.ts'
import type { ChangedFile } from '../assets/changed-files.ts'
import * as streamSettings from '../branches/stream-settings.ts'
import { streamsOf } from '../branches/streams.ts'
import { scheduleReviews } from '../builds/follow-up-jobs.ts'
import type { IntegrationContext } from '../integrations/context.ts'
import { submit } from './submit.ts'

interface Placed {
  id: number
  identifier: string
  files: ChangedFile[]
  import_id: number | null
  branches: string[]
}

const BATCH = 200

/** Puts the changelists of an integration on the streams of their files again, after its server listed other streams than before. */
export async function placeAgain(db: Database, integration: IntegrationContext) {
  const settings = await streamSettings.find(db, integration.integration_id)
  const { account_id, project_id, integration_id } = integration
  for (let last = 0, count = BATCH; count === BATCH; ) {
    const changes = await db.rows<Placed>(sql`
      select c.id, c.identifier, c.files, c.import_id, array(select p.branch from change_branches p
        where p.account_id = c.account_id and p.change_id = c.id and p.orphaned_at is null) as branches
      from changes c
      where c.account_id = ${account_id} and c.project_id = ${project_id} and c.integration_id = ${integration_id} and c.id > ${last}
        and c.source_type = 'Changelist' and c.branch = '' and not c.pending and c.files is not null
      order by c.id limit ${BATCH}`)
    count = changes.length
    last = changes.at(-1)?.id ?? last
    const moved = changes.flatMap((change) => {
      const streams = streamsOf(
        change.files.map(({ path }) => path),
        settings,
      )
      const left = change.branches.filter((branch) => !streams.includes(branch))
      return left.length > 0 || streams.some((stream) => !change.branches.includes(stream)) ? [{ ...change, left }] : []
    })
    if (moved.length === 0) continue
    await db.transaction(async (db) => {
      await db.execute(sql`
        update change_branches p set orphaned_at = goldmaster_now()
        from jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) t (id bigint, "left" text[])
        where p.account_id = ${account_id} and p.project_id = ${project_id} and p.change_id = t.id and p.branch = any (t."left")`)
      // The changes of an import describe the past.
      for (const import_id of new Set(moved.map((change) => change.import_id)))
        await submit(
          db,
          { ...integration, import_id },
          moved
            .filter((change) => change.import_id === import_id)
            .map(({ identifier, files }) => ({ ...UNTOLD, identifier, files })),
        )
      await scheduleReviews(db, integration)
    })
  }
}

/** What is known of a change stays. */
const UNTOLD = {
  source_type: 'Changelist',
  author: '',
  author_uids: [] as string[],
  description: '',
  timestamp: null,
  branch: '',
} as const
