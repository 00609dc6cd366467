import { createServer } from 'node:http'
import pg from 'pg'
import { sql } from '../../../src/db/database.ts'
import { described, events } from '../../../src/domain/feed/feed.ts'

// The same merge of the five tables, bare: no token, no account, no plan, no message; rows become JSON in Node.
const { PORT, DATABASE_URL } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 16, idleTimeoutMillis: 0, options: '-c timezone=UTC' })
// Times stay as PostgreSQL writes them: converting them to dates would only slow down the baseline.
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, String)
const { text, values } = described(events(sql`1`, sql`'UTC'`, { limit: 20, days_back: 90 }))

createServer(async (_, response) => {
  const { rows } = await pool.query({ name: 'feed', text, values })
  const body = JSON.stringify({ events: rows })
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}).listen(Number(PORT), '127.0.0.1')
