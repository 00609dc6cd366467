import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { openDatabase, type Pool } from '../../src/db/database.ts'
import { withDatabase } from '../setup.ts'

export interface TestDatabase {
  db: Pool
  url: string
  drop(): Promise<void>
}

/** A fresh, migrated, empty database of one's own. */
export const createDatabase = (): Promise<TestDatabase> => create(inject('template'))

/** One without a schema. */
export const createEmptyDatabase = (): Promise<TestDatabase> => create('template1')

async function create(template: string): Promise<TestDatabase> {
  const name = `goldmaster_test_${randomBytes(6).toString('hex')}`
  await onServer(`create database ${name} template ${template}`)
  const url = withDatabase(inject('server'), name)
  const db = openDatabase(url, { max: 8 })
  return {
    db,
    url,
    async drop() {
      await db.close()
      await onServer(`drop database if exists ${name} with (force)`)
    },
  }
}

async function onServer(text: string) {
  const client = new pg.Client({ connectionString: inject('server') })
  await client.connect()
  await client.query(text).finally(() => client.end())
}
