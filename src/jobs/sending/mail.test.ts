import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { keepLog } from '../../../test/support/log.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import { createByOwner } from '../../domain/access/tokens.ts'
import * as users from '../../domain/accounts/users.ts'
import { dueLanes, writeToAddress, writeToUser } from '../../domain/mail/mails.ts'
import { Vault } from '../../domain/privacy/secrets.ts'
import { allowedHosts } from '../../net/addresses.ts'
import { openBreaker } from '../breaker.ts'
import { htmlOf, openPost, sendNext } from './mail.ts'
import { startSender } from './sender.ts'

interface Arrived {
  to: string[]
  data: string
}

let store: TestDatabase
let server: SMTPServer
const arrived: Arrived[] = []
let refuseNext = 0
let post: ReturnType<typeof openPost>
beforeAll(async () => {
  store = await createDatabase()
  server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      let data = ''
      stream.on('data', (chunk) => {
        data += chunk
      })
      stream.on('end', () => {
        if (refuseNext > 0) {
          refuseNext--
          return done(new Error('450 come back later'))
        }
        arrived.push({ to: session.envelope.rcptTo.map(({ address }) => address), data })
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  post = openPost({ url: `smtp://127.0.0.1:${port}`, from: 'Goldmaster <gold@example.com>' })
})
afterAll(async () => {
  await new Promise<void>((resolve) => server.close(resolve))
  await store.drop()
})

const newest = () => store.db.one<{ id: number }>(sql`select id from mails order by id desc limit 1`)
const stateOf = (id: number) =>
  store.db.one<{ sent_at: string | null; error: string }>(sql`select sent_at, error from mails where id = ${id}`)

/** Sends everything that is due, whatever the result. */
async function sendAll() {
  // The database rounds times, also up: a mail of this moment may be due in half a millisecond.
  await store.db.execute(sql`update mails set next_at = now() - interval '1 second' where next_at is not null and tries = 0`)
  for (const lane of await dueLanes(store.db))
    while (
      await sendNext(
        { db: store.db, log: keepLog().log, post },
        { id: lane, signal: new AbortController().signal },
        openBreaker(),
      )
    );
}
const hurry = () => store.db.execute(sql`update mails set next_at = now() - interval '1 second' where next_at is not null`)
const open = (more: object = {}) => ({
  db: store.db,
  vault: new Vault('x'),
  log: keepLog().log,
  allowed: allowedHosts([]),
  site: 'https://gold.example',
  ...more,
})

test('mails of accounts are sent in turn, however many one of them has', async () => {
  await store.db.execute(sql`delete from mails`)
  const accounts = await store.db.rows<{ id: number }>(sql`insert into accounts (name) values ('many'), ('few') returning id`)
  const [many, few] = accounts.map(({ id }) => id)
  const to = 'one-lane@example.com'
  for (let i = 0; i < 5; i++) await writeToAddress(store.db, to, { subject: `many ${i}`, text: '' }, many!)
  await writeToAddress(store.db, to, { subject: 'reset', text: '' })
  for (let i = 0; i < 2; i++) await writeToAddress(store.db, to, { subject: `few ${i}`, text: '' }, few!)
  await hurry()
  const [lane] = await dueLanes(store.db)
  const sent: string[] = []
  const turns = new Map<number, number>()
  const context = { db: store.db, log: keepLog().log, post: async ({ subject }: { subject: string }) => sent.push(subject) }
  while (await sendNext(context, { id: lane!, signal: new AbortController().signal }, openBreaker(), turns));
  expect(sent).toEqual(['reset', 'many 0', 'few 0', 'many 1', 'few 1', 'many 2', 'many 3', 'many 4'])
})

test('a silent mail server is not called any more after a few mails', async () => {
  const callers = new Set<Socket>()
  const silent = createServer((socket) => callers.add(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const log = keepLog()
  for (let i = 0; i < 20; i++) await writeToAddress(store.db, `${i}@example.com`, { subject: 'Hello', text: 'Hello' })
  const sender = startSender(open({ log: log.log, post: openPost({ url, from: 'gold@example.com' }) }))
  try {
    await until(() => callers.size >= 2)
    await until(() => log.text().includes('pausing requests'))
    expect(callers.size).toBeLessThanOrEqual(6)
    expect(sender.silentServers()).toEqual(['smtp'])
  } finally {
    for (const caller of callers) caller.destroy()
    silent.close()
    await sender.stop()
    await store.db.execute(sql`delete from mails`)
  }
})

describe('a mail', () => {
  test('is sent after the transaction that wrote it, as text and as HTML, only to its reader', async () => {
    const ana = await users.create(store.db, { email: 'ana@example.com', name: 'Ana' })
    await users.create(store.db, { email: 'ben@example.com', name: 'Ben' })
    const sender = startSender(open({ post }))
    const made = await createByOwner(
      store.db,
      { user_id: ana.id, token_id: null, scopes: [], only_account_id: null, only_project_ids: null },
      { name: 'ci & co', scopes: [], expires_at: null, account_id: null, project_ids: null },
      'https://gold.example',
    )
    await until(() => arrived.length === 1)
    await until(async () => (await stateOf((await newest())!.id))?.sent_at !== null)
    await sender.stop()
    const [{ to, data }] = arrived as [Arrived]
    expect(to).toEqual(['ana@example.com'])
    expect(data).toContain('From: Goldmaster <gold@example.com>')
    expect(data).toContain('text/plain')
    expect(data).toContain('text/html')
    expect(data).toContain(made.prefix)
    expect(data).toContain('ci &amp; co')
    expect(data).not.toContain(made.token)
    expect(await stateOf((await newest())!.id)).toMatchObject({ sent_at: expect.any(String), error: '' })
  })

  test.each(['a,victim@example.com', 'a<victim@example.com>', 'a;victim@example.com'])(
    'is sent to %s and to nobody in it',
    async (to) => {
      await writeToAddress(store.db, to, { subject: 'Hello', text: 'Hello' })
      const before = arrived.length
      await sendAll()
      expect(arrived.slice(before).flatMap((one) => one.to)).not.toContain('victim@example.com')
    },
  )

  test('of a failed transaction is never written', async () => {
    const before = await newest()
    const failing = store.db.transaction(async (db) => {
      await writeToAddress(db, 'nobody@example.com', { subject: 'Never', text: 'Never' })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await newest()).toEqual(before)
  })

  test('that is sent again, because its result was not recorded, has the same id', async () => {
    const ids = []
    for (const text of ['One', 'Two']) {
      await writeToAddress(store.db, 'dee@example.com', { subject: 'Hello', text })
      const { id } = (await newest())!
      for (let times = 0; times < 2; times++) {
        await sendAll()
        await store.db.execute(sql`update mails set sent_at = null, next_at = now() where id = ${id}`)
        ids.push(/^Message-ID: (<[0-9a-f]{32}@example\.com>)/m.exec(arrived.at(-1)!.data)?.[1])
      }
    }
    expect(ids).toEqual([ids[0], ids[0], ids[2], ids[2]])
    expect(new Set(ids).size).toBe(2)
  })

  test('that the server rejects records the reason and is retried', async () => {
    await store.db.execute(sql`delete from mails`)
    await writeToAddress(store.db, 'cleo@example.com', { subject: 'Hello', text: 'Hello' })
    const { id } = (await newest())!
    refuseNext = 1
    await sendAll()
    expect(await stateOf(id)).toMatchObject({ sent_at: null, error: expect.stringContaining('come back later') })
    const count = arrived.length
    // Not before its time.
    await sendAll()
    expect(arrived.length).toBe(count)
    await hurry()
    await sendAll()
    await sendAll()
    expect(arrived.length).toBe(count + 1)
    expect(await stateOf(id)).toMatchObject({ sent_at: expect.any(String), error: '' })
  })

  test('that the server refuses for four days is given up', async () => {
    await writeToAddress(store.db, 'eve@example.com', { subject: 'Hello', text: 'Hello' })
    const { id } = (await newest())!
    await store.db.execute(sql`update mails set created_at = now() - interval '4 days 1 hour' where id = ${id}`)
    refuseNext = 1
    await sendAll()
    expect(await store.db.one(sql`select next_at, sent_at from mails where id = ${id}`)).toEqual({ next_at: null, sent_at: null })
  })

  test('is kept for operators if there is no mail server', async () => {
    const user = await users.create(store.db, { email: 'dora@example.com', name: 'Dora' })
    await writeToUser(store.db, user.id, { subject: 'Kept', text: 'Kept' })
    const { id } = (await newest())!
    const sender = startSender(open())
    await until(async () => (await store.db.execute(sql`select from mails where next_at is not null`)) === 0)
    await sender.stop()
    expect(await stateOf(id)).toMatchObject({ sent_at: null, error: '' })
    const later = arrived.length
    await sendAll()
    expect(arrived.length).toBe(later)
  })
})

test('HTML links URLs and shows the rest as written', () => {
  expect(htmlOf('See https://gold.example/x?a=1&b=2\nnow\n\n<script>')).toContain(
    '<p>See <a href="https://gold.example/x?a=1&amp;b=2">https://gold.example/x?a=1&amp;b=2</a><br>now</p><p>&lt;script&gt;</p>',
  )
})
