import type { OwnReply } from '../contract/app-routes.ts'
import { readId } from '../contract/params.ts'
import { type Database, join, type Sql, sql } from '../db/database.ts'
import { scrub } from './privacy/scrub.ts'

type Hit = OwnReply<'search'>['hits'][number]

const EACH = 6
/** Among how many of each kind words are looked for, shared by the projects; numbers and identifiers are found however old they are. */
const RECENT = 3_000
const RECENT_LEAST = 100

const like = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`
const prefix = (text: string) => `${text.replace(/[\\%_]/g, '\\$&')}%`

/** Whatever is called like the text, in the projects somebody may see, newest of each kind first. */
export async function search(db: Database, userId: number, text: string, projectId: number | undefined): Promise<Hit[]> {
  const q = text.trim().slice(0, 200)
  if (q === '') return []
  const number = readId(q.replace(/^(?:#|GM-|CL )/i, ''))
  const recent = (table: Sql, order: Sql) => sql`
    select x.* from mine join lateral (
      select * from ${table} t where t.project_id = mine.id order by ${order} limit (select most from share)) x on true`
  // Lower case is many times dearer outside ASCII; letters within it have no other case elsewhere.
  const within = (words: Sql, pattern: string) =>
    /^[\x00-\x7f]*$/.test(q) ? sql`(${words}) collate "C" ilike ${pattern}` : sql`(${words}) ilike ${pattern}`
  const hit = (kind: string, title: Sql, detail: Sql, page: Sql) => sql`
    ${kind} as kind, x.project_id, ${title} as title, ${detail} as detail, '/projects/' || x.project_id || ${page} as url`
  const kinds = [
    // Whoever types a number or an identifier means that one.
    sql`select ${hit('task', sql`x.title`, sql`'#' || x.id || ' ' || x.state`, sql`'/tasks/' || x.id`)}
        from tasks x join mine on mine.id = x.project_id where x.id = ${number ?? 0}`,
    sql`select ${hit('change', sql`split_part(x.description, E'\\n', 1)`, sql`x.display_identifier`, sql`'/changes/' || x.id`)}
        from changes x join mine on mine.id = x.project_id where x.identifier = ${number === undefined ? q : String(number)}`,
    sql`select 'project' as kind, id as project_id, name as title, engine as detail, '/projects/' || id as url
        from mine where ${within(sql`name`, like(q))} limit ${EACH}`,
    sql`select ${hit('task', sql`x.title`, sql`'#' || x.id || ' ' || x.state`, sql`'/tasks/' || x.id`)}
        from (${recent(sql`tasks`, sql`t.created_at desc, t.id desc`)}) x where ${within(sql`x.title`, like(q))} limit ${EACH}`,
    sql`select ${hit('build', sql`x.ci_job_name || ' #' || x.build_number`, sql`x.status`, sql`'/builds/' || x.id`)}
        from (${recent(sql`build_runs`, sql`t.created_at desc, t.id desc`)}) x
        where ${within(sql`x.ci_job_name || ' #' || x.build_number`, like(q))} limit ${EACH}`,
    sql`select ${hit('change', sql`split_part(x.description, E'\\n', 1)`, sql`x.display_identifier`, sql`'/changes/' || x.id`)}
        from (${recent(sql`changes`, sql`t.timestamp desc, t.id desc`)}) x
        where ${within(sql`x.description`, like(q))} or ${within(sql`x.identifier`, prefix(q))} limit ${EACH}`,
    sql`select ${hit('asset', sql`x.name`, sql`x.path`, sql`'/assets/' || x.id`)}
        from (${recent(sql`assets`, sql`t.created_at desc, t.id desc`)}) x where ${within(sql`x.path`, like(q))} limit ${EACH}`,
    sql`select ${hit('deployment', sql`x.platform || ' ' || x.version`, sql`x.status`, sql`'/deployments/' || x.id`)}
        from (${recent(sql`deployments`, sql`t.created_at desc, t.number desc`)}) x
        where ${within(sql`x.version || ' ' || x.platform`, like(q))} limit ${EACH}`,
  ]
  const hits = await db.rows<Hit>(sql`
    with mine as materialized (
      select p.id, p.name, p.engine from projects p join account_members m on m.account_id = p.account_id and m.user_id = ${userId}
      where ${projectId ?? null}::integer is null or p.id = ${projectId ?? null}::integer),
    share as materialized (select greatest(${RECENT_LEAST}, ${RECENT} / greatest(count(*), 1)) as most from mine)
    select h.kind, h.project_id, mine.name as project_name, h.title, h.detail, h.url
    from (${join(
      kinds.map((kind, rank) => sql`(select ${rank}::integer as rank, row_number() over () as place, k.* from (${kind}) k)`),
      ' union all ',
    )}) h join mine on mine.id = h.project_id
    order by h.rank, h.place`)
  const once = [...new Map(hits.map((found) => [found.url, found])).values()]
  return once.map((found) => ({ ...found, title: scrub(found.title).slice(0, 200), detail: scrub(found.detail) }))
}
