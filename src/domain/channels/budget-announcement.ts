import { alertWords, seriesQuery } from '../../contract/events.ts'
import { budgetWords, grownWords, rangeWords } from '../../contract/labels/budget-words.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { writersOf } from '../changes/writers.ts'
import { type Alert, findAlert } from '../measures/alerts.ts'
import { scrub, scrubAuthor } from '../privacy/scrub.ts'
import type { Announcement, Person } from './announcement.ts'

type Fact = Announcement['facts'][number]

/** A measure over its budget or no longer coming: by how much, since which changes, and what grew. */
export async function budgetAnnouncement(
  db: Database,
  project: ProjectKey,
  id: string,
  site: string,
): Promise<Announcement | undefined> {
  const alert = await findAlert(db, project, id)
  const found = await db.one<{ name: string }>(sql`
    select name from projects where account_id = ${project.account_id} and id = ${project.project_id}`)
  if (!alert || !found) return undefined
  const { name, job, branch, platform, configuration, state } = alert
  const url = `${site}/projects/${project.project_id}/measures/trend?${seriesQuery({ name, job, branch, platform, configuration })}`
  const title = alertWords({
    ...{ id, state, kind: alert.kind, name, measure_platform: platform, measure_configuration: configuration, unit: alert.unit },
    ...{ job, branch },
    value: String(alert.value),
    allowed: String(alert.allowed),
  })
  const since = alert.kind === 'missing' ? undefined : rangeWords(alert.range)
  const facts: (Fact | false)[] = [
    { label: 'Project', value: found.name },
    { label: 'Job', value: job },
    alert.kind === 'exceeded' && { label: 'Budget', value: budgetWords(alert.budget) },
    state === 'open' && since !== undefined && { label: 'Since', value: since },
    state === 'open' && alert.grown.length > 0 && { label: 'Grew most', value: alert.grown.map(grownWords).join(', ') },
  ]
  const suspect = state === 'open' ? await suspectOf(db, project, alert, site) : undefined
  return {
    tone: state === 'open' ? 'warn' : 'good',
    title: scrub(title),
    url,
    facts: facts.filter((fact) => fact !== false).map((fact) => ({ ...fact, value: scrub(fact.value) })),
    ...(suspect && { suspect }),
    links: [{ label: 'Open', url }],
    mentions: suspect?.person ? [suspect.person] : [],
    here: false,
  }
}

/** The author of the only change since the budget was kept. */
async function suspectOf(
  db: Database,
  project: ProjectKey,
  { change_id, user_id }: Alert,
  site: string,
): Promise<Announcement['suspect']> {
  if (change_id === null) return undefined
  const found = await db.one<{ change: string; identifier: string; author: string; person: Person | null }>(sql`
    select concat_ws(' ', c.display_identifier, split_part(c.description, E'\n', 1)) as change, c.display_identifier as identifier, c.author,
      (select json_build_object('user_id', u.id, 'name', u.name) from users u
        join account_members m on m.user_id = u.id and m.account_id = c.account_id where u.id = ${user_id}) as person
    from changes c where c.account_id = ${project.account_id} and c.id = ${change_id}`)
  if (!found) return undefined
  const writer = (await writersOf(db, project, [change_id])).get(change_id)
  return {
    change: scrub(found.change),
    identifier: found.identifier,
    url: `${site}/projects/${project.project_id}/changes/${change_id}`,
    ...(found.person ? { person: found.person } : writer?.name && { author: scrubAuthor(writer.name) }),
    ...(writer?.carried && { integrator: scrubAuthor(found.author) }),
    reason: 'the only change since the last build within the budget',
  }
}
