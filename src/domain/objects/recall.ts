import { isObjectLost } from '../../contract/errors.ts'
import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import { read } from './objects.ts'

const BATCH = 100

interface ObjectColumn {
  table: Sql
  object: Sql
  /** Puts the value back; later output is appended to it. */
  value: (bytes: Buffer) => Sql
}

const OBJECT_COLUMNS: ObjectColumn[] = [
  {
    table: raw('deliveries'),
    object: raw('body_object'),
    value: (bytes) => sql`body = ${bytes}`,
  },
  {
    table: raw('build_runs'),
    object: raw('log_object'),
    value: (bytes) => sql`output_log = ${bytes.toString('utf8')} || coalesce(output_log, '')`,
  },
]

/** Puts values of an account back into their rows if they have to be edited there. */
export async function recall(db: Database, accountId: number, isWanted: (text: string) => boolean, onProgress: () => void) {
  for (const { table, object, value } of OBJECT_COLUMNS)
    for (let after = 0; ; ) {
      onProgress()
      const rows = await db.rows<{ id: number; object: string }>(sql`
        select id, ${object} as object from ${table} where account_id = ${accountId} and ${object} is not null and id > ${after}
        order by id limit ${BATCH}`)
      for (const row of rows) {
        const bytes = await read(db, accountId, row.object).catch((error: unknown) => {
          if (isObjectLost(error)) return undefined
          throw error
        })
        if (bytes && isWanted(bytes.toString('utf8')))
          await db.execute(sql`
            update ${table} set ${value(bytes)}, ${object} = null
            where account_id = ${accountId} and id = ${row.id} and ${object} = ${row.object}`)
      }
      if (rows.length < BATCH) break
      after = rows.at(-1)!.id
    }
}
