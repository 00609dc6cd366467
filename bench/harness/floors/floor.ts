import { createServer, type IncomingMessage } from 'node:http'
import pg from 'pg'

// As little as a server can do: no framework, no token, no validation, no log; one prepared statement and its reply.
const { FLOOR, PORT, DATABASE_URL, SITE } = process.env
// Ids have 64 bits, which `pg` would return as text.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 16, idleTimeoutMillis: 0, options: '-c timezone=UTC' })

/** The columns of the list; `at` is how a time is selected. */
const columns = (at: (column: string) => string) => `
  id, account_id, project_id, title, description, state, task_type, priority, assignee_handle, user_id, labels, metadata,
  ${at('created_at')} as created_at, ${at('updated_at')} as updated_at,
  json_build_object('web', '${SITE}/projects/' || project_id || '/tasks/' || id) as urls`
// `pg` returns times as Dates, which become text again; in JSON PostgreSQL needs an explicit format.
const ROWS = columns((column) => column)
const WRITTEN = columns((column) => `iso(${column})`)
const page = (selected: string) =>
  `select ${selected} from tasks where project_id = $1 order by tasks.created_at desc, tasks.id desc limit 20`
const INSERT = `insert into tasks (account_id, project_id, title, description, state, task_type, priority, labels, metadata)
  values (1, $1, $2, $3, $4, $5, $6, $7, $8) returning ${ROWS}`

/** Rows become objects, objects become JSON, in Node. */
async function rows(project: number): Promise<string> {
  const found = await pool.query({ name: 'rows', text: page(ROWS), values: [project] })
  return JSON.stringify({ tasks: found.rows })
}

/** PostgreSQL renders the JSON; Node passes it on. */
async function json(project: number): Promise<string> {
  const text = `select json_agg(item)::text as tasks from (${page(WRITTEN)}) item`
  const found = await pool.query({ name: 'json', text, values: [project] })
  return `{"tasks":${found.rows[0].tasks}}`
}

async function insert(project: number, request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { task } = JSON.parse(Buffer.concat(chunks).toString())
  const values = [project, task.title, task.description, task.state, task.task_type, task.priority, task.labels, task.metadata]
  const made = await pool.query({ name: 'insert', text: INSERT, values })
  return JSON.stringify(made.rows[0])
}

const list = FLOOR === 'json' ? json : rows

createServer(async (request, response) => {
  const project = Number(request.url!.split('/')[4])
  const body = await (request.method === 'POST' ? insert(project, request) : list(project))
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}).listen(Number(PORT), '127.0.0.1')
