import { type Database, empty, join, raw, type Sql, sql } from '../../db/database.ts'
import type { Key } from '../../db/page.ts'
import { KINDS, type Name, ORDERS, type SearchKind } from './records.ts'
import { type Query, termsFor } from './text.ts'

/** Terms are stored as numbers. A collision only makes a lookup read a record in vain. */
export function hashOf(scope: string | number, term: string): number {
  let hash = 0x811c9dc5
  const text = `${scope} ${term}`
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  // The last characters alone only affect the low bits.
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) | 0
}

export const arrayOf = (numbers: Iterable<number>) => `{${[...numbers].join(',')}}`

/** The term of a whole title, the same in every segment: an exact title is found however many others match. */
export const titleTerm = (accountId: number, kind: string, title: string) => hashOf(`${accountId} ${kind}`, `=${title}`)

/** The terms to look up in a segment of the index, and where to start. */
interface Probe {
  /** 0 for all. */
  segment: number
  terms: readonly number[]
  /** Set for all probes of a lookup or for none. */
  from?: Key
}

export const probeOf = (segment: number, terms: readonly string[]): Probe => ({
  segment,
  terms: terms.map((term) => hashOf(segment, term)),
})

/** The documents of a kind with all terms of a probe, the newest of each probe first. */
export function probed(kind: SearchKind, projects: readonly number[], probes: readonly Probe[], take: number): Sql {
  const type = raw(ORDERS[kind].id)
  const id = sql`d.record_id::${type}`
  const from = probes.flatMap((probe) => probe.from ?? [])
  const [keys, names, after, order] =
    from.length === 0
      ? [empty, empty, empty, empty]
      : [
          sql`, ${from.map(({ at }) => at)}::timestamptz[], ${from.map(({ id }) => id)}::text[]`,
          sql`, at, id`,
          sql`and (d.at, ${id}) < (p.at, p.id::${type})`,
          sql`, ${id} desc`,
        ]
  // Without a condition on the kind: a segment has only one, and PostgreSQL would read all its documents from the primary key to intersect
  // them.
  return sql`
    select p.segment, f.kind, f.record_id, f.at
    from unnest(${probes.map(({ segment }) => segment)}::bigint[], ${probes.map(({ terms }) => arrayOf(terms))}::text[] ${keys}) p (segment, terms ${names})
    cross join lateral (
      select d.kind, d.record_id, d.at from search_documents d
      where d.terms @> p.terms::integer[] and p.segment in (0, d.segment_id) and d.project_id = any (${projects}::bigint[]) ${after}
      order by d.at desc ${order} limit ${take}) f`
}

/**
 * Runs a lookup. A plan from when the table was small would read all of it for every segment; a plan for a large table would be
 * JIT-compiled first, which takes ten times as long as running it.
 */
export const lookUp = <Row extends object>(db: Database, statement: Sql): Promise<Row[]> =>
  db.transaction(async (db) => {
    await db.execute(sql`select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`)
    return db.rows<Row>(statement)
  })

/** Compared in full afterwards; few of them turn out not to match. At least two segments share the limit: their times may overlap. */
const CANDIDATES = 40
const CANDIDATES_OF_SEGMENT = 20
/** A single letter is in nearly all documents: the newest are good enough, and the newest segment has them. */
const CANDIDATES_OF_LETTER = 8

/** Records that probably match, by kind: exact titles, then prefixes of words, then anything; newest first. */
export async function candidates(db: Database, accounts: number[], projects: number[], query: Query): Promise<Name[]> {
  const segments = await db.rows<{ id: number; kind: string }>(sql`
    select id, kind from search_segments where account_id = any (${accounts}::bigint[]) order by newest_at desc, id desc`)
  if (segments.length === 0) return []
  const isLetter = query.tokens.every((token) => [...token].length === 1)
  const [most, mostOfSegment] = isLetter ? [CANDIDATES_OF_LETTER, CANDIDATES_OF_LETTER] : [CANDIDATES, CANDIDATES_OF_SEGMENT]
  const [atWords, anywhere] = [termsFor(query, true), termsFor(query, false)]
  const lookups = KINDS.map((kind) => {
    const own = segments.filter((segment) => segment.kind === kind)
    const probes = [
      ...accounts.map((account): Probe => ({ segment: 0, terms: [titleTerm(account, kind, query.text)] })),
      ...own.map(({ id }) => probeOf(id, atWords)),
      ...(atWords.length === anywhere.length ? [] : own.map(({ id }) => probeOf(id, anywhere))),
    ]
    return sql`(select kind, record_id from (${probed(kind, projects, probes, mostOfSegment)}) found limit ${most})`
  })
  return lookUp(db, join(lookups, ' union all '))
}
