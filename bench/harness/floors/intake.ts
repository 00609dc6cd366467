import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import pg from 'pg'

// The minimum that records a push: the signature is checked, the token looked up, and the service's rows are written into the same tables,
// with their indexes, keys and triggers, by one statement for all waiting pushes. No lookup of earlier pushes, authors, builds or pending
// approvals: everything here is new.
const { PORT, DATABASE_URL, SIGNING_SECRET } = process.env
const options = '-c timezone=UTC -c plan_cache_mode=force_generic_plan'
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 16, idleTimeoutMillis: 0, options })

const BATCH_MAX = 32
const WRITERS_MAX = 2

const TOKEN = `select i.id as integration_id, p.id as project_id, p.account_id from integrations i join projects p on p.id = i.project_id
  where i.token_hash = $1 and i.active`

const WRITE = `
  with reported as (
    select * from jsonb_to_recordset($4::jsonb)
      as t (push integer, place integer, identifier text, author text, description text, branch text, follows text, timestamp timestamptz,
        files jsonb, asset_count integer)),
  files as (
    select * from jsonb_to_recordset($8::jsonb) as t (path text, name text, asset_type text, times integer, identifier text)),
  changed as (
    insert into changes (account_id, project_id, integration_id, source_type, identifier, author, description, branch, timestamp, files,
      files_known_at, asset_count)
    select $1, $2, $3, 'GitCommit', identifier, author, description, branch, timestamp, files, now(), asset_count from reported
    returning id, identifier),
  placed as (
    insert into change_branches (account_id, project_id, branch, change_id, previous, timestamp)
    select $1, $2, t.branch, c.id, t.follows, t.timestamp from reported t join changed c using (identifier) order by t.push, t.place),
  touched as (
    insert into assets as a (account_id, project_id, name, path, asset_type, version, last_change_id, approval_status)
    select $1, $2, t.name, t.path, t.asset_type, t.times, c.id, case t.asset_type when 'texture' then 'pending' else 'none' end
    from files t join changed c using (identifier) order by t.path
    on conflict (account_id, project_id, path) where path <> '' do update set
      version = a.version + excluded.version, last_change_id = excluded.last_change_id, updated_at = now()
    returning id, name, path, asset_type),
  asked as (
    insert into approvals (account_id, project_id, asset_id, asset_name, commit_sha)
    select $1, $2, a.id, a.name, t.identifier from touched a join files t using (path) where a.asset_type = 'texture')
  insert into deliveries (account_id, integration_id, path, event, dedupe_key, counts, outcome, status, headers, body, body_bytes, records, milliseconds)
  select $1, $3, 'github', 'push', d.key, true, 'processed', 200, d.headers::jsonb, d.body, length(d.body),
    (select jsonb_agg(jsonb_build_object('type', 'change', 'id', c.id)) from reported t join changed c using (identifier) where t.push = d.push), 1
  from unnest($5::text[], $6::text[], $7::bytea[]) with ordinality as d (key, headers, body, push)`

interface Owner {
  account_id: number
  project_id: number
  integration_id: number
}
interface Push {
  owner: Owner
  request: IncomingMessage
  body: Buffer
  done: () => void
  fail: (error: unknown) => void
}
interface Commit {
  id: string
  message: string
  timestamp: string
  author: { name: string; email: string }
  added: string[]
  modified: string[]
}

const changesOf = ({ body }: Push, index: number) => {
  const { ref, before, commits } = JSON.parse(body.toString()) as { ref: string; before: string; commits: Commit[] }
  return commits.map((commit, place) => ({
    push: index + 1,
    place,
    identifier: commit.id,
    author: `${commit.author.name} <${commit.author.email}>`,
    description: commit.message,
    branch: ref.slice('refs/heads/'.length),
    follows: commits[place - 1]?.id ?? before,
    timestamp: commit.timestamp,
    files: [
      ...commit.added.map((path) => ({ path, action: 'add' })),
      ...commit.modified.map((path) => ({ path, action: 'edit' })),
    ],
    asset_count: commit.added.length + commit.modified.length,
  }))
}

interface Touched {
  path: string
  name: string
  asset_type: string
  times: number
  identifier: string
}

/** One version per change to a file; the last change counts. */
function filesOf(changes: ReturnType<typeof changesOf>): Touched[] {
  const touched = new Map<string, Touched>()
  for (const { identifier, files } of changes)
    for (const { path } of files)
      touched.set(path, {
        path,
        name: path.slice(path.lastIndexOf('/') + 1),
        asset_type: path.endsWith('.png') ? 'texture' : 'script',
        times: (touched.get(path)?.times ?? 0) + 1,
        identifier,
      })
  return [...touched.values()]
}

const headersOf = ({ headers }: IncomingMessage) => {
  const { 'x-hub-signature-256': _, ...shown } = headers
  return JSON.stringify(shown)
}

async function write(pushes: Push[]) {
  const { account_id, project_id, integration_id } = pushes[0]!.owner
  const changes = pushes.flatMap(changesOf)
  const values = [
    account_id,
    project_id,
    integration_id,
    JSON.stringify(changes),
    pushes.map(({ request }) => request.headers['x-github-delivery']),
    pushes.map(({ request }) => headersOf(request)),
    pushes.map(({ body }) => body),
    JSON.stringify(filesOf(changes)),
  ]
  try {
    await pool.query({ name: 'write', text: WRITE, values })
    for (const { done } of pushes) done()
  } catch (error) {
    for (const { fail } of pushes) fail(error)
  }
}

const waiting: Push[] = []
let writers = 0

async function drain() {
  writers++
  await new Promise(setImmediate)
  while (waiting.length > 0) await write(waiting.splice(0, BATCH_MAX))
  writers--
}

const keep = (owner: Owner, request: IncomingMessage, body: Buffer) =>
  new Promise<void>((done, fail) => {
    waiting.push({ owner, request, body, done, fail })
    if (writers < WRITERS_MAX) void drain()
  })

createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  if (request.method === 'GET') return void response.end('ready')
  const body = Buffer.concat(chunks)
  const token = new URL(request.url!, 'http://floor').searchParams.get('token')!
  const hash = createHash('sha256').update(token).digest()
  const { rows } = await pool.query<Owner>({ name: 'token', text: TOKEN, values: [hash] })
  const mine = Buffer.from(`sha256=${createHmac('sha256', SIGNING_SECRET!).update(body).digest('hex')}`)
  const given = Buffer.from(String(request.headers['x-hub-signature-256']))
  const ok = rows[0] !== undefined && given.length === mine.length && timingSafeEqual(given, mine)
  if (ok) await keep(rows[0]!, request, body)
  response.writeHead(ok ? 200 : 401, { 'content-length': 2 }).end('ok')
}).listen(Number(PORT), '127.0.0.1')
