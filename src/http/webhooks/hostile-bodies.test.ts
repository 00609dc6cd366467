import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../../test/support/studio.ts'
import { commit, openTools, push, SECRET, type Tools } from '../../../test/support/tools.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import { replay } from '../../intake/deliveries/replay.ts'
import { showDelivery } from '../../intake/deliveries/show-delivery.ts'
import { ingest } from '../../intake/ingest.ts'

/** Bodies that are small on the wire and would take more memory than the service has. */

const MIB = 1024 * 1024
const filled = (begin: string, part: string, end = '') =>
  Buffer.from(begin + part.repeat(Math.floor((16 * MIB) / part.length)) + end)
const EMPTY_OBJECTS = filled('{"a":[{}', ',{}', ']}')

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

const send = (key: string, raw: Buffer<ArrayBuffer>, type = 'application/json', headers = {}, path = key) =>
  tools.studio.ask(`/webhooks/${path}?token=${tools.tokenOf(key)}`, {
    method: 'POST',
    raw,
    headers: { 'content-type': type, ...headers },
  })

const stored = (id: string) => tools.studio.db.one(sql`select outcome, status, message from deliveries where id = ${id}::bigint`)

const TOO_MUCH = expect.stringMatching(/more than|not valid|must|takes more memory/)

describe('a body of nothing but structure is refused with 422 and logged:', () => {
  test.each([
    ['empty objects', 'jenkins', EMPTY_OBJECTS, 'application/json'],
    ['brackets never closed', 'jenkins', filled('', '['), 'application/json'],
    ['keys', 'jenkins', filled('{', '"a":1,', '"a":1}'), 'application/json'],
    ['keys that are not JSON', 'jenkins', filled('', '"a":1,'), 'application/json'],
    ['empty lines', 'lore', filled('', '\n'), 'application/x-ndjson'],
    ['empty lines after an open text', 'lore', filled('"', '\n'), 'application/x-ndjson'],
    ['lines of JSON', 'lore', filled('', '{}\n'), 'application/x-ndjson'],
    ['an encoded list in a form', 'github', filled('payload=%5B0', '%2C%7B%7D', '%5D'), 'application/x-www-form-urlencoded'],
    ['fields of a form', 'perforce', filled('changelist=1', '&a'), 'application/x-www-form-urlencoded'],
    ['lines of a text', 'perforce', filled('{"changelist":1,"files":"', 'a\\n', '"}'), 'application/json'],
    ['revisions', 'lore', Buffer.from(`["a"${',"a"'.repeat(100_000)}]`), 'application/json'],
  ] as const)('%s', async (_, key, raw, type) => {
    const { status, json } = await send(key, raw as Buffer<ArrayBuffer>, type, { 'x-github-event': 'push' })
    expect({ status, json }).toEqual({
      status: 422,
      json: { error: 'unreadable_body', message: TOO_MUCH, delivery_id: expect.any(String) },
    })
    expect(await stored(json.delivery_id)).toEqual({ outcome: 'failed', status: 422, message: json.message })
  })

  test('and compressed ones are not decompressed', async () => {
    expect((await send('jenkins', EMPTY_OBJECTS, 'application/json', { 'content-encoding': 'gzip' })).status).toBe(422)
  })
})

test.skipIf(process.platform === 'win32')('a process that crashes on a body loses nothing and affects nobody else', async () => {
  const { db } = tools.studio
  const raw = Buffer.from(JSON.stringify(push([commit('d'.repeat(40), { message: 'x'.repeat(MIB) })])))
  let answer!: Promise<Answer>
  await db.transaction(async (db) => {
    // The first table it writes, to block it while it works.
    await db.execute(sql`lock table changes in access exclusive mode`)
    answer = send('github', raw, 'application/json', { 'x-github-event': 'push' })
    await until(async () => (await waitingForChanges()) > 0)
    for (const pid of heavyProcesses()) process.kill(pid, 'SIGABRT')
    await until(() => heavyProcesses().length === 0)
  })
  expect(await answer).toMatchObject({ status: 422, json: { error: 'unreadable_body', message: TOO_MUCH } })
  expect(await db.rows(sql`select id from changes where identifier = ${'d'.repeat(40)}`)).toEqual([])
  expect((await send('github', raw, 'application/json', { 'x-github-event': 'push' })).json.status).toBe('processed')
})

