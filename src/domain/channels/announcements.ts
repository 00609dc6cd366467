import type { MessageSubject } from '../../contract/channels.ts'
import { isUuid } from '../../contract/params.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import * as branches from '../branches/branches.ts'
import { scrub } from '../privacy/scrub.ts'
import type { Announcement } from './announcement.ts'
import { breakageAnnouncement, breakageFixed } from './breakage-announcement.ts'
import { budgetAnnouncement } from './budget-announcement.ts'
import { commentAnnouncement } from './comment-announcement.ts'
import { deploymentAnnouncement } from './deployment-announcement.ts'

interface About {
  account_id: number
  project_id: number | null
  subject: MessageSubject
  subject_id: string
  here: boolean
  /** For a breakage: the occurrence that the message is about. */
  occurrence?: number
}

/** The current content of a message; undefined if its subject was deleted. */
export async function announcementOf(db: Database, about: About, site: string): Promise<Announcement | undefined> {
  const project = { account_id: about.account_id, project_id: about.project_id ?? 0 }
  const said = await WRITERS[about.subject](db, project, about.subject_id, site, about.occurrence ?? 0)
  return said && { ...said, here: about.here }
}

type Writer = (
  db: Database,
  project: ProjectKey,
  id: string,
  site: string,
  occurrence: number,
) => Promise<Announcement | undefined>

const WRITERS: Record<MessageSubject, Writer> = {
  breakage: breakageAnnouncement,
  breakage_fixed: breakageFixed,
  breakage_reopened: breakageAnnouncement,
  breakage_flickering: breakageAnnouncement,
  approval: approvalAnnouncement,
  deployment: deploymentAnnouncement(),
  deployment_live: deploymentAnnouncement('live'),
  deployment_rejected: deploymentAnnouncement('rejected'),
  deployment_rolled_back: deploymentAnnouncement('rolled_back'),
  budget: budgetAnnouncement,
  last_known_good: staleBranchAnnouncement,
  task: taskAnnouncement,
  comment: commentAnnouncement,
  test: async (_db, _project, _id, site) => ({
    ...PLAIN,
    tone: 'neutral',
    title: 'Test message',
    url: `${site}/settings/channels`,
    facts: [{ label: 'Goldmaster', value: 'can post to this channel. Its rules decide which messages it gets.' }],
    links: [{ label: 'Open', url: `${site}/settings/channels` }],
  }),
}

const PLAIN = { facts: [], links: [], mentions: [], here: false }

/** One asset by its name, several by their change, so that entries in a list can be told apart. */
const waitingWords = (waiting: number, name: string, number: string | null) =>
  waiting === 1 ? `${scrub(name)} is` : `${waiting} assets${number === null ? '' : ` of ${number}`} are`

async function approvalAnnouncement(db: Database, { account_id, project_id }: ProjectKey, id: string, site: string) {
  const NAMES_SHOWN = 5
  const found = await db.one<{
    project: string
    waiting: number
    decided: number
    names: string[]
    change: string | null
    number: string | null
  }>(sql`
    select p.name as project, count(*) filter (where a.waits) as waiting, count(*) filter (where not a.waits) as decided,
      array_agg(a.name order by a.waits desc, a.name) as names,
      (select concat_ws(' ', c.display_identifier, split_part(c.description, E'\n', 1)) from changes c
        where c.account_id = ${account_id} and c.project_id = ${project_id} and c.identifier = ${id} limit 1) as change,
      (select c.display_identifier from changes c where c.account_id = ${account_id} and c.project_id = ${project_id}
        and c.identifier = ${id} limit 1) as number
    from (
      select bool_or(a.status = 'pending') as waits, coalesce(regexp_replace(a.level, '^.*/', ''), min(s.name)) as name
      from approvals a join assets s on s.account_id = a.account_id and s.id = a.asset_id
      where a.account_id = ${account_id} and a.project_id = ${project_id} and ${
        isUuid(id)
          ? sql`a.asset_id = ${id}::uuid
      and a.commit_sha = ''`
          : sql`a.commit_sha = ${id}`
      } group by a.level, case when a.level is null then a.asset_id end) a
    join projects p on p.account_id = ${account_id} and p.id = ${project_id} group by p.name`)
  if (!found) return undefined
  const { project, waiting, decided, names, change, number } = found
  const url = `${site}/projects/${project_id}/approvals`
  const total = waiting + decided
  return {
    ...PLAIN,
    tone: waiting > 0 ? ('warn' as const) : ('good' as const),
    title:
      waiting > 0
        ? `${waitingWords(waiting, names[0]!, number)} waiting for approval in ${scrub(project)}`
        : `${total === 1 ? 'The asset was' : `All ${total} assets were`} reviewed in ${scrub(project)}`,
    url,
    facts: [
      ...(change ? [{ label: 'Change', value: scrub(change) }] : []),
      {
        label: 'Assets',
        value: scrub(`${names.slice(0, NAMES_SHOWN).join(', ')}${total > NAMES_SHOWN ? ` and ${total - NAMES_SHOWN} more` : ''}`),
      },
      ...(decided > 0 && waiting > 0 ? [{ label: 'Decided', value: `${decided} of ${total}` }] : []),
    ],
    links: [{ label: 'Open', url }],
  }
}

