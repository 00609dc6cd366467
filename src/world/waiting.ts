import { type Database, sql } from '../db/database.ts'
import type { List } from './fields.ts'

const PAGE_ROWS = 2000
const PAGE_BYTES = 4 << 20

interface Waited {
  index: number
  value: Record<string, unknown>
}

/** Rows that cannot be placed before the whole file is read, stored in a temporary table: there may be more than fit into memory. */
export class Waiting {
  readonly #db: Database
  readonly #lists = new Set<List>()

  constructor(db: Database) {
    this.#db = db
  }

  has(list: List): boolean {
    return this.#lists.has(list)
  }

  async add(list: List, indexes: number[], values: unknown[]) {
    if (this.#lists.size === 0)
      await this.#db.execute(sql`
        create temporary table world_waiting (list text, index integer, value text, primary key (list, index)) on commit drop`)
    this.#lists.add(list)
    await this.#db.execute(sql`
      insert into world_waiting (list, index, value) select ${list}, w.index, w.value
      from unnest(${indexes}::integer[], ${values.map((value) => JSON.stringify(value))}::text[]) w (index, value)`)
  }

  /** In the order of the file, page by page. */
  async *release(list: List): AsyncGenerator<Waited[]> {
    for (let after = -1; this.#lists.has(list); ) {
      const rows = await this.#db.rows<{ index: number; value: string }>(sql`
        select index, value from (
          select index, value, sum(octet_length(value)) over (order by index) - octet_length(value) as before
          from (
            select index, value from world_waiting where list = ${list} and index > ${after}::integer
            order by index limit ${PAGE_ROWS}
          ) next
        ) page where before < ${PAGE_BYTES} order by index`)
      if (rows.length === 0) return
      after = rows.at(-1)!.index
      yield rows.map(({ index, value }) => ({ index, value: JSON.parse(value) }))
    }
  }
}
