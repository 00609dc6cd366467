import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import pg from 'pg'

// The least that keeps a delivery: the signature is checked, the token looked up, the body stored in one INSERT.
const { PORT, DATABASE_URL, SIGNING_SECRET } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 16, idleTimeoutMillis: 0 })
await pool.query(
  'create table if not exists floor_deliveries (id bigint generated always as identity, integration_id integer, body bytea)',
)

createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  if (request.method === 'GET') return void response.end('ready')
  const body = Buffer.concat(chunks)
  const mine = Buffer.from(`sha256=${createHmac('sha256', SIGNING_SECRET!).update(body).digest('hex')}`)
  const given = Buffer.from(String(request.headers['x-hub-signature-256']))
  const token = new URL(request.url!, 'http://floor').searchParams.get('token')!
  const { rows } = await pool.query({
    name: 'token',
    text: 'select id from integrations where token_hash = $1',
    values: [createHash('sha256').update(token).digest()],
  })
  const ok = given.length === mine.length && timingSafeEqual(given, mine) && rows.length === 1
  if (ok)
    await pool.query({
      name: 'keep',
      text: 'insert into floor_deliveries (integration_id, body) values ($1, $2)',
      values: [rows[0].id, body],
    })
  response.writeHead(ok ? 200 : 401, { 'content-length': 2 }).end('ok')
}).listen(Number(PORT), '127.0.0.1')
