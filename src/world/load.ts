import { type Database, reserveIds } from '../db/database.ts'
import type { ProjectKey } from '../db/project-key.ts'
import { hashPassword } from '../domain/accounts/passwords.ts'
import { sweepThese } from '../domain/accounts/trials.ts'
import { describeRequests } from '../domain/assets/described-requests.ts'
import { registerAll } from '../domain/branches/lines.ts'
import { inferBranches } from '../domain/branches/positions.ts'
import { orderByTime } from '../domain/changes/branches.ts'
import { importPreview } from '../domain/previews/upload.ts'
import type { Vault } from '../domain/privacy/secrets.ts'
import { judgeAllVerdicts } from '../domain/tests/gate.ts'
import { judgeAll } from '../domain/tests/judge-tests.ts'
import { LISTS, type List, type Row, readRow } from './fields.ts'
import type { Loaded } from './loaded.ts'
import { References } from './references.ts'
import { PLACES, type Placed } from './row-writers.ts'
import type { Element } from './scanner.ts'
import { Batch, type Insertions } from './tables.ts'
import { recordTests } from './test-results.ts'
import { orderedUuids } from './uuids.ts'
import { idOf } from './values.ts'
import { Waiting } from './waiting.ts'

const BATCH_ROWS = 2000
const BATCH_BYTES = 4 << 20

/** Lists of a world file whose name differs from their table's. */
const TABLES_OF: Partial<Record<List, string>> = { tokens: 'api_tokens', channels: 'destinations' }
const UUID_LISTS: readonly List[] = ['assets', 'deployments']

/** The printed entry of a key: created when the key is read, filled when its row is placed. */
interface Entry {
  id: number | string
  [secret: string]: unknown
}

export interface Touched {
  account_ids: Set<number>
  project_ids: Set<number>
  user_ids: Set<number>
}

/**
 * A load in progress: rows are read and checked as they arrive and written in batches, while the next batch is read. A row that refers to
 * an unknown key waits in the database for the end of the file, and so do later rows of its list.
 */
export class Load {
  readonly #db: Database
  readonly #vault: Vault
  readonly #insertions: Insertions
  readonly #written: (list: List, count: number) => void
  readonly #references: References
  readonly #waiting: Waiting
  readonly #newUuid = orderedUuids()
  readonly #now = new Date().toISOString()
  readonly #accounts: number[] = []
  readonly #entries = Object.fromEntries([...LISTS, 'approvals' as const].map((list) => [list, Object.create(null)])) as Record<
    List | 'approvals',
    Record<string, Entry>
  >
  /** The accounts, projects and users of the written rows. */
  readonly touched: Touched = { account_ids: new Set(), project_ids: new Set(), user_ids: new Set() }
  /** The projects with test results, by id. */
  readonly #tested = new Map<number, ProjectKey>()
  #list: List = 'accounts'
  #rows: Row[] = []
  #values: unknown[] = []
  #bytes = 0
  #writing: Promise<void> = Promise.resolve()

  constructor(db: Database, vault: Vault, insertions: Insertions, written: (list: List, count: number) => void) {
    this.#db = db
    this.#vault = vault
    this.#insertions = insertions
    this.#written = written
    this.#references = new References(db)
    this.#waiting = new Waiting(db)
  }

  hasRoomFor({ list }: Element): boolean {
    return this.#rows.length === 0 || (list === this.#list && this.#rows.length < BATCH_ROWS && this.#bytes < BATCH_BYTES)
  }

  add({ list, index, value, bytes }: Element) {
    const row = readRow(list as List, index, value)
    if (row.key !== undefined) this.#claim(row, list as List, row.key)
    for (const { list, key } of row.keys) this.#claim(row, list, key)
    this.#list = list as List
    this.#rows.push(row)
    this.#values.push(value)
    this.#bytes += bytes
  }

  async flush() {
    const [list, rows, values] = [this.#list, this.#rows, this.#values]
    this.#rows = []
    this.#values = []
    this.#bytes = 0
    await this.#writing
    const ready = this.#waiting.has(list) ? 0 : (await this.#references.resolve(rows, false)).indexOf(false)
    if (ready === -1) return this.#place(list, rows)
    await this.#place(list, rows.slice(0, ready))
    await this.#writing
    await this.#waiting.add(
      list,
      rows.slice(ready).map(({ index }) => index),
      values.slice(ready),
    )
  }

