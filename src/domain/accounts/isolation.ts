import { backOff } from '../../contract/back-off.ts'
import { ApiError } from '../../contract/errors.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { scrub } from '../privacy/scrub.ts'

/**
 * Work that goes over several accounts. If it fails for one of them, the others are done in the same round; the failing one rests for a
 * while and is shown to operators.
 */

/** Seconds until the next attempt: five at first, an hour at most. */
const REST = { first: 5, longest: 3_600 }
const FACTOR = 4
const ERROR_MAX = 500

/** Accounts whose turn it is. */
export interface Turn {
  accounts: readonly number[]
  /** Those among them that failed the last time. */
  failing?: ReadonlySet<number>
}

interface Isolated {
  signal?: AbortSignal | undefined
  /** Seconds until the next attempt. */
  rest?: { first: number; longest: number }
  /** An error that is about the service, such as a database that is away. */
  isOutage?: (error: unknown) => boolean
}

/** The server or the file store is away: no account can do anything about it. */
const isAway = (error: unknown) => error instanceof ApiError && error.status === 503

/**
 * Does the work of several accounts together and, if that fails, of each alone; accounts that failed the last time are always alone. `run`
 * is not in a transaction of the caller.
 */
export async function together<T>(
  db: Database,
  work: string,
  { accounts, failing = new Set() }: Turn,
  run: (accounts: number[]) => Promise<T>,
  { signal, rest = REST, isOutage = isAway }: Isolated = {},
): Promise<T[]> {
  const results: T[] = []
  const [healthy, alone] = [accounts.filter((id) => !failing.has(id)), accounts.filter((id) => failing.has(id))]
  if (healthy.length > 1)
    try {
      results.push(await run(healthy))
    } catch (error) {
      if (signal?.aborted || isOutage(error)) throw error
      alone.push(...healthy)
    }
  else alone.push(...healthy)
  for (const id of alone)
    try {
      results.push(await run([id]))
      if (failing.has(id)) await clear(db, work, id)
    } catch (error) {
      if (signal?.aborted || isOutage(error)) throw error
      // Without the database this throws too.
      await record(db, work, id, error, rest)
    }
  return results
}

/** The same for work that is done from account to account anyway. */
export async function oneByOne<T>(
  db: Database,
  work: string,
  accounts: readonly number[],
  run: (account: number) => Promise<T>,
  isolated: Isolated = {},
): Promise<T[]> {
  const turn = await turnOf(db, work, accounts)
  const results: T[] = []
  for (const id of turn.accounts)
    results.push(...(await together(db, work, { ...turn, accounts: [id] }, () => run(id), isolated)))
  return results
}

/** Which of these accounts are not resting. */
export async function turnOf(db: Database, work: string, accounts: readonly number[]): Promise<Turn> {
  const ids = [...new Set(accounts)]
  if (ids.length === 0) return { accounts: [] }
  const rows = await db.rows<{ account_id: number; rests: boolean }>(
    sql`
    select account_id, rest_until > now() as rests from failing_accounts where work = ${work} and account_id = any (${ids}::integer[])`,
    { across: true },
  )
  const resting = new Set(rows.flatMap(({ account_id, rests }) => (rests ? [account_id] : [])))
  return { accounts: ids.filter((id) => !resting.has(id)), failing: new Set(rows.map(({ account_id }) => account_id)) }
}

/** Rows of several accounts, account by account. */
export const byAccount = <Row extends { account_id: number }>(rows: readonly Row[]): Map<number, Row[]> => {
  const groups = new Map<number, Row[]>()
  for (const row of rows) groups.set(row.account_id, [...(groups.get(row.account_id) ?? []), row])
  return groups
}

/** The same for rows of several accounts. */
export async function eachRow<Row extends { account_id: number }>(
  db: Database,
  work: string,
  rows: readonly Row[],
  run: (row: Row) => Promise<unknown>,
  isolated: Isolated = {},
) {
  const groups = byAccount(rows)
  const runAll = async (id: number) => {
    for (const row of groups.get(id)!) await run(row)
  }
  await oneByOne(db, work, [...groups.keys()], runAll, isolated)
}

const clear = (db: Database, work: string, id: number) =>
  db.execute(sql`delete from failing_accounts where account_id = ${id} and work = ${work}`)

const textOf = (error: unknown) => {
  const text = scrub(error instanceof Error ? error.message : String(error))
  return text.replaceAll('\0', '').slice(0, ERROR_MAX).toWellFormed()
}

async function record(db: Database, work: string, id: number, error: unknown, rest: NonNullable<Isolated['rest']>) {
  const { failures } = (await db.one<{ failures: number }>(sql`
    insert into failing_accounts as f (account_id, work, error) values (${id}, ${work}, ${textOf(error)})
    on conflict (account_id, work) do update set failures = f.failures + 1, error = excluded.error
    returning failures`))!
  await db.execute(sql`
    update failing_accounts set rest_until = now() + make_interval(secs => ${backOff(failures, { factor: FACTOR, ...rest })})
    where account_id = ${id} and work = ${work}`)
}

export interface FailingAccount {
  account_id: number
  account: string
  work: string
  failures: number
  error: string
  failing_since: string
}

/** Those that failed longest first. */
export const listFailing = (db: Database, limit: number): Promise<FailingAccount[]> =>
  db.rows<FailingAccount>(
    sql`
    select f.account_id, coalesce(a.name, '') as account, f.work, f.failures, f.error, f.failing_since
    from failing_accounts f left join accounts a on a.id = f.account_id order by f.failing_since, f.account_id, f.work limit ${limit}`,
    { across: true },
  )

/** The states of an account in a statement that chooses accounts by itself: whether it failed the last time, and whether it rests. */
export const isFailing = (work: string, account: Sql) =>
  sql`exists (select from failing_accounts f where f.account_id = ${account} and f.work = ${work})`
export const isResting = (work: string | Sql, account: Sql) =>
  sql`exists (select from failing_accounts f where f.account_id = ${account} and f.work = ${work} and f.rest_until > now())`
