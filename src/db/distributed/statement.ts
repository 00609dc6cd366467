import pg from 'pg'
import { type Numbered, selectedFirst } from './ids.ts'
import { type Precise, withPrecision } from './precision.ts'
import { endOf, runSteps, type Steps, stepsOf } from './steps.ts'

/**
 * The form in which Citus can send a statement to the one server that stores its account. The rest of the code is written for one
 * PostgreSQL; where the tables are distributed, each statement is changed here in ways that keep its result:
 *
 * 1. Citus finds the server only if each table is limited to the account by a value: `b.account_id = c.account_id` is not enough inside a
 *    correlated subquery. So every mention of a distributed table becomes the account's part of it. Keys and references never cross
 *    accounts, so a statement about one account finds the same rows.
 * 2. Citus refuses `now()` in some places of a writing statement, and `clock_timestamp()` in every update. There they become values, which the
 *    database was asked for.
 * 3. Citus cannot pass on rows without columns: `exists (select from …)` gets one.
 * 4. Citus passes parameters to its servers without their types, which these then cannot always find: values are written into the text.
 * 5. Citus forgets the name of the table that an `insert … select … returning` writes to: it gets that name as an alias.
 * 6. Citus refuses subqueries among the values of a new row: these become a `select`.
 * 7. A statement that would need all servers for a step in between is run in steps (distributed-steps.ts).
 * 8. New rows that a statement selects get their ids from the coordinator (distributed-ids.ts).
 * 9. Selected times are rounded as their columns say (distributed-precision.ts).
 */
interface Form {
  text: string
  /** The parameters that have the account's id, counted from 0: if they differ, the statement is about several accounts. */
  accounts: number[]
  /** Expressions of time whose values it expects too. */
  times: string[]
}

const ACCOUNT = /\baccount_id\s*=\s*\$(\d+)\b/gi
/** Words after a table that are not its alias. */
const NO_ALIAS =
  `as|from|where|join|left|right|inner|cross|full|natural|on|order|group|limit|offset|union|for|set|using|returning|having|window|except|
  intersect|fetch|do|values|default|and|or`.replace(/\s+/g, '')
/** A table where rows are read; those that a statement writes to are followed by their conditions. */
const TABLE = new RegExp(
  `(\\bdelete\\s+|\\bdistinct\\s+)?(\\bfrom\\s+|\\bjoin\\s+|\\busing\\s+|,\\s*)(\\w+)\\b(?!\\s*[.(])(\\s+as)?(?:\\s+(?!(?:${NO_ALIAS})\\b)(\\w+))?`,
  'gi',
)

/** `name as (select …`: not the table of this name. */
const isCommonTable = (text: string, name: string) =>
  new RegExp(`\\b${name}\\s+(\\([^()]*\\)\\s*)?as\\s+((not\\s+)?materialized\\s+)?\\(`, 'i').test(text)

