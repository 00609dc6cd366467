import { titleOf } from '../../contract/breakage-words.ts'
import type { Breakage } from '../../contract/health-shapes.ts'
import type { BreakageState } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { scrub } from '../privacy/scrub.ts'
import type { Announcement, Person } from './announcement.ts'

interface Row {
  state: BreakageState
  project: string
  project_id: number
  branch: string | null
  cause: string
  evidence: Breakage['evidence']
  jobs: string[]
  build_count: number
  flaky: boolean
  reopened: boolean
  opened: string
  owner: Person | null
  fixed_by: string | null
  suspect: { change_id: number; change: string; author: string; person: Person | null; reason: string } | null
}

const PERSON = (id: ReturnType<typeof sql>) => sql`(
  select json_build_object('user_id', u.id, 'name', u.name) from users u
  join account_members m on m.user_id = u.id and m.account_id = k.account_id where u.id = ${id})`

const find = (db: Database, projectId: number, id: string): Promise<Row | undefined> =>
  db.one(sql`
    select k.state, p.name as project, k.project_id, nullif(k.branch, '') as branch, k.cause, k.evidence, k.jobs, k.build_count, k.flaky,
      k.reopened_count > 0 as reopened, to_char(k.opened_at at time zone zone_or_utc(a.timezone), 'FMDD Mon YYYY, HH24:MI') as opened,
      ${PERSON(sql`k.owner_user_id`)} as owner,
      (select c.display_identifier from changes c where c.id = k.fixed_by_change_id) as fixed_by,
      (select json_build_object('change_id', c.id, 'change', concat_ws(' ', c.display_identifier, split_part(c.description, E'\n', 1)),
          'author', c.author, 'person', ${PERSON(sql`(s->>'user_id')::integer`)}, 'reason', s->'reasons'->>0)
        from named_suspect(k.suspects) s join changes c on c.id = (s->>'change_id')::bigint) as suspect
    from breakages k join projects p on p.id = k.project_id join accounts a on a.id = k.account_id
    where k.project_id = ${projectId} and k.id = ${id}::bigint`)

const STATES: Record<BreakageState, { tone: Announcement['tone']; words: string }> = {
  open: { tone: 'bad', words: 'Broken' },
  claimed: { tone: 'warn', words: 'Being mended' },
  muted: { tone: 'neutral', words: 'Muted' },
  fixed: { tone: 'good', words: 'Fixed' },
}

const JOBS_SHOWN = 4

/** What broke, where, since when, what shows it, and who may know more: as it stands now. */
export async function breakageAnnouncement(
  db: Database,
  projectId: number,
  id: string,
  site: string,
): Promise<Announcement | undefined> {
  const k = await find(db, projectId, id)
  if (!k) return undefined
  const url = `${site}/projects/${k.project_id}/breakages/${id}`
  const { tone, words } = STATES[k.state]
  const said = k.state === 'open' && k.reopened ? 'Broken again' : words
  const isOver = k.state === 'fixed' || k.state === 'muted'
  const more = k.jobs.length - JOBS_SHOWN
  const facts: (Announcement['facts'][number] | false)[] = [
    { label: 'Project', value: k.project },
    k.branch !== null && { label: 'Branch', value: k.branch },
    { label: 'Jobs', value: `${k.jobs.slice(0, JOBS_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}` },
    { label: 'Since', value: `${k.opened}, ${k.build_count} failed ${k.build_count === 1 ? 'build' : 'builds'}` },
    k.owner !== null && { label: 'Owner', value: k.owner.name, person: k.owner },
    k.flaky && { label: 'Flaky', value: 'it passes and fails at the same change' },
    k.state === 'fixed' && k.fixed_by !== null && { label: 'Fixed by', value: k.fixed_by },
  ]
  const suspect = k.suspect && {
    change: scrub(k.suspect.change),
    url: `${site}/projects/${k.project_id}/changes/${k.suspect.change_id}`,
    ...(k.suspect.person && { person: k.suspect.person }),
    reason: scrub(k.suspect.reason ?? ''),
  }
  const involved = [k.suspect?.person, k.owner].filter((one): one is Person => one != null)
  return {
    tone,
    title: scrub(`${said}${k.branch === null ? '' : ` on ${k.branch}`}: ${titleOf(k)}`),
    url,
    facts: facts.filter((fact) => fact !== false).map((fact) => ({ ...fact, value: scrub(fact.value) })),
    ...(k.evidence[0] && { evidence: scrub(k.evidence[0].text.trim()) }),
    ...(suspect && { suspect }),
    links: [
      { label: 'Open', url },
      ...(isOver
        ? []
        : [
            { label: 'Claim', url: `${url}?do=claim` },
            { label: 'Mute', url: `${url}?do=mute` },
          ]),
    ],
    mentions: isOver
      ? []
      : involved.filter((one, place) => involved.findIndex(({ user_id }) => user_id === one.user_id) === place),
    here: false,
  }
}

/** What follows below it: nobody notices that a message was changed. */
export async function breakageFollowUp(
  db: Database,
  projectId: number,
  id: string,
  site: string,
  kind: 'breakage_fixed' | 'breakage_reopened',
): Promise<Announcement | undefined> {
  const whole = await breakageAnnouncement(db, projectId, id, site)
  if (!whole) return undefined
  const isFixed = kind === 'breakage_fixed'
  const title = whole.title.slice(whole.title.indexOf(': ') + 2)
  const where = whole.facts.find(({ label }) => label === 'Branch')
  return {
    ...whole,
    tone: isFixed ? 'good' : 'bad',
    title: `${isFixed ? 'Fixed' : 'Broken again'}${where ? ` on ${where.value}` : ''}: ${title}`,
    facts: whole.facts.filter(({ label }) => ['Project', 'Jobs', ...(isFixed ? ['Fixed by'] : ['Branch'])].includes(label)),
    mentions: isFixed ? [] : whole.mentions,
  }
}
