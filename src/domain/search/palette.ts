import type { AppReply } from '../../contract/app/routes.ts'
import { readId } from '../../contract/params.ts'
import { type Database, sql } from '../../db/database.ts'
import { candidates } from './lookup.ts'
import { peopleOf } from './people.ts'
import { byServer, KINDS, matching, type Name, type Project, readRecords, type SearchRecord } from './records.ts'
import { storesOf } from './stores.ts'
import { bestNamed, folded, isMatch, type Query, queryOf, rankOf } from './text.ts'

type Hit = AppReply<'search'>['hits'][number]

const EACH = 6
const TITLE_MAX = 200
/** Better than any rank: the query is its number or identifier. */
const NAMED = -1
/** Worse than any: its own text doesn't match, but a person who works on it does. */
const OF_PERSON = 9

/**
 * Records that match the text, in the projects that the user has access to: the exact match first, then kind by kind, the best and newest
 * first.
 */
export async function search(
  db: Database,
  userId: number,
  text: string,
  projectId: number | undefined,
  /** Their accounts that are blocked for them for now. */
  blocked: readonly number[] = [],
): Promise<Hit[]> {
  const query = queryOf(text)
  if (query.tokens.length === 0) return []
  const mine = await db.rows<Project>(sql`
    select p.id, p.account_id, p.name, p.engine
    from project_access a join projects p on p.id = a.project_id
    where a.user_id = ${userId} and a.account_id <> all (${blocked}::integer[]) and (${projectId ?? null}::integer is null or p.id = ${projectId ?? null}::integer) order by p.id`)
  if (mine.length === 0) return []
  const people = await peopleOf(db, userId, mine, query, blocked)
  const called = await ranks(db, mine, query, text.trim())
  const ranked = best([
    ...called,
    ...(await insideProject(db, mine, query, called.length > 0)),
    ...(await tasksOf(db, mine, people.tasks)),
  ])
  const shown = KINDS.flatMap((kind) => ranked.filter(({ record }) => record.kind === kind).slice(0, EACH))
  const names = new Map(mine.map(({ id, name }) => [id, name]))
  const hit = ({ record }: Ranked): Hit => ({
    kind: record.kind,
    project_id: record.project_id,
    project_name: names.get(record.project_id)!,
    title: record.title.slice(0, TITLE_MAX).toWellFormed(),
    detail: record.detail,
    url: record.page,
    ...(record.version !== null && { version: record.version }),
  })
  return [
    ...shown
      .filter(({ rank }) => rank <= 0)
      .sort(byRank)
      .map(hit),
    ...projectHits(mine, query),
    ...people.hits,
    ...branchHits(mine, ranked, query),
    ...(await storesOf(db, mine, query)),
    ...shown.filter(({ rank }) => rank > 0).map(hit),
  ]
}

/** Records of these projects that match, and how well. */
const ranks = (db: Database, within: Project[], query: Query, text: string): Promise<Ranked[]> =>
  byServer(db, within, (db, within) => ranksOn(db, within, query, text))

async function ranksOn(db: Database, within: Project[], query: Query, text: string): Promise<Ranked[]> {
  const projects = within.map(({ id }) => id)
  const accounts = accountsOf(within)
  const named = await namesOf(db, text, accounts, projects)
  const found = [...named, ...(await queued(db, accounts)), ...(await candidates(db, accounts, projects, query))]
  const namedKeys = new Set(named.map(keyOf))
  const isNamed = (name: Name) => namedKeys.has(keyOf(name))
  const records = await matching(db, found, inside(within), query, isNamed)
  return records.map((record) => ({
    record,
    rank: isNamed(record) ? NAMED : rankOf(record.foldedTitle, record.folded, query),
  }))
}

const inside = (within: Project[]) => sql`x.account_id = any (${accountsOf(within)}::integer[])
  and x.project_id = any (${within.map(({ id }) => id)}::integer[])`
