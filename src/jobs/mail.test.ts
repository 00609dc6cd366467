import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { keepLog } from '../../test/support/log.ts'
import { until } from '../../test/support/until.ts'
import { sql } from '../db/database.ts'
import { enqueue } from '../db/queue.ts'
import { Vault } from '../domain/access/secrets.ts'
import { createByOwner } from '../domain/access/tokens.ts'
import * as users from '../domain/accounts/users.ts'
import { writeToAddress, writeToUser } from '../domain/mail/mails.ts'
import { allowedHosts } from '../net/addresses.ts'
import { htmlOf, openPost, sendMail } from './mail.ts'
import { startWorker } from './worker.ts'

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

test('a mail server that says nothing holds up no other work, and is left alone after a few mails', async () => {
  const callers = new Set<Socket>()
  const silent = createServer((socket) => callers.add(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const log = keepLog()
  for (let i = 0; i < 20; i++) await writeToAddress(store.db, `${i}@example.com`, { subject: 'Hello', text: 'Hello' })
  const mute = openPost({ url, from: 'gold@example.com' })
  const worker = await startWorker({
    db: store.db,
    vault: new Vault('x'),
    log: log.log,
    allowed: allowedHosts([]),
    site: 'https://gold.example',
    post: mute,
  })
  try {
    await until(() => callers.size >= 2)
    // Somebody else's work asks no mail server.
    await enqueue(store.db, 'purge_integration', { integration_id: 1 }, {})
    await until(async () => (await store.db.rows(sql`select from jobs where kind = 'purge_integration'`)).length === 0)
    await until(() => log.text().includes('is left alone'))
    expect(callers.size).toBeLessThanOrEqual(6)
  } finally {
    for (const caller of callers) caller.destroy()
    silent.close()
    await worker.stop()
    await store.db.execute(sql`delete from jobs`)
  }
})

describe('a mail', () => {
  test('leaves after the transaction that wrote it, as text and as HTML, to its reader alone', async () => {
    const ana = await users.create(store.db, { email: 'ana@example.com', name: 'Ana' })
    await users.create(store.db, { email: 'ben@example.com', name: 'Ben' })
    const worker = await startWorker({
      db: store.db,
      vault: new Vault('x'),
      log: keepLog().log,
      allowed: allowedHosts([]),
      site: 'https://gold.example',
      post,
    })
    const made = await createByOwner(
      store.db,
      { user_id: ana.id, token_id: null, scopes: [], only_account_id: null, only_project_ids: null },
      { name: 'ci & co', scopes: [], expires_at: null, account_id: null, project_ids: null },
      'https://gold.example',
    )
    await until(() => arrived.length === 1)
    await worker.stop()
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
    'goes to %s and to nobody in it',
    async (to) => {
      await writeToAddress(store.db, to, { subject: 'Hello', text: 'Hello' })
      const before = arrived.length
      await sendMail({ db: store.db, post }, { mail_id: (await newest())!.id }).catch(() => {})
      expect(arrived.slice(before).flatMap((one) => one.to)).not.toContain('victim@example.com')
    },
  )

  test('of a transaction that fails is never written', async () => {
    const before = await newest()
    const failing = store.db.transaction(async (db) => {
      await writeToAddress(db, 'nobody@example.com', { subject: 'Never', text: 'Never' })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await newest()).toEqual(before)
  })

  test('that is sent again, for nobody noted that it had left, is known as the same', async () => {
    const ids = []
    for (const text of ['One', 'Two']) {
      await writeToAddress(store.db, 'dee@example.com', { subject: 'Hello', text })
      const { id } = (await newest())!
      for (let times = 0; times < 2; times++) {
        await sendMail({ db: store.db, post }, { mail_id: id })
        await store.db.execute(sql`update mails set sent_at = null where id = ${id}`)
        ids.push(/^Message-ID: (<[0-9a-f]{32}@example\.com>)/m.exec(arrived.at(-1)!.data)?.[1])
      }
    }
    expect(ids).toEqual([ids[0], ids[0], ids[2], ids[2]])
    expect(new Set(ids).size).toBe(2)
  })

  test('that the server refuses says why and is tried again', async () => {
    await writeToAddress(store.db, 'cleo@example.com', { subject: 'Hello', text: 'Hello' })
    const { id } = (await newest())!
    refuseNext = 1
    await expect(sendMail({ db: store.db, post }, { mail_id: id })).rejects.toThrow('come back later')
    expect(await stateOf(id)).toMatchObject({ sent_at: null, error: expect.stringContaining('come back later') })
    const count = arrived.length
    await sendMail({ db: store.db, post }, { mail_id: id })
    await sendMail({ db: store.db, post }, { mail_id: id })
    expect(arrived.length).toBe(count + 1)
    expect(await stateOf(id)).toMatchObject({ sent_at: expect.any(String), error: '' })
  })

  test('stays where operators read it when there is no mail server', async () => {
    const user = await users.create(store.db, { email: 'dora@example.com', name: 'Dora' })
    await writeToUser(store.db, user.id, { subject: 'Kept', text: 'Kept' })
    const { id } = (await newest())!
    await sendMail({ db: store.db }, { mail_id: id })
    expect(await stateOf(id)).toMatchObject({ sent_at: null, error: '' })
  })
})

test('HTML links what is an address and shows the rest as it was written', () => {
  expect(htmlOf('See https://gold.example/x?a=1&b=2\nnow\n\n<script>')).toContain(
    '<p>See <a href="https://gold.example/x?a=1&amp;b=2">https://gold.example/x?a=1&amp;b=2</a><br>now</p><p>&lt;script&gt;</p>',
  )
})
