import type { Breakage } from '../../contract/health-shapes.ts'
import { jobsInWords } from '../../contract/labels/breakage-jobs.ts'
import { titleOf } from '../../contract/labels/breakage-title.ts'
import type { BreakageState } from '../../contract/sets.ts'
import { type Database, raw, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { writersOf } from '../changes/writers.ts'
import { scrub, scrubAuthor } from '../privacy/scrub.ts'
import type { Announcement, Person } from './announcement.ts'

interface Row {
  state: BreakageState
  project: string
  project_id: number
  branch: string | null
  cause: string
  evidence: Breakage['evidence']
  jobs: string[]
  platforms: string[]
  build_count: number
  flaky: boolean
  came_back: number
  opened: string
  owner: Person | null
  /** Why the service assigned it. */
  because: string | null
  fix: Fix | null
  same_as: (Pick<Breakage, 'evidence' | 'cause' | 'jobs'> & { id: number }) | null
  suspect: { change_id: number; identifier: string; change: string; author: string; person: Person | null; reason: string } | null
}

/** The fix of an occurrence: the change, otherwise the two changes around it. */
interface Fix {
  by: string | null
  after: string | null
  up_to: string | null
}

const PERSON = (id: ReturnType<typeof sql>) => sql`(
  select json_build_object('user_id', u.id, 'name', u.name) from users u
  join account_members m on m.user_id = u.id and m.account_id = k.account_id where u.id = ${id})`

const display = (id: string) =>
  sql`(select c.display_identifier from changes c where c.account_id = k.account_id and c.id = ${raw(id)})`
const FIX = sql`json_build_object('by', coalesce(${display('f.fixed_by_change_id')}, 'CL ' || k.fixed_in), 'after', ${display('f.fixed_after_change_id')},
  'up_to', ${display('f.fixed_up_to_change_id')})`

const find = (db: Database, project: ProjectKey, id: string, occurrence?: number): Promise<Row | undefined> =>
  db.one(sql`
    select k.state, p.name as project, k.project_id, nullif(k.branch, '') as branch, k.cause, k.evidence, k.jobs, k.platforms, k.flaky,
      coalesce(o.build_count, k.build_count) as build_count, greatest(k.reopenings, k.occurrence - 1) as came_back, to_char(k.opened_at at time zone zone_or_utc(a.timezone), 'FMDD Mon YYYY, HH24:MI') || ' ' || zone_or_utc(a.timezone) as opened,
      ${PERSON(sql`k.owner_user_id`)} as owner,
      case when k.assigned_because is not null then (select h.detail ->> 'because' from breakage_history h
        where h.account_id = k.account_id and h.breakage_id = k.id and h.kind = 'assigned' order by h.id desc limit 1) end as because,
      (select ${FIX} from breakage_occurrences f
        where f.account_id = k.account_id and f.breakage_id = k.id and f.number = ${occurrence === undefined ? sql`k.occurrence` : sql`${occurrence}::integer`}) as fix,
      (select json_build_object('id', s.id, 'evidence', s.evidence, 'cause', s.cause, 'jobs', s.jobs) from breakages s
        where s.account_id = k.account_id and s.project_id = k.project_id and s.id = k.same_as_breakage_id) as same_as,
      (select json_build_object('change_id', c.id, 'identifier', c.display_identifier, 'change', concat_ws(' ', c.display_identifier, split_part(c.description, E'\n', 1)),
          'author', c.author, 'person', ${PERSON(sql`(s->>'user_id')::integer`)}, 'reason', s->'reasons'->>0)
        from named_suspect(k.suspects) s join changes c on c.account_id = k.account_id and c.id = (s->>'change_id')::bigint) as suspect
    from breakages k join projects p on p.account_id = k.account_id and p.id = k.project_id join accounts a on a.id = k.account_id
    left join breakage_occurrences o on o.account_id = k.account_id and o.breakage_id = k.id and o.number = k.occurrence
    where k.account_id = ${project.account_id} and k.project_id = ${project.project_id} and k.id = ${id}::bigint`)

const STATES: Record<BreakageState, { tone: Announcement['tone']; words: string }> = {
  open: { tone: 'bad', words: 'Broken' },
  claimed: { tone: 'warn', words: 'Claimed' },
  muted: { tone: 'neutral', words: 'Muted' },
  fixed: { tone: 'good', words: 'Fixed' },
  withdrawn: { tone: 'neutral', words: 'Withdrawn' },
}

const JOBS_SHOWN = 4

/** The person, otherwise the author's name in the tool; and who integrated it, if that is somebody else. */
async function whoWrote(db: Database, project: ProjectKey, { change_id, person, author }: NonNullable<Row['suspect']>) {
  const writer = (await writersOf(db, project, [change_id])).get(change_id)
  return {
    ...(person ? { person } : writer?.name && { author: scrubAuthor(writer.name) }),
    ...(writer?.carried && { integrator: scrubAuthor(author) }),
  }
}

/** The current state: what broke, where, since when, the evidence, and who may know more. */
export async function breakageAnnouncement(
  db: Database,
  project: ProjectKey,
  id: string,
  site: string,
): Promise<Announcement | undefined> {
  const k = await find(db, project, id)
  if (!k) return undefined
  const url = `${site}/projects/${k.project_id}/breakages/${id}`
  const { tone, words } = STATES[k.state]
  const isOver = k.state !== 'open' && k.state !== 'claimed'
  const facts: (Announcement['facts'][number] | false)[] = [
    { label: 'Project', value: k.project },
    k.branch !== null && { label: 'Branch', value: k.branch },
    { label: 'Jobs', value: jobsInWords(k, JOBS_SHOWN) },
    { label: 'Since', value: `${k.opened}, ${k.build_count} failed ${k.build_count === 1 ? 'build' : 'builds'}` },
    k.owner !== null && { label: 'Owner', value: k.owner.name, person: k.owner },
    k.because !== null && { label: 'Assigned because', value: k.because },
    k.flaky && { label: 'Flaky', value: `failed and passed again ${times(k.came_back + 1)}, so no change is suspected` },
    ...(k.state === 'fixed' ? fixFacts(k.fix) : []),
    k.state === 'withdrawn' && k.same_as !== null && { label: 'Duplicate of', value: `#${k.same_as.id} ${titleOf(k.same_as)}` },
    k.state === 'withdrawn' && k.same_as === null && { label: 'Why', value: 'it was not a failure' },
  ]
  const suspect = k.suspect && {
    change: scrub(k.suspect.change),
    identifier: k.suspect.identifier,
    url: `${site}/projects/${k.project_id}/changes/${k.suspect.change_id}`,
    ...(await whoWrote(db, project, k.suspect)),
    reason: scrub(k.suspect.reason ?? ''),
  }
  const involved = [k.suspect?.person, k.owner].filter((one): one is Person => one != null)
  return {
    tone,
    title: titled(wordsOf(k, words), k),
    url,
    facts: facts.filter((fact) => fact !== false).map((fact) => ({ ...fact, value: scrub(fact.value) })),
    ...(k.evidence[0] && { evidence: scrub(k.evidence[0].text.trim()) }),
    ...(suspect && { suspect }),
    ...(k.because !== null && { because: scrub(k.because) }),
    links: [
      { label: 'Open', url: k.same_as === null ? url : `${site}/projects/${k.project_id}/breakages/${k.same_as.id}` },
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

const titled = (said: string, k: Row) => scrub(`${said}${k.branch === null ? '' : ` on ${k.branch}`}: ${titleOf(k)}`)

const wordsOf = ({ state, flaky, came_back, because }: Row, words: string) => {
  if (state === 'claimed' && because !== null) return 'Assigned'
  if (flaky && (state === 'open' || state === 'fixed')) return state === 'open' ? 'Flaky, failing now' : 'Flaky, passing now'
  return state === 'open' && came_back > 0 ? 'Broken again' : words
}

const times = (count: number) => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`)

const fixFacts = (fix: Fix | null): Announcement['facts'] => {
  if (fix?.by) return [{ label: 'Fixed by', value: fix.by }]
  return fix?.after && fix.up_to ? [{ label: 'Fixed', value: `between ${fix.after} and ${fix.up_to}` }] : []
}

/** The message that an occurrence was fixed, whatever the state is now. */
export async function breakageFixed(
  db: Database,
  project: ProjectKey,
  id: string,
  site: string,
  occurrence: number,
): Promise<Announcement | undefined> {
  const k = await find(db, project, id, occurrence)
  const whole = await breakageAnnouncement(db, project, id, site)
  if (!k || !whole) return undefined
  const { suspect, ...rest } = whole
  const facts = [
    ...whole.facts.filter(({ label }) => ['Project', 'Branch', 'Jobs'].includes(label)),
    ...fixFacts(k.fix).map((fact) => ({ ...fact, value: scrub(fact.value) })),
  ]
  return { ...rest, tone: 'good', title: titled('Fixed', k), facts, mentions: [] }
}
