import { type Database, join, sql } from '../../db/database.ts'
import { KINDS, type Name } from './records.ts'
import { arrayOf, hashOf, titleTerm } from './terms.ts'
import { type Query, termsFor } from './text.ts'

interface Segment {
  id: number
  account_id: number
  kind: string
}

interface Probe {
  /** 0 for all. */
  segment: number
  terms: string
}

/** Compared in full afterwards; few of them turn out to be no match. At least two segments share the places: their times may overlap. */
const CANDIDATES = 40
const CANDIDATES_OF_SEGMENT = 20
/** A letter is in nearly all of them: whatever is newest will do, and the newest segment has it. */
const CANDIDATES_OF_LETTER = 8

/** Names of records that probably match, of each kind: titles that are the text, then beginnings of words, then anything; newest first. */
export async function candidates(db: Database, accounts: number[], projects: number[], query: Query): Promise<Name[]> {
  const segments = await db.rows<Segment>(sql`
    select id, account_id, kind from search_segments where account_id = any (${accounts}::bigint[]) order by newest_at desc, id desc`)
  if (segments.length === 0) return []
  const isLetter = query.tokens.every((token) => [...token].length === 1)
  const [most, mostOfSegment] = isLetter ? [CANDIDATES_OF_LETTER, CANDIDATES_OF_LETTER] : [CANDIDATES, CANDIDATES_OF_SEGMENT]
  const [atWords, anywhere] = [termsFor(query, true), termsFor(query, false)]
  const probing =
    (terms: string[]) =>
    (segment: Segment): Probe => ({
      segment: segment.id,
      terms: arrayOf(terms.map((term) => hashOf(segment.id, term))),
    })
  const lookups = KINDS.map((kind) => {
    const own = segments.filter((segment) => segment.kind === kind)
    const probes: Probe[] = [
      ...accounts.map((account) => ({ segment: 0, terms: arrayOf([titleTerm(account, kind, query.text)]) })),
      ...own.map(probing(atWords)),
      ...(atWords.length === anywhere.length ? [] : own.map(probing(anywhere))),
    ]
    // The kind is no condition: a segment has one, and PostgreSQL would read all documents of it from the primary key to intersect them.
    return sql`(
      select f.kind, f.record_id
      from unnest(${probes.map(({ segment }) => segment)}::bigint[], ${probes.map(({ terms }) => terms)}::text[]) p (segment, terms)
      cross join lateral (
        select d.kind, d.record_id from search_documents d
        where d.terms @> p.terms::integer[] and p.segment in (0, d.segment_id) and d.project_id = any (${projects}::bigint[])
        order by d.at desc limit ${mostOfSegment}) f
      limit ${most})`
  })
  return db.transaction(async (db) => {
    // Planned while the table was small, the statement would read all of it for every segment; planned for a large one, it would be
    // compiled first, which takes ten times as long as running it.
    await db.execute(sql`select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`)
    return db.rows<Name>(join(lookups, ' union all '))
  })
}
