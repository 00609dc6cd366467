import { type Pool, raw, sql } from '../../db/database.ts'

/** The columns that store suspects, each with the reasons that the service wrote. */
const TABLES = ['investigations', 'breakages']

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
  for (const table of TABLES.map((table) => raw(table)))
    for (let last = 0, count = BATCH; count === BATCH; ) {
      onProgress()
      const rows = await db.rows<{ id: number; suspects: unknown }>(sql`
        select id, suspects from ${table} where account_id = ${accountId} and id > ${last}
          and lower(suspects::text) ~ ${words.join('|')} order by id limit ${BATCH}`)
      count = rows.length
      last = rows.at(-1)?.id ?? last
      const cleaned = rows.flatMap(({ id, suspects }) => {
        const clean = without(suspects, words, former)
        return JSON.stringify(clean) === JSON.stringify(suspects) ? [] : [{ id, suspects: clean }]
      })
      if (cleaned.length === 0) continue
      changed += await db.transaction(async (db) => {
        await db.execute(sql`set local goldmaster.quiet = 'on'`)
        return db.execute(sql`
          update ${table} t set suspects = c.suspects from jsonb_to_recordset(${JSON.stringify(cleaned)}::jsonb) c (id bigint, suspects jsonb)
          where t.id = c.id and t.account_id = ${accountId}`)
      })
    }
  return changed
}

/** The spellings in reasons: lower case, without a final s, and split at letters outside ASCII. */
function wordsOf(name: string): string[] {
  const parts = [/[^\p{L}\p{N}]+/u, /[^A-Za-z0-9]+/].flatMap((gap) => name.toLowerCase().split(gap))
  const all = parts.flatMap((part) => (part.length > 4 && part.endsWith('s') ? [part, part.slice(0, -1)] : [part]))
  return [...new Set(all)].filter((word) => word.length >= SHORTEST)
}

function without(suspects: unknown, words: readonly string[], former: string): unknown {
  if (!Array.isArray(suspects)) return suspects
  return suspects.map((suspect: Suspect) =>
    Array.isArray(suspect?.reasons)
      ? { ...suspect, reasons: suspect.reasons.flatMap((reason) => cleaned(String(reason), words, former)) }
      : suspect,
  )
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