const waitingForChanges = async () =>
  (await tools.studio.db.one<{ count: number }>(
    sql`select count(*) from pg_locks where relation = 'changes'::regclass and not granted
      and database = (select oid from pg_database where datname = current_database())`,
  ))!.count

const heavyProcesses = (): number[] =>
  execFileSync('ps', ['-A', '-o', 'ppid=,pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) =>
      /^\s*(\d+)\s+(\d+)\s.*heavy-process/.exec(line)?.[1] === String(process.pid) ? [Number(line.trim().split(/\s+/)[1])] : [],
    )

test('an unsigned request costs no parsing: an unreadable body with a wrong signature is a wrong signature', async () => {
  const headers = { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }
  expect((await send('signed', EMPTY_OBJECTS, 'application/json', headers, 'github')).status).toBe(401)
  const signature = createHmac('sha256', SECRET).update(EMPTY_OBJECTS).digest('hex')
  const signed = { ...headers, 'x-hub-signature-256': `sha256=${signature}` }
  expect((await send('signed', EMPTY_OBJECTS, 'application/json', signed, 'github')).status).toBe(422)
})

test('a large body that is refused by its headers gets a response and is not read', async () => {
  const { hostname, port } = new URL(tools.studio.site)
  const head = `POST /webhooks/ci?token=${'0'.repeat(64)} HTTP/1.1\r\nHost: x\r\nContent-Length: ${26 * MIB}\r\n\r\n`
  const socket = connect(Number(port), hostname)
  let [said, sent] = ['', 0]
  const ended = new Promise((done) => socket.on('end', done).on('close', done))
  socket.on('data', (chunk) => (said += chunk)).on('error', () => {})
  socket.write(head)
  // As fast as the server reads it.
  const part = Buffer.alloc(64 * 1024)
  const more = () => {
    while (!socket.destroyed && sent < 26 * MIB && socket.write(part)) sent += part.length
  }
  socket.on('drain', more)
  more()
  await ended
  socket.destroy()
  expect(said).toMatch(/^HTTP\/1.1 404 /)
  // The operating system's buffers were not read either.
  expect(sent).toBeLessThan(20 * MIB)
})

describe('a hostile body that was stored before it was refused', () => {
  const store = async (provider: string, outcome: string) =>
    (await tools.studio.db.one<{ id: number }>(sql`
      insert into deliveries (account_id, integration_id, path, event, dedupe_key, outcome, status, headers, body)
      values (${tools.studio.world.accounts.owl!.id}, ${tools.studio.world.integrations[provider]!.id}, ${provider}, 'x', gen_random_uuid()::text, ${outcome}, 202,
        '{"content-type": "application/json"}', ${EMPTY_OBJECTS}) returning id`))!.id

  test('is refused when replayed', async () => {
    await expect(replay(tools.studio.db, await store('jenkins', 'processed'))).rejects.toMatchObject({ status: 422 })
  })

  test('ends its job as failed, once and for all', async () => {
    const id = await store('lore', 'accepted')
    await ingest(tools.studio.db, { account_id: tools.studio.world.accounts.owl!.id, delivery_id: id })
    expect(await stored(String(id))).toMatchObject({ outcome: 'failed', status: 422 })
  })

  test('can be viewed', async () => {
    const shown = await showDelivery(tools.studio.db, await store('jenkins', 'processed'))
    expect(shown).toMatchObject({ body: expect.stringMatching(/^\{"a":\[\{\},/), body_cut: true })
  })
})

test('a push of 2,048 commits with 30 files each is accepted', async () => {
  const commits = Array.from({ length: 2048 }, (_, i) => ({
    id: i.toString(16).padStart(40, '0'),
    message: 'Move everything',
    timestamp: '2026-10-01T10:00:00Z',
    author: { name: 'Kim', email: 'kim@example.com', username: 'kim' },
    added: [],
    modified: Array.from({ length: 30 }, (_, file) => `Content/Harbour/${i % 7}/M_${file}.o`),
    removed: [],
  }))
  const raw = Buffer.from(JSON.stringify({ ref: 'refs/heads/main', repository: { full_name: 'owl/star' }, commits }))
  const { status, json } = await send('github', raw, 'application/json', { 'x-github-event': 'push' })
  expect({ status, records: json.records?.length }).toEqual({ status: 200, records: 2048 })
}, 300_000)