const accountsOf = (within: Project[]) => [...new Set(within.map(({ account_id }) => account_id))]

/**
 * `cinder 203`: words that match a project's name say where to search for the others. A second lookup costs as much as the first: if that
 * found something, only numbers are worth it, which identify one record of a project.
 */
async function insideProject(db: Database, mine: Project[], query: Query, found: boolean): Promise<Ranked[]> {
  const begins = ({ name }: Project, token: string) => folded(name).words.some((word) => word.startsWith(token))
  const places = query.tokens.filter((token) => mine.some((project) => begins(project, token)))
  const others = query.tokens.filter((token) => !places.includes(token))
  const projects = mine.filter((project) => places.every((token) => begins(project, token)))
  if (places.length === 0 || others.length === 0 || projects.length === 0) return []
  if (found && !others.some((token) => /\d/.test(token))) return []
  const rest = others.join(' ')
  return ranks(db, projects, { text: rest, tokens: others }, rest)
}

const tasksOf = async (db: Database, mine: Project[], tasks: Name[]): Promise<Ranked[]> =>
  tasks.length === 0
    ? []
    : byServer(db, mine, async (db, mine) =>
        (await readRecords(db, tasks, inside(mine))).map((record) => ({ record, rank: OF_PERSON })),
      )

/** Each record once, by its best rank. */
function best(ranked: Ranked[]): Ranked[] {
  const known = new Set<string>()
  return ranked.sort(byRank).filter(({ record }) => {
    const key = keyOf(record)
    return !known.has(key) && known.add(key)
  })
}

/** Branches whose name matches the text, from the builds and breakages that were found by them. */
function branchHits(mine: Project[], ranked: Ranked[], query: Query): Hit[] {
  const hits = new Map<string, Hit>()
  for (const { record } of ranked) {
    const { branch, project_id } = record
    const url = `/projects/${project_id}/branches?branch=${encodeURIComponent(branch)}`
    if (branch === '' || hits.size === EACH || hits.has(url) || !isMatch(folded(branch), query)) continue
    const { name } = mine.find(({ id }) => id === project_id)!
    hits.set(url, { kind: 'branch', project_id, project_name: name, title: branch, detail: '', url })
  }
  return [...hits.values()]
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

/** A number or an identifier means that record. */
function namesOf(db: Database, text: string, accounts: number[], projects: number[]): Promise<Name[]> {
  const number = readId(text.replace(/^(?:#|GM-|CL )/i, ''))
  return db.rows<Name>(sql`
    select 'task' as kind, t.id::text as record_id from tasks t
    where t.account_id = any (${accounts}::integer[]) and t.id = ${number ?? 0} and t.project_id = any (${projects}::integer[])
    union all
    select 'breakage', b.id::text from breakages b
    where b.account_id = any (${accounts}::integer[]) and b.id = ${number ?? 0} and b.project_id = any (${projects}::integer[])
    union all
    select 'change', c.id::text from unnest(${projects}::integer[]) p (id) cross join lateral (
      select c.id from changes c where c.account_id = any (${accounts}::integer[]) and c.project_id = p.id
        and c.identifier = ${number === undefined ? text : String(number)}
      order by c.id desc limit ${EACH}) c`)
}

const QUEUED_MAX = 200

/** Recently written records that wait to be indexed. */
const queued = (db: Database, accounts: number[]): Promise<Name[]> =>
  db.rows<Name>(sql`
    select q.kind, q.record_id from unnest(${accounts}::bigint[]) a (id) cross join lateral (
      select kind, record_id from search_queue where account_id = a.id order by id desc limit ${QUEUED_MAX}) q
    limit ${QUEUED_MAX}`)

const projectHits = (mine: Project[], query: Query): Hit[] =>
  bestNamed(mine, query, EACH).map(({ id, name, engine }) => ({
    kind: 'project',
    project_id: id,
    project_name: name,
    title: name,
    detail: engine,
    url: `/projects/${id}`,
  }))
