import { deploymentNews } from '../../contract/events.ts'
import type { DeploymentStatus } from '../../contract/sets.ts'
import { storeLabel } from '../../contract/spellings/stores.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { scrub } from '../privacy/scrub.ts'
import type { Announcement, Person } from './announcement.ts'

interface Row {
  project: string
  number: number
  store: string
  track: string
  version: string
  branch: string
  status: DeploymentStatus
  uploaded: boolean
  build: string | null
  change: string
  reason: string | null
  by: Person | null
}

/** About a deployment: its status now, or that it reached `status`, with the reason and the person that its history has. */
export const deploymentAnnouncement =
  (status?: DeploymentStatus) =>
  async (db: Database, { account_id, project_id }: ProjectKey, id: string, site: string): Promise<Announcement | undefined> => {
    const found = await db.one<Row>(sql`
      select p.name as project, d.number, coalesce(nullif(d.store, ''), d.platform) as store, d.track, d.version, d.branch,
        coalesce(${status ?? null}::text, d.status) as status, d.deployed_at is not null as uploaded,
        coalesce(b.ci_job_name || ' #' || b.build_number, nullif(concat_ws(' ', nullif(d.job_name, ''), '#' || nullif(d.build_number, '')), '')) as build,
        coalesce((select c.display_identifier from changes c where c.account_id = d.account_id and c.project_id = d.project_id
          and c.identifier in (b.commit_hash, b.changelist, d.commit_hash, d.changelist) and c.identifier <> '' order by c.id limit 1), '') as change,
        h.note as reason, (select json_build_object('user_id', u.id, 'name', u.name) from users u
          join account_members m on m.user_id = u.id and m.account_id = d.account_id where u.id = h.user_id) as by
      from deployments d join projects p on p.account_id = d.account_id and p.id = d.project_id
      left join build_runs b on b.account_id = d.account_id and b.id = d.build_run_id
      left join lateral (
        select h.note, h.user_id from deployment_history h where h.account_id = d.account_id and h.deployment_id = d.id and h.kind = 'status'
          and h.after = coalesce(${status ?? null}::text, d.status) order by h.id desc limit 1) h on true
      where d.account_id = ${account_id} and d.project_id = ${project_id} and d.id = ${id}::uuid`)
    if (!found) return undefined
    const { pill, words } = deploymentNews(found.store, found.status, found.uploaded)
    const url = `${site}/projects/${project_id}/deployments/${found.number}`
    const isSameAsTrack = found.branch.toLowerCase() === found.track
    const facts: [string, string | null][] = [
      ['Project', found.project],
      ['Track', found.track],
      ['Branch', isSameAsTrack ? '' : found.branch],
      ['Build', [found.build, found.change].filter(Boolean).join(', ')],
      ['Reason', found.reason],
    ]
    return {
      mentions: [],
      here: false,
      tone: ({ ok: 'good', err: 'bad', warn: 'warn', info: 'neutral', neutral: 'neutral' } as const)[pill],
      title: scrub(`${[storeLabel(found.store), found.version].filter(Boolean).join(' ')} ${words}`),
      url,
      facts: [
        ...facts.flatMap(([label, value]) => (value ? [{ label, value: scrub(value) }] : [])),
        // Named, never mentioned: they did it themselves.
        ...(found.by ? [{ label: 'By', value: found.by.name }] : []),
      ],
      links: [{ label: 'Open', url }],
    }
  }
