import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase, sql } from '../../db/database.ts'
import { startEmbedded } from '../../db/embedded/embedded.ts'
import { readSlowStatements } from './slow-statements.ts'

test('the slowest statements are listed with their times and without their values if PostgreSQL records them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'goldmaster-slow-'))
  const made = await startEmbedded(folder)
  await made.stop()
  await appendFile(join(folder, 'postgres', 'postgresql.auto.conf'), "shared_preload_libraries = 'pg_stat_statements'\n")
  const server = await startEmbedded(folder)
  const db = openDatabase(server.url, { max: 1 })
  try {
    // In a schema outside the search path.
    await db.execute(sql`create schema statistics`)
    await db.execute(sql`create extension pg_stat_statements schema statistics`)
    for (let i = 0; i < 2; i++) await db.rows(sql`select pg_sleep(0.05), ${'a secret value'}::text`)
    await db.pool.query("select pg_sleep(0.2), 'another secret'")
    await db.rows(sql`select 1 as quick`)
    const { recorded, statements } = await readSlowStatements(db)
    expect(recorded).toBe(true)
    expect(statements).toMatchObject([
      { text: 'select pg_sleep($1), $2', calls: 1 },
      { text: expect.stringMatching(/^select pg_sleep\(\$\d\), \$1::text$/), calls: 2 },
    ])
    expect(statements[0]!.mean_ms).toBeGreaterThanOrEqual(200)
    expect(JSON.stringify(statements)).not.toContain('secret')
  } finally {
    await db.close()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
