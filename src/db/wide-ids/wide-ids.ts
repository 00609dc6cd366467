import type { MigrationSession } from '../migration-session.ts'
import { addWideColumns, buildWideIndexes, fillWideColumns, proveWideColumns } from './fill.ts'
import { findNarrow } from './narrow.ts'
import { swapColumns, validateKeys } from './swap.ts'

/**
 * Gives ids of records that are many 64 bits, while nodes of the version before read and write. Rewriting the columns would lock their
 * tables for as long as that takes, so each gets a second one that a trigger fills. What is done is read from the catalogue: a run that
 * was interrupted goes on where it was.
 */
export async function widenIds(session: MigrationSession) {
  const tables = await findNarrow(session.client)
  for (const table of tables) {
    await addWideColumns(session, table)
    await fillWideColumns(session, table)
    await proveWideColumns(session, table)
    await buildWideIndexes(session, table)
  }
  if (tables.length > 0) await swapColumns(session, tables)
  await validateKeys(session)
}