/** About a branch with an old last known good change: the change, its age, and the jobs that hold it back. */
async function staleBranchAnnouncement(db: Database, project: ProjectKey, branch: string, site: string) {
  const found = await db.one<{ project: string; now: string }>(sql`
    select name as project, goldmaster_now() as now from projects
    where account_id = ${project.account_id} and id = ${project.project_id}`)
  if (!found) return undefined
  const health = await branches.health(db, project, { branch }).catch(() => undefined)
  const good = health?.last_known_good
  const red = health?.jobs.filter(({ state }) => state === 'red').map(({ name }) => name) ?? []
  const held = health?.held_back_by.filter((name) => !red.includes(name)) ?? []
  const age = good && ageOf(Date.parse(found.now) - Date.parse(good.timestamp))
  const behind = health?.changes_behind
  const url = `${site}/projects/${project.project_id}/branches?branch=${encodeURIComponent(branch)}`
  return {
    ...PLAIN,
    tone: 'bad' as const,
    title: scrub(
      good ? `${branch} was last good ${age} ago, at ${good.display_identifier}` : `${branch} has no last known good change`,
    ),
    url,
    facts: [
      { label: 'Project', value: scrub(found.project) },
      { label: 'Branch', value: scrub(branch) },
      ...(good
        ? [
            {
              label: 'Last known good',
              value: scrub(`${good.display_identifier}, ${age} old${behind ? `, ${behindWords(behind)} behind` : ''}`),
            },
          ]
        : []),
      ...(red.length > 0 ? [{ label: 'Red', value: scrub(red.join(', ')) }] : []),
      ...(held.length > 0 ? [{ label: 'Not built since', value: scrub(held.join(', ')) }] : []),
    ],
    links: [{ label: 'Open', url }],
  }
}

const behindWords = (count: number) => `${count} ${count === 1 ? 'change' : 'changes'}`

/** `26 hours`, `3 days`. */
function ageOf(ms: number): string {
  const hours = Math.max(0, Math.floor(ms / 3_600_000))
  const [count, unit] = hours < 48 ? [hours, 'hour'] : [Math.floor(hours / 24), 'day']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

async function taskAnnouncement(db: Database, { account_id, project_id }: ProjectKey, id: string, site: string) {
  const found = await db.one<{ project: string; title: string; state: string }>(sql`
    select p.name as project, t.title, t.state from tasks t join projects p on p.account_id = t.account_id and p.id = t.project_id
    where t.account_id = ${account_id} and t.project_id = ${project_id} and t.id = ${id}::bigint and t.deleted_at is null`)
  if (!found) return undefined
  const url = `${site}/projects/${project_id}/tasks/${id}`
  return {
    ...PLAIN,
    tone: 'neutral' as const,
    title: scrub(`Task #${id}: ${found.title}`),
    url,
    facts: [{ label: 'Project', value: scrub(found.project) }],
    links: [{ label: 'Open', url }],
  }
}