  async finish(): Promise<Loaded> {
    await this.flush()
    for (const list of LISTS)
      for await (const waited of this.#waiting.release(list)) {
        const rows = waited.map(({ index, value }) => readRow(list, index, value))
        await this.#references.resolve(rows, true)
        await this.#place(list, rows)
        await this.#writing
      }
    await this.#writing
    for (const account of this.#accounts) {
      await orderByTime(this.#db, account)
      await registerAll(this.#db, account)
      await inferBranches(this.#db, account)
      await describeRequests(this.#db, account)
    }
    for (const project of this.#tested.values()) {
      await judgeAll(this.#db, project)
      await judgeAllVerdicts(this.#db, project)
    }
    await sweepThese(this.#db, this.#accounts)
    return this.#entries as unknown as Loaded
  }

  #claim({ where }: Row, list: List | 'approvals', key: string) {
    if (this.#entries[list][key] !== undefined)
      throw new Error(`${where}: key ${JSON.stringify(key)} is given twice under ${list}`)
    this.#entries[list][key] = { id: 0 }
  }

  /** Leaves the writing to PostgreSQL: it is awaited when the next batch is ready. */
  async #place<L extends List>(list: L, rows: Row<L>[]) {
    if (rows.length === 0) return
    if (list === 'test_results') return this.#recordTests(rows as Row<'test_results'>[])
    const table = TABLES_OF[list] ?? list
    const ids = UUID_LISTS.includes(list) ? rows.map(this.#newUuid) : await reserveIds(this.#db, table, rows.length)
    if (list === 'users') await keepHashes(rows as Row<'users'>[])
    const batch = new Batch()
    for (const [index, row] of rows.entries()) this.#placeRow(list as Placed, row as Row<Placed>, ids[index]!, batch)
    this.#writing = batch.write(this.#db, this.#insertions).then(() => this.#written(list, rows.length))
    // The next `await` sees the failure; until then it must not end the process.
    this.#writing.catch(() => {})
    if (list === 'assets') await this.#makePreviews(rows as Row<'assets'>[], ids as string[])
  }

  /** The bytes are in the database until the service moves them: this process may have no file store. */
  async #makePreviews(assets: Row<'assets'>[], ids: string[]) {
    if (!assets.some(({ values }) => values.previews)) return
    await this.#writing
    for (const [i, { where, values }] of assets.entries())
      for (const [n, { version = values.version ?? 1, file }] of (values.previews ?? []).entries())
        try {
          const by = { account_id: values.project.found!.account_id!, project_id: idOf(values.project) }
          await importPreview(this.#db, by, { assetId: ids[i]!, version, bytes: file })
        } catch (error) {
          throw new Error(`${where}: previews[${n}]: ${(error as Error).message.replace(/\.$/, '')}`)
        }
  }

  /** Cases are numbered one report after the other. */
  async #recordTests(rows: Row<'test_results'>[]) {
    await this.#writing
    for (const { where, key, values } of rows)
      try {
        const { id, ...tested } = await recordTests(this.#db, values)
        this.#tested.set(tested.project_id, tested)
        if (key !== undefined) this.#entries.test_results[key]!.id = id
      } catch (error) {
        throw new Error(`${where}: ${(error as Error).message.replace(/\.$/, '')}`)
      }
    this.#written('test_results', rows.length)
  }

  #touch({ account_id, project_id, user_id }: Record<string, unknown>) {
    // Logins have a text column of this name with another meaning.
    if (typeof account_id === 'number') this.touched.account_ids.add(account_id)
    else if (typeof project_id === 'number') this.touched.project_ids.add(project_id)
    else if (typeof user_id === 'number') this.touched.user_ids.add(user_id)
  }

  #placeRow<L extends Placed>(list: L, { where, key, values }: Row<L>, id: number | string, batch: Batch) {
    const entry: Entry = key === undefined ? { id } : this.#entries[list][key]!
    entry.id = id
    if (list === 'accounts') this.#accounts.push(id as number)
    try {
      const found = PLACES[list](values, {
        id,
        now: this.#now,
        vault: this.#vault,
        newUuid: this.#newUuid,
        put: (table, row) => {
          this.#touch(row)
          batch.put(table, row, where)
        },
        reveal: (secret) => Object.assign(entry, secret),
        keyed: (list, key, id) => Object.assign(this.#entries[list][key]!, { id }),
      })
      if (key !== undefined) this.#references.know(list, key, { id, ...found })
    } catch (error) {
      throw new Error(`${where}: ${(error as Error).message.replace(/\.$/, '')}`)
    }
  }
}

const keepHashes = (users: Row<'users'>[]) =>
  Promise.all(
    users.map(async ({ values }) => {
      if (values.password !== undefined) values.password = await hashPassword(values.password)
    }),
  )
