import type { OwnReply } from '../../contract/app/routes.ts'
import { readId } from '../../contract/params.ts'
import { type Database, sql } from '../../db/database.ts'
import { candidates } from './candidates.ts'
import { KINDS, type Name, readRecords, type SearchRecord } from './records.ts'
import { folded, isMatch, mayMatch, type Query, queryOf, rankOf } from './text.ts'

type Hit = OwnReply<'search'>['hits'][number]

interface Project {
  id: number
  account_id: number
  name: string
  engine: string
}

const EACH = 6
const TITLE_MAX = 200
/** Better than any rank: somebody typed its number or its identifier. */
const NAMED = -1

/** Whatever is called like the text, in the projects somebody may see: the very thing first, then kind by kind, the best and newest first. */
export async function search(db: Database, userId: number, text: string, projectId: number | undefined): Promise<Hit[]> {
  const query = queryOf(text)
  if (query.tokens.length === 0) return []
  const mine = await db.rows<Project>(sql`
    select p.id, p.account_id, p.name, p.engine
    from projects p join account_members m on m.account_id = p.account_id and m.user_id = ${userId}
    where ${projectId ?? null}::integer is null or p.id = ${projectId ?? null}::integer order by p.id`)
  if (mine.length === 0) return []
  const projects = mine.map(({ id }) => id)
  const accounts = [...new Set(mine.map(({ account_id }) => account_id))]
  const named = await namesOf(db, text.trim(), projects)
  const found = [...named, ...(await queued(db, accounts)), ...(await candidates(db, accounts, projects, query))]
  const namedKeys = new Set(named.map(keyOf))
  const isNamed = (name: Name) => namedKeys.has(keyOf(name))
  const within = sql`x.project_id = any (${projects}::integer[])`
  const records = await readRecords(db, found, within, (name, written) => isNamed(name) || mayMatch(written, query))
  const ranked = records.flatMap((record) => {
    if (isNamed(record)) return [{ record, rank: NAMED }]
    return isMatch(record.folded, query) ? [{ record, rank: rankOf(record.foldedTitle, record.folded, query) }] : []
  })
  const best = KINDS.flatMap((kind) =>
    ranked
      .filter(({ record }) => record.kind === kind)
      .sort(byRank)
      .slice(0, EACH),
  )
  const names = new Map(mine.map(({ id, name }) => [id, name]))
  const hit = ({ record }: Ranked): Hit => ({
    kind: record.kind,
    project_id: record.project_id,
    project_name: names.get(record.project_id)!,
    title: record.title.slice(0, TITLE_MAX).toWellFormed(),
    detail: record.detail,
    url: record.page,
  })
  return [
    ...best
      .filter(({ rank }) => rank <= 0)
      .sort(byRank)
      .map(hit),
    ...projectHits(mine, query),
    ...best.filter(({ rank }) => rank > 0).map(hit),
  ]
}

const keyOf = ({ kind, record_id }: Name) => `${kind} ${record_id}`

interface Ranked {
  record: SearchRecord
  rank: number
}

const byRank = (a: Ranked, b: Ranked) =>
  a.rank - b.rank ||
  (a.record.at < b.record.at
    ? 1
    : a.record.at > b.record.at
      ? -1
      : b.record.record_id.localeCompare(a.record.record_id, 'en', { numeric: true }))

/** Whoever types a number or an identifier means that one. */
function namesOf(db: Database, text: string, projects: number[]): Promise<Name[]> {
  const number = readId(text.replace(/^(?:#|GM-|CL )/i, ''))
  return db.rows<Name>(sql`
    select 'task' as kind, t.id::text as record_id from tasks t
    where t.id = ${number ?? 0} and t.project_id = any (${projects}::integer[])
    union all
    select 'change', c.id::text from unnest(${projects}::integer[]) p (id) cross join lateral (
      select c.id from changes c where c.project_id = p.id and c.identifier = ${number === undefined ? text : String(number)}
      order by c.id desc limit ${EACH}) c`)
}

const QUEUED_MAX = 200

/** What was written a moment ago and waits to be indexed. */
const queued = (db: Database, accounts: number[]): Promise<Name[]> =>
  db.rows<Name>(sql`
    select q.kind, q.record_id from unnest(${accounts}::bigint[]) a (id) cross join lateral (
      select kind, record_id from search_queue where account_id = a.id order by id desc limit ${QUEUED_MAX}) q
    limit ${QUEUED_MAX}`)

const projectHits = (mine: Project[], query: Query): Hit[] =>
  mine
    .map((project) => ({ project, name: folded(project.name) }))
    .filter(({ name }) => isMatch(name, query))
    .map(({ project, name }) => ({ project, rank: rankOf(name, name, query) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, EACH)
    .map(({ project }) => ({
      kind: 'project',
      project_id: project.id,
      project_name: project.name,
      title: project.name,
      detail: project.engine,
      url: `/projects/${project.id}`,
    }))
