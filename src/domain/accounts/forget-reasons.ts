import { type Database, join, type Pool, raw, sql } from '../../db/database.ts'

/** The name of every column with suspects, each with the reasons that the service wrote. A test lists all other columns with JSON. */
export const WITH_REASONS = 'suspects'

const BATCH = 500
/** The shortest word that reasons quote. */
const SHORTEST = 3

/** The words of our own sentences: they stay even if a person has such a name. */
const OWN = new Set(
  `changes adds deletes renames named on line which contains related to in a folder is missing where dependencies and modules are declared
  controls the build mentions as the error does described documentation has no file types that can cause this failure`.split(
    /\s+/,
  ),
)

interface Suspect {
  reasons?: unknown
  /** The code of each reason. */
  reason_codes?: unknown
}

/**
 * Removes the words of a name from the reasons why changes of an account are suspected. Reasons quote single words shared with the failure,
 * so a search for the whole name would miss them. Returns the number of rows changed.
 */
export async function forgetReasons(
  db: Pool,
  accountId: number,
  name: string,
  former: string,
  onProgress: () => void,
): Promise<number> {
  // The placeholder for a removed name must not be removed itself.
  const words = wordsOf(name).filter((word) => !wordsOf(former).includes(word))
  if (words.length === 0) return 0
  let changed = 0
  for (const { table, key } of await tables(db))
    changed += await forgetIn(db, { accountId, table, key }, words, former, onProgress)
  return changed
}

interface Column {
  name: string
  type: string
}

/** The tables with such a column, and their keys within an account. */
const tables = (db: Database) =>
  db.rows<{ table: string; key: Column[] }>(sql`
    select c.table_name::text as table, (
      select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null)) order by k.place)
      from pg_index i, unnest(i.indkey) with ordinality k (attnum, place)
      join pg_attribute a on a.attrelid = ('public.' || c.table_name)::regclass and a.attnum = k.attnum
      where i.indrelid = a.attrelid and i.indisprimary and a.attname <> 'account_id') as key
    from information_schema.columns c where c.table_schema = 'public' and c.column_name = ${WITH_REASONS} order by 1`)

interface Place {
  accountId: number
  table: string
  key: Column[]
}

/** Row by row in the order of the key: a batch that is cleaned may have the words still, in texts that are not reasons. */
async function forgetIn(
  db: Pool,
  { accountId, table: name, key }: Place,
  words: readonly string[],
  former: string,
  onProgress: () => void,
): Promise<number> {
  const [table, suspects] = [raw(name), raw(WITH_REASONS)]
  const columns = join(key.map((column) => raw(`t.${column.name}`)))
  const typed = raw(key.map((column) => `${column.name} ${column.type}`).join(', '))
  const valuesOf = (values: readonly string[]) => join(key.map(({ type }, at) => sql`${values[at]!}::${raw(type)}`))
  let changed = 0
  for (let last: string[] | undefined, count = BATCH; count === BATCH; ) {
    onProgress()
    const after = last === undefined ? sql`true` : sql`(${columns}) > (${valuesOf(last)})`
    const rows = await db.rows<{ key: string[]; suspects: unknown }>(sql`
      select array[${join(key.map((column) => raw(`t.${column.name}::text`)))}] as key, t.${suspects} as suspects from ${table} t
      where t.account_id = ${accountId} and ${after} and lower(t.${suspects}::text) ~ ${words.join('|')} order by ${columns} limit ${BATCH}`)
    count = rows.length
    last = rows.at(-1)?.key
    const cleanRows = rows.flatMap((row) => {
      const clean = without(row.suspects, words, former)
      return JSON.stringify(clean) === JSON.stringify(row.suspects) ? [] : [{ ...keyed(key, row.key), clean }]
    })
    if (cleanRows.length === 0) continue
    changed += await db.transaction(async (db) => {
      await db.execute(sql`set local goldmaster.quiet = 'on'`)
      return db.execute(sql`
        update ${table} t set ${suspects} = c.clean
        from jsonb_to_recordset(${JSON.stringify(cleanRows)}::jsonb) c (${typed}, clean jsonb)
        where t.account_id = ${accountId} and (${columns}) = (${join(key.map((column) => raw(`c.${column.name}`)))})`)
    })
  }
  return changed
}

const keyed = (key: readonly Column[], values: readonly string[]) =>
  Object.fromEntries(key.map(({ name }, at) => [name, values[at]]))

/** The spellings in reasons: lower case, without a final s, and split at letters outside ASCII. */
function wordsOf(name: string): string[] {
  const parts = [/[^\p{L}\p{N}]+/u, /[^A-Za-z0-9]+/].flatMap((gap) => name.toLowerCase().split(gap))
  const all = parts.flatMap((part) => (part.length > 4 && part.endsWith('s') ? [part, part.slice(0, -1)] : [part]))
  return [...new Set(all)].filter((word) => word.length >= SHORTEST)
}

function without(suspects: unknown, words: readonly string[], former: string): unknown {
  if (!Array.isArray(suspects)) return suspects
  return suspects.map((suspect: Suspect) => {
    if (!Array.isArray(suspect?.reasons)) return suspect
    const codes = Array.isArray(suspect.reason_codes) ? suspect.reason_codes : []
    // A reason that goes takes its code with it.
    const left = suspect.reasons.flatMap((reason, at) =>
      cleaned(String(reason), words, former).map((text) => ({ text, code: codes[at] })),
    )
    return { ...suspect, reasons: left.map(({ text }) => text), reason_codes: left.map(({ code }) => code) }
  })
}

const QUOTED = /[“"][^”"]*[”"](?:, )?/g

/** Removes quoted words, and a reason with its last one; a path or a longer name keeps its other parts. */
function cleaned(reason: string, words: readonly string[], former: string): string[] {
  const quotes = reason.match(QUOTED) ?? []
  const kept = quotes.filter((quote) => !words.some((word) => holds(quote.toLowerCase(), word)))
  if (quotes.length > 0 && kept.length === 0) return []
  const left = kept.map((quote) => quote.replace(/, $/, '')).join(', ')
  const [first] = quotes
  const requoted = first === undefined || kept.length === quotes.length ? reason : reason.replace(quotes.join(''), () => left)
  return [
    words.reduce(
      (text, word) => text.replace(wholeWord(word), (found, ...rest) => (isOwn(found, rest) ? found : former)),
      requoted,
    ),
  ]
}

/** Compounds are written in lower case without separators, so any part of four letters or more counts. */
const holds = (quote: string, word: string) =>
  quote.replace(/, $/, '').slice(1, -1) === word || (word.length > SHORTEST && quote.includes(word))

const wholeWord = (word: string) => new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, 'giu')

/** Between slashes, dots and similar characters a word is a part of a path. */
function isOwn(found: string, [at, text]: unknown[]): boolean {
  const around = [String(text)[Number(at) - 1], String(text)[Number(at) + found.length]]
  return OWN.has(found) && !around.some((next) => next !== undefined && /[/\\._-]/.test(next))
}
