import pg from 'pg'
import { type Params, type RawQuery, readQuery } from '../../src/contract/params.ts'
import { routes } from '../../src/contract/routes.ts'
import type { Database, How, Sql } from '../../src/db/database.ts'
import { readListing } from '../../src/domain/access/access.ts'
import type { FeedQuery } from '../../src/domain/feed/feed.ts'
import { readFeed } from '../../src/domain/feed/reader.ts'
import { hashOf } from '../../src/domain/privacy/secrets.ts'
import { type ListName, lists } from '../../src/http/routes/lists.ts'
import { PROJECT } from './rows.ts'
import { SITE } from './servers.ts'

export interface Cost {
  /** Milliseconds inside PostgreSQL. */
  planning: number
  execution: number
  /** Pages touched. */
  buffers: number
}

/** The cost of the service's own statement for this query inside PostgreSQL, with the plan after many uses. */
export async function explain(client: pg.ClientBase, name: ListName, query: RawQuery, token: string): Promise<Cost> {
  return costOf(client, await statementOf(name, query, token))
}

/** The cost of a statement once PostgreSQL has settled on a plan for it. */
export async function costOf(client: pg.ClientBase, { text, values, unprepared }: Statement): Promise<Cost> {
  const execute = `execute listing (${values.map(literal).join(', ')})`
  await client.query(`set plan_cache_mode = ${unprepared ? 'force_custom_plan' : 'auto'}`)
  await client.query(`prepare listing as ${text}`)
  // PostgreSQL plans the first five for their values and settles afterwards.
  for (let use = 0; use < 6; use++) await client.query(execute)
  const { rows } = await client.query(`explain (analyze, buffers, format json) ${execute}`)
  await client.query('deallocate listing')
  const [report] = rows[0]['QUERY PLAN']
  const { Plan: plan } = report
  return {
    planning: report['Planning Time'],
    execution: report['Execution Time'],
    buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
  }
}

export interface Statement extends How {
  text: string
  values: unknown[]
}

/** The service's statement, captured on its way to the database. */
export async function statementOf(name: ListName, query: RawQuery, token: string): Promise<Statement> {
  const { listing } = lists[name] as (typeof lists)['listTasks']
  const read = readQuery(routes[name].query as Params, query) as Parameters<typeof listing>[1]
  const ask = {
    who: { hash: hashOf(token), address: null },
    scope: routes[name].scope,
    role: 'viewer',
    project: PROJECT,
  } as const
  return caught((db) => readListing(db, ask, (project) => listing(project, read, SITE)))
}

/** The same for a page of the feed. */
export const feedStatementOf = (query: FeedQuery, token: string): Promise<Statement> => {
  const project = query.project_id === undefined ? undefined : String(query.project_id)
  const ask = { who: { hash: hashOf(token), address: null }, scope: routes.listEvents.scope, account: undefined, project }
  return caught((db) => readFeed(db, ask, query, SITE))
}

async function caught(read: (db: Database) => Promise<unknown>): Promise<Statement> {
  let statement: Statement | undefined
  const catching = {
    one: async ({ text, values }: Sql, how: How) => {
      statement = { text, values, ...how }
    },
  } as unknown as Database
  // Nothing is returned, which looks like an unknown token.
  await read(catching).catch(() => {})
  return statement!
}

export const literal = (value: unknown): string => {
  if (value === null) return 'null'
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((one) => JSON.stringify(one)).join(',')}}`)
  return pg.escapeLiteral(String(value))
}
