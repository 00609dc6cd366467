import { createHash } from 'node:crypto'
import pg from 'pg'
import { inSession } from './dump.ts'

const { escapeIdentifier, escapeLiteral } = pg
const NO_PRIVILEGE = '42501'

/** Another database of the same server. */
function beside(url: string, database: string): string | undefined {
  const [, start, query = ''] = /^(\w+:\/\/[^/?#]*)\/[^?#]*(\?[^#]*)?$/.exec(url) ?? []
  return start && `${start}/${database}${query}`
}

/** Always the same: the next process drops what a killed one left behind. */
const nameFor = (database: string) =>
  `goldmaster_restore_test_${createHash('sha256').update(database).digest('hex').slice(0, 12)}`

/**
 * Runs `work` with an empty scratch database on the same server, which is dropped afterwards. Undefined if the role may not create one.
 * Only for the holder of the backup lease: there is one such database.
 */
export async function withScratchDatabase<T>(url: string, work: (url: string) => Promise<T>): Promise<T | undefined> {
  const { name, locale } = await inSession(url, async (client) => {
    const { rows } = await client.query<{ name: string; collate: string; ctype: string }>(
      'select datname as name, datcollate as collate, datctype as ctype from pg_database where datname = current_database()',
    )
    const { collate, ctype } = rows[0]!
    return {
      name: nameFor(rows[0]!.name),
      locale: `lc_collate ${escapeLiteral(collate)} lc_ctype ${escapeLiteral(ctype)}`,
    }
  })
  const scratchUrl = beside(url, name)
  if (scratchUrl === undefined) return undefined
  const drop = () => inSession(url, (client) => client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`))
  await drop()
  const isMade = await inSession(url, (client) =>
    client.query(`create database ${escapeIdentifier(name)} template template0 encoding 'UTF8' ${locale}`).then(
      () => true,
      (error: { code?: string }) => {
        if (error.code === NO_PRIVILEGE) return false
        throw error
      },
    ),
  )
  if (!isMade) return undefined
  try {
    return await work(scratchUrl)
  } finally {
    await drop()
  }
}
