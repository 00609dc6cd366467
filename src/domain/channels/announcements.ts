import type { MessageSubject } from '../../contract/channels.ts'
import { DEPLOYMENT_WORDS } from '../../contract/events.ts'
import { isUuid } from '../../contract/params.ts'
import type { DeploymentStatus } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { scrub } from '../privacy/scrub.ts'
import type { Announcement } from './announcement.ts'
import { breakageAnnouncement, breakageFollowUp } from './breakage-announcement.ts'

interface About {
  project_id: number | null
  subject: MessageSubject
  subject_id: string
  here: boolean
}

/** What a message says now; undefined where what it is about is gone. */
export async function announcementOf(db: Database, about: About, site: string): Promise<Announcement | undefined> {
  const said = await TELLERS[about.subject](db, about.project_id ?? 0, about.subject_id, site)
  return said && { ...said, here: about.here }
}

type Teller = (db: Database, projectId: number, id: string, site: string) => Promise<Announcement | undefined>

const TELLERS: Record<MessageSubject, Teller> = {
  breakage: breakageAnnouncement,
  breakage_fixed: (db, projectId, id, site) => breakageFollowUp(db, projectId, id, site, 'breakage_fixed'),
  breakage_reopened: (db, projectId, id, site) => breakageFollowUp(db, projectId, id, site, 'breakage_reopened'),
  approval: approvalAnnouncement,
  deployment: deploymentAnnouncement,
  last_known_good: staleBranchAnnouncement,
  task: taskAnnouncement,
  test: async (_db, _projectId, _id, site) => ({
    ...PLAIN,
    tone: 'neutral',
    title: 'This is a test',
    url: `${site}/settings/channels`,
    facts: [{ label: 'Goldmaster', value: 'can post here. What it posts is up to the rules of this channel.' }],
    links: [{ label: 'Open', url: `${site}/settings/channels` }],
  }),
}

const PLAIN = { facts: [], links: [], mentions: [], here: false }

async function approvalAnnouncement(db: Database, projectId: number, id: string, site: string) {
  const NAMES_SHOWN = 5
  const found = await db.one<{
    project: string
    waiting: number
    decided: number
    names: string[]
    change: string | null
  }>(sql`
    select p.name as project, count(*) filter (where a.status = 'pending') as waiting, count(*) filter (where a.status <> 'pending') as decided,
      array_agg(s.name order by a.status = 'pending' desc, s.name) as names,
      (select concat_ws(' ', c.display_identifier, split_part(c.description, E'\n', 1)) from changes c
        where c.project_id = ${projectId} and c.identifier = ${id} limit 1) as change
    from approvals a join assets s on s.id = a.asset_id join projects p on p.id = a.project_id
    where a.project_id = ${projectId} and ${isUuid(id) ? sql`a.asset_id = ${id}::uuid and a.commit_sha = ''` : sql`a.commit_sha = ${id}`} group by p.name`)
  if (!found) return undefined
  const { project, waiting, decided, names, change } = found
  const url = `${site}/projects/${projectId}/approvals`
  const total = waiting + decided
  return {
    ...PLAIN,
    tone: waiting > 0 ? ('warn' as const) : ('good' as const),
    title:
      waiting > 0
        ? `${waiting} ${waiting === 1 ? 'asset waits' : 'assets wait'} for approval in ${scrub(project)}`
        : `${total === 1 ? 'The asset was' : `All ${total} assets were`} decided in ${scrub(project)}`,
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

async function deploymentAnnouncement(db: Database, projectId: number, id: string, site: string) {
  const found = await db.one<{
    project: string
    number: number
    platform: string
    version: string
    branch: string
    status: DeploymentStatus
  }>(sql`
    select p.name as project, d.number, d.platform, d.version, d.branch, d.status from deployments d join projects p on p.id = d.project_id
    where d.project_id = ${projectId} and d.id = ${id}::uuid`)
  if (!found) return undefined
  const { pill, words } = DEPLOYMENT_WORDS[found.status]
  const url = `${site}/projects/${projectId}/deployments/${found.number}`
  return {
    ...PLAIN,
    tone: ({ ok: 'good', err: 'bad', warn: 'warn', info: 'neutral', neutral: 'neutral' } as const)[pill],
    title: scrub(`${[found.platform, found.version].filter(Boolean).join(' ')} ${words}`),
    url,
    facts: [
      { label: 'Project', value: scrub(found.project) },
      ...(found.branch === '' ? [] : [{ label: 'Branch', value: scrub(found.branch) }]),
    ],
    links: [{ label: 'Open', url }],
  }
}

/** About a branch: how far its last known good change lies back. Its facts were written down when it was found to be old. */
async function staleBranchAnnouncement(db: Database, projectId: number, branch: string, site: string) {
  const found = await db.one<{ project: string }>(sql`select name as project from projects where id = ${projectId}`)
  if (!found) return undefined
  const url = `${site}/projects/${projectId}/branches`
  return {
    ...PLAIN,
    tone: 'bad' as const,
    title: scrub(`${branch} has had no good change for a while`),
    url,
    facts: [
      { label: 'Project', value: scrub(found.project) },
      { label: 'Branch', value: scrub(branch) },
    ],
    links: [{ label: 'Open', url }],
  }
}

async function taskAnnouncement(db: Database, projectId: number, id: string, site: string) {
  const found = await db.one<{ project: string; title: string; state: string }>(sql`
    select p.name as project, t.title, t.state from tasks t join projects p on p.id = t.project_id
    where t.project_id = ${projectId} and t.id = ${id}::bigint`)
  if (!found) return undefined
  const url = `${site}/projects/${projectId}/tasks/${id}`
  return {
    ...PLAIN,
    tone: 'neutral' as const,
    title: scrub(`Task #${id}: ${found.title}`),
    url,
    facts: [{ label: 'Project', value: scrub(found.project) }],
    links: [{ label: 'Open', url }],
  }
}
