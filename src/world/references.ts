import { isUuid, readId, readShortId } from '../contract/params.ts'
import { type Database, raw, type Sql, sql } from '../db/database.ts'
import type { Row } from './fields.ts'
import type { Found, Referable, Reference } from './values.ts'

/** Files name records of any account: each account is looked through by its key. */
const ofAnyAccount = (table: string, type: string) => (ids: unknown[]) =>
  sql`
  select x.id, x.account_id, x.project_id from accounts a join ${raw(table)} x on x.account_id = a.id and x.id = any (${ids}::${raw(type)}[])`

const STORED: Record<Referable, (ids: unknown[]) => Sql> = {
  accounts: (ids) => sql`select id from accounts where id = any (${ids}::integer[])`,
  users: (ids) => sql`
    select id, array(select account_id from account_members where user_id = users.id) as account_ids
    from users where id = any (${ids}::integer[])`,
  projects: (ids) => sql`select id, account_id, engine from projects where id = any (${ids}::integer[])`,
  integrations: (ids) => sql`select id, project_id from integrations where id = any (${ids}::integer[]) and deleted_at is null`,
  changes: ofAnyAccount('changes', 'bigint'),
  build_runs: ofAnyAccount('build_runs', 'bigint'),
  assets: ofAnyAccount('assets', 'uuid'),
  deployments: ofAnyAccount('deployments', 'uuid'),
  breakages: ofAnyAccount('breakages', 'bigint'),
  tasks: ofAnyAccount('tasks', 'bigint'),
}

/** The id in a reference, if it is not a key of the file. */
const idOf = (list: Referable, raw: string): number | string | undefined => {
  if (list === 'deployments' || list === 'assets') return isUuid(raw) ? raw.toLowerCase() : undefined
  if (['changes', 'build_runs', 'breakages', 'tasks'].includes(list)) return readId(raw)
  return readShortId(list === 'accounts' ? raw.replace(/^acct_/, '') : raw)
}

const byList = <T>(make: () => T) => Object.fromEntries(Object.keys(STORED).map((list) => [list, make()])) as Record<Referable, T>

/** Resolves the references of a file's rows, among the rows before them and in the database. */
export class References {
  readonly #db: Database
  readonly #keys = byList(() => new Map<string, Found>())
  readonly #stored = byList(() => new Map<number | string, Found | null>())

  constructor(db: Database) {
    this.#db = db
  }

  know(list: string, key: string, found: Found) {
    if (Object.hasOwn(this.#keys, list)) this.#keys[list as Referable].set(key, found)
  }

  /**
   * Whether all of a row's references are found. Until the whole file is read (`last`), an unknown text may still become a key, so that
   * only a number counts as an id; afterwards unresolved references are refused.
   */
  async resolve(rows: Row[], last: boolean): Promise<boolean[]> {
    await this.#lookUp(rows, last)
    return rows.map((row) => {
      let complete = true
      for (const reference of row.references) {
        const found = this.#find(reference, last)
        if (found) reference.found = found
        else if (last || typeof reference.raw === 'number')
          throw new Error(`${row.where}: ${reference.path} ${missing(reference)}`)
        else complete = false
      }
      return complete
    })
  }

  #find({ list, raw }: Reference, last: boolean): Found | null | undefined {
    const keyed = typeof raw === 'string' ? this.#keys[list].get(raw) : undefined
    if (keyed || (typeof raw === 'string' && !last)) return keyed
    return this.#stored[list].get(idOf(list, String(raw)) ?? '')
  }

  async #lookUp(rows: Row[], last: boolean) {
    const wanted = byList(() => new Set<number | string>())
    for (const { references } of rows)
      for (const { list, raw } of references) {
        if (typeof raw === 'string' && (!last || this.#keys[list].has(raw))) continue
        const id = idOf(list, String(raw))
        if (id !== undefined && !this.#stored[list].has(id)) wanted[list].add(id)
      }
    for (const list of Object.keys(wanted) as Referable[]) {
      const ids = [...wanted[list]]
      if (ids.length === 0) continue
      for (const id of ids) this.#stored[list].set(id, null)
      for (const found of await this.#db.rows<Found>(STORED[list](ids))) this.#stored[list].set(found.id, found)
    }
  }
}

const missing = ({ raw, list }: Reference) =>
  `${JSON.stringify(raw)} is neither a key under ${list} in this file nor the id of one that exists`