const COLUMNS = /\bas\s+\w+\s*\((?!\s*(?:select|with|insert|update|delete)\b)/gi
/** Where `as t (id bigint, files jsonb)` lists columns. */
const columnListsOf = (text: string) =>
  [...text.matchAll(COLUMNS)].map(({ 0: found, index }) => ({ begin: index, end: endOf(text, index + found.length) ?? index }))

const limited = (text: string, tables: ReadonlySet<string>, account: string) => {
  const lists = columnListsOf(text)
  return text.replace(TABLE, (found, before: string, word: string, table: string, as, name, at: number) => {
    if (before !== undefined || !tables.has(table) || isCommonTable(text, table)) return found
    const alias: string = name ?? table
    // After a comma only a table has an alias without `as`, and a column its type.
    if (word.startsWith(',') && (as !== undefined || name === undefined)) return found
    if (word.startsWith(',') && lists.some(({ begin, end }) => begin < at && at < end)) return found
    // Rows are purged by where they are in their table.
    const columns = /\bctid\b/.test(text) ? 'ctid, *' : '*'
    return `${word}(select ${columns} from ${table} where account_id = ${account}) ${alias}`
  })
}

const withColumns = (text: string) => text.replace(/\bselect\s+(?=from\b|where\b)/gi, 'select 1 ')

const INTO = /\binsert\s+into\s+(\w+)(?=\s*\()/gi
const withNames = (text: string) =>
  /\breturning\b/i.test(text) && /\bselect\b/i.test(text) ? text.replace(INTO, '$& as $1') : text

const NEW_ROW = /\binsert\s+into\s+\w+(?:\s+as\s+\w+)?\s*\([^()]*\)\s*(values\s*\()/gi
/** Only for a statement that writes one row. */
function withoutSubqueries(text: string): string {
  for (const { 0: found, 1: values, index } of text.matchAll(NEW_ROW)) {
    const begin = index + found.length
    const end = endOf(text, begin)
    if (end === undefined || !/\(\s*select\b/i.test(text.slice(begin, end)) || /^\s*,/.test(text.slice(end + 1))) continue
    const changed = `${text.slice(0, begin - values!.length)}select ${text.slice(begin, end)}${text.slice(end + 1)}`
    return withoutSubqueries(changed)
  }
  return text
}

const WRITES = /\b(insert\s+into|update|delete\s+from)\b/i
const REFUSED_WITH_TIME = /\b(do\s+update|case|coalesce)\b|\bupdate\b.*\bclock_timestamp\(\)|\breturning\b.*now\(\)/is
const TIME = /\b(?:(?:goldmaster_)?now|clock_timestamp)\(\)( [-+] interval '[^']*')?/g
const timesIn = (text: string): string[] =>
  WRITES.test(text) && REFUSED_WITH_TIME.test(text) ? [...new Set([...text.matchAll(TIME)].map(([time]) => time))] : []

const ONE = (parameter: string) => `${parameter}::integer`
const SEVERAL = (parameter: string) => `any (${parameter}::integer[])`

/** `count`: the number of parameters. The times and the account, or the `accounts`, follow them. */
export function distributedForm(text: string, count: number, tables: ReadonlySet<string>, accountIs = ONE): Form {
  const accounts = [...new Set([...text.matchAll(ACCOUNT)].map(([, number]) => Number(number) - 1))]
  const times = timesIn(text)
  const timed = times.length === 0 ? text : text.replace(TIME, (time) => `$${count + times.indexOf(time) + 1}::timestamptz`)
  return {
    text: limited(withNames(withoutSubqueries(withColumns(timed))), tables, accountIs(`$${count + times.length + 1}`)),
    accounts,
    times,
  }
}

/** A statement with its values. */
interface Statement {
  text: string
  values: readonly unknown[]
  /** In a transaction, unless it is undefined. */
  steps: Steps | undefined
  /** The only account that it is about. */
  account: number | undefined
}

/** How statements are written on a database whose tables are distributed. */
export interface Distributed {
  /** `account`: of the caller, if it is known; otherwise it is found in the statement. */
  formOf(
    text: string,
    values: readonly unknown[],
    account: number | undefined,
    timeOf: (time: string) => Promise<string>,
  ): Promise<Statement>
  /** The statement without parameters, after the steps before it. */
  textOf(statement: Statement, client: pg.Pool | pg.ClientBase): Promise<string>
  /** A reading statement about all accounts, for those whose server answers. */
  reachableOf(text: string, values: readonly unknown[], client: pg.Pool, silent: readonly number[]): Promise<string>
}

const FORMS_MAX = 1_000

/** Undefined if no table is distributed. */
export async function readDistribution(client: pg.ClientBase): Promise<Distributed | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select logicalrelid::text as name from pg_dist_partition where partmethod = 'h'`,
  )
  if (rows.length === 0) return undefined
  const { rows: types } = await client.query<{ id: number; name: string }>(
    `select oid as id, format_type(oid, null) as name from pg_type where typtype <> 'c'`,
  )
  const { rows: numbered } = await client.query<{ name: string; columns: Record<string, string> }>(`
    select a.attrelid::regclass::text as name, json_object_agg(a.attname, format_type(a.atttypid, a.atttypmod)) as columns
    from pg_attribute i join pg_attribute a on a.attrelid = i.attrelid and a.attnum > 0 and not a.attisdropped
    where i.attname = 'id' and i.attidentity <> '' group by 1`)
  const { rows: precise } = await client.query<{ name: string; columns: Record<string, string> }>(`
    select a.attrelid::regclass::text as name, json_object_agg(a.attname, format_type(a.atttypid, a.atttypmod)) as columns
    from pg_attribute a join pg_dist_partition p on p.logicalrelid = a.attrelid
    where a.attnum > 0 and a.atttypmod >= 0 and not a.attisdropped group by 1`)
  const byName = (tables: typeof precise) => new Map(tables.map(({ name, columns }) => [name, new Map(Object.entries(columns))]))
  return distributedOver(
    new Set(rows.map(({ name }) => name)),
    new Map(types.map(({ id, name }) => [id, name])),
    byName(numbered),
    byName(precise),
  )
}

/** As PostgreSQL writes them. */
const AS_TEXT = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig

export function distributedOver(
  tables: ReadonlySet<string>,
  types: ReadonlyMap<number, string> = new Map(),
  numbered: Numbered = new Map(),
  precise: Precise = new Map(),
): Distributed {
  const forms = new Map<string, Form & { timed: string; steps: Steps | undefined }>()
  const read = (text: string, count: number) => {
    if (forms.size >= FORMS_MAX) forms.clear()
    const written = withPrecision(text, precise)
    const limited = distributedForm(written, count, tables)
    const form = {
      ...limited,
      timed: distributedForm(written, count, new Set()).text,
      steps: stepsOf(limited.text, (steps) => selectedFirst(steps, numbered)),
    }
    forms.set(text, form)
    return form
  }
  return {
    async formOf(text, values, account, timeOf) {
      const form = forms.get(text) ?? read(text, values.length)
      const named = [...new Set(form.accounts.map((index) => values[index]))]
      const of = account ?? named[0]
      const given: unknown[] = [...values]
      for (const time of form.times) given.push(await timeOf(time))
      const isOfOne = of != null && named.every((value) => value === of)
      if (!isOfOne) return { text: form.timed, values: given, steps: undefined, account: undefined }
      return { text: form.text, values: [...given, of], steps: form.steps, account: of as number }
    },
    async textOf({ text, values, steps }, client) {
      if (!steps) return withValues(text, values)
      const ask = (text: string, values: readonly unknown[]) =>
        client.query<(string | null)[]>({ text: withValues(text, values), rowMode: 'array', types: AS_TEXT })
      const last = await runSteps(steps, values, ask, (id) => types.get(id)!)
      return withValues(last.text, last.values)
    },
    async reachableOf(text, values, client, silent) {
      const form = distributedForm(text, values.length, tables, SEVERAL)
      return withValues(form.text, [...values, await reachableAccounts(client, silent)])
    },
  }
}

/** The accounts that are stored on a server that answers now; those that are known to be silent are not asked. */
async function reachableAccounts(client: pg.Pool, silent: readonly number[]): Promise<number[]> {
  const { rows: all } = await client.query<{ id: number }>('select id from accounts')
  const { rows } = await client.query<{ id: number }>(
    `with answering as materialized (
      select groupid from pg_dist_node where shouldhaveshards and noderole = 'primary'
        and case when groupid = any ($2::integer[]) then false else citus_check_connection_to_node(nodename, nodeport) end)
    select a.id from unnest($1::integer[]) a (id)
    where get_shard_id_for_distribution_column('outbox', a.id) in (select p.shardid from pg_dist_placement p join answering using (groupid))`,
    [all.map(({ id }) => id), silent],
  )
  return rows.map(({ id }) => id)
}

const withValues = (text: string, values: readonly unknown[]) =>
  text.replace(/\$(\d+)\b/g, (_, number: string) => literalOf(values[Number(number) - 1]))

/** Quoted, whatever it is: like a parameter it has the type that its place asks for. */
function literalOf(value: unknown): string {
  if (value == null) return 'null'
  const text = Array.isArray(value) ? arrayOf(value) : textOf(value)
  // It would end the statement. The same error as for a parameter.
  if (text.includes('\0')) throw Object.assign(new Error('invalid byte sequence for encoding "UTF8": 0x00'), { code: '22021' })
  return pg.escapeLiteral(text)
}

const textOf = (value: unknown): string => {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const arrayOf = (values: readonly unknown[]): string =>
  `{${values.map((value) => (value == null ? 'null' : Array.isArray(value) ? arrayOf(value) : `"${textOf(value).replace(/["\\]/g, '\\$&')}"`)).join(',')}}`
