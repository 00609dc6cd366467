import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openNode } from '../../../test/support/killing.ts'
import { openReceiver, type Receiver } from '../../../test/support/servers/receiver.ts'
import { testWith } from '../../../test/support/skippable.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import { record } from '../../domain/audit/audit-log.ts'
import * as streams from '../../domain/sending/audit-streams.ts'
import { signatureOf } from '../../domain/webhooks/webhook-signature.ts'
import { allowedHosts } from '../../net/addresses.ts'
import type { Lanes } from '../lanes.ts'
import { startSender } from './sender.ts'

const PASSWORD = 'a long enough password'
let studio: Studio
let owner: Visitor
beforeAll(async () => {
  studio = await openStudio({
    accounts: ['owl', 'fox'].map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
    users: [{ key: 'lead', email: 'lead@example.com', name: 'L', password: PASSWORD, accounts: { owl: 'owner', fox: 'owner' } }],
  })
  owner = await signIn(studio, 'lead@example.com', PASSWORD)
})
afterAll(() => studio.close())

const pumps: Lanes[] = []
const closing: (() => unknown)[] = []
let receiver: Receiver
beforeEach(async () => {
  receiver = await openReceiver()
})
afterEach(async () => {
  await Promise.all(pumps.splice(0).map((pump) => pump.stop()))
  await Promise.all(closing.splice(0).map((close) => close()))
  await receiver.close()
  await studio.db.execute(sql`delete from destinations`)
})

const account = (key: string) => Number(studio.world.accounts[key]!.id)
const tell = (action: string, key = 'owl') =>
  record(studio.db, sql`select ${account(key)}::integer`, { actor: 'job', action, after: { note: 'Größe' } })
const stream = (url: string, key = 'owl', more: object = {}) =>
  streams.set(studio.db, studio.service.vault, account(key), { url, ...more })
const pump = (allowed = ['127.0.0.1']) =>
  pumps.push(startSender({ ...studio.service, db: studio.db, allowed: allowedHosts(allowed), site: 'https://gold.example' }))
const shown = async (key = 'owl') => (await streams.find(studio.db, studio.service.vault, account(key)))!
const hurry = () => studio.db.execute(sql`update destinations set rests_until = now()`)

interface Certificate {
  key: Buffer
  cert: Buffer
}

/** A syslog server that reads messages with a length prefix, as in RFC 6587; over TLS if it has a certificate. */
async function openSyslog(onConnection: (socket: Socket) => void = () => {}, certificate?: Certificate) {
  const lines: string[] = []
  const listener = (socket: Socket) => {
    let held = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      held = Buffer.concat([held, chunk])
      for (;;) {
        const [, digits] = /^(\d+) /.exec(held.toString('latin1')) ?? []
        if (digits === undefined || held.length < digits.length + 1 + Number(digits)) return
        lines.push(held.subarray(digits.length + 1, digits.length + 1 + Number(digits)).toString('utf8'))
        held = held.subarray(digits.length + 1 + Number(digits))
      }
    })
    onConnection(socket)
  }
  const server: Server = certificate ? createTlsServer(certificate, listener) : createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return { lines, port: (server.address() as { port: number }).port }
}

const LINE = /^<109>1 \d{4}-\S+Z gold\.example goldmaster (\d+) (\S+) \[meta sequenceId="(\d+)"\] (\{.*\})$/
const read = (line: string) => {
  const [, accountId, id, sequence, json] = LINE.exec(line) ?? []
  return { account: Number(accountId), id, sequence: Number(sequence), entry: JSON.parse(json!) }
}
const ids = (lines: string[]) => lines.map((line) => read(line).id)

test('a syslog server over TCP gets every entry, in order, numbered as in the chain', async () => {
  const syslog = await openSyslog()
  await tell('before')
  await stream(`syslog+tcp://127.0.0.1:${syslog.port}`)
  for (let i = 0; i < 250; i++) await tell(`admin thing ${i}`)
  pump()
  await until(async () => (await shown()).waiting === 0)
  expect(ids(syslog.lines)).toEqual(Array.from({ length: 250 }, (_, i) => `admin_thing_${i}`))
  const first = read(syslog.lines[0]!)
  expect(first).toMatchObject({
    account: account('owl'),
    entry: { action: 'admin thing 0', actor: 'job', after: { note: 'Größe' } },
  })
  expect(syslog.lines.map((line) => read(line).sequence)).toEqual(Array.from({ length: 250 }, (_, i) => first.sequence + i))
  expect(first.entry).toMatchObject({ position: first.sequence, hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(syslog.lines.join('')).toMatch(/^[\x20-\x7e]*$/)
})

test('it continues where it stopped: a server that resets gets the same entries again, and none is lost', async () => {
  let resets = 2
  const syslog = await openSyslog((socket) => {
    if (resets-- > 0) socket.resetAndDestroy()
  })
  await stream(`syslog+tcp://127.0.0.1:${syslog.port}`)
  for (const action of ['one', 'two', 'three']) await tell(action)
  pump()
  await until(async () => {
    await hurry()
    return (await shown()).waiting === 0
  })
  const told = syslog.lines.map(read)
  expect([...new Map(told.map(({ sequence, id }) => [sequence, id])).values()]).toEqual(['one', 'two', 'three'])
  expect(await shown()).toMatchObject({ failing_since: null, error: '' })
})

test('an unreachable server is retried with growing delays, is shown as failing, and blocks nobody else', async () => {
  const gone = await openSyslog()
  await closing.pop()!()
  await stream(`syslog+tcp://127.0.0.1:${gone.port}`, 'owl')
  await stream(`${receiver.url}in`, 'fox')
  await tell('waits', 'owl')
  pump()
  await until(async () => (await shown()).failing_since !== null)
  for (let i = 0; i < 5; i++) await tell(`fox ${i}`, 'fox')
  await until(async () => (await shown('fox')).waiting === 0)
  const { tries } = (await studio.db.one<{ tries: number }>(
    sql`select tries from destinations where account_id = ${account('owl')}`,
  ))!
  expect(tries).toBeGreaterThan(0)
  expect(await shown()).toMatchObject({ waiting: 1, error: expect.stringContaining('ECONNREFUSED') })
  // The stream was moved to another server, which gets what the first has not received.
  const other = await openSyslog()
  await stream(`syslog+tcp://127.0.0.1:${other.port}`)
  await until(async () => (await shown()).waiting === 0)
  expect(ids(other.lines)).toEqual(['waits'])
})

test('an https receiver gets lines of JSON, with a bearer token or signed', async () => {
  let answers = 500
  receiver.answer = (_, response) => void response.writeHead(answers).end()
  await stream(`${receiver.url}in`, 'owl', { secret: 'a bearer token' })
  await tell('one')
  await tell('two')
  pump()
  await until(async () => (await shown()).error === 'answered 500')
  answers = 204
  await hurry()
  await until(async () => (await shown()).waiting === 0)
  const [refused, taken] = [receiver.received[0]!, receiver.received.at(-1)!]
  expect(taken.text).toBe(refused.text)
  expect(taken.headers).toMatchObject({ authorization: 'Bearer a bearer token', 'content-type': 'application/x-ndjson' })
  const entries = taken.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(entries.map(({ action }) => action)).toEqual(['one', 'two'])

  const secret = `whsec_${Buffer.from('k'.repeat(32)).toString('base64')}`
  await stream(`${receiver.url}signed`, 'owl', { secret })
  await tell('three')
  await until(() => receiver.received.some(({ path }) => path === '/signed'))
  const { headers, text } = receiver.received.find(({ path }) => path === '/signed')!
  expect(headers['webhook-signature']).toBe(
    signatureOf([secret], String(headers['webhook-id']), Number(headers['webhook-timestamp']), text),
  )
  expect(headers.authorization).toBeUndefined()
})

/** A private CA, and its certificate for one address and no name. */
async function certify(address: string) {
  const folder = await mkdtemp(join(tmpdir(), 'goldmaster-tls-'))
  closing.push(() => rm(folder, { recursive: true }))
  const at = (name: string) => join(folder, name)
  const key = (name: string) => ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at(name)]
  const make = (...args: string[]) => execFileSync('openssl', ['req', '-x509', '-days', '2', ...args], { stdio: 'ignore' })
  make(...key('ca.key'), '-subj', '/CN=Studio CA', '-out', at('ca.pem'))
  const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-addext', `subjectAltName=IP:${address}`]
  make(...key('key'), '-subj', '/CN=siem', ...signed, '-addext', 'basicConstraints=critical,CA:FALSE', '-out', at('pem'))
  return { authority: at('ca.pem'), key: await readFile(at('key')), cert: await readFile(at('pem')) }
}

testWith('openssl')(
  'over TLS the certificate must be trusted and name the server; any other is refused with a reason',
  async () => {
    const { authority, ...certificate } = await certify('127.0.0.1')
    const syslog = await openSyslog(() => {}, certificate)
    const plain = await openSyslog((socket) => void socket.write('what is this?'))
    await stream(`syslog+tls://127.0.0.1:${syslog.port}`, 'owl')
    await stream(`syslog+tls://127.0.0.1:${plain.port}`, 'fox')
    await tell('sealed', 'owl')
    await tell('plain', 'fox')
    pump()
    const error = async (key: string) => {
      await until(async () => (await shown(key)).failing_since !== null)
      const path = `/accounts/${account(key)}/audit_stream`
      return (await owner.app(path)).json.stream.error
    }
    expect(await error('owl')).toMatch(/^certificate not trusted: (self-signed certificate|unable to verify)/)
    expect(await error('fox')).toMatch(/^TLS failed: /)
    await Promise.all(pumps.splice(0).map((pump) => pump.stop()))

    const node = await openNode(studio, {
      BASE_URL: 'https://gold.example',
      NODE_EXTRA_CA_CERTS: authority,
      ALLOW_PRIVATE_HOSTS: 'webhooks:127.0.0.1,webhooks:localhost',
    })
    closing.push(() => node.kill())
    await stream(`syslog+tls://localhost:${syslog.port}`, 'fox')
    await hurry()
    await until(async () => (await shown()).waiting === 0)
    expect(await error('fox')).toMatch(/^certificate not trusted: .*altnames/)
    expect(ids(syslog.lines)).toEqual(['sealed'])
    expect(await shown()).toMatchObject({ failing_since: null, error: '' })
  },
)

test('over UDP each entry is a datagram, and a truncated one is marked', async () => {
  const lines: string[] = []
  const socket = createSocket('udp4').on('message', (bytes) => void lines.push(bytes.toString('utf8')))
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  closing.push(() => socket.close())
  await stream(`syslog+udp://127.0.0.1:${socket.address().port}`)
  await tell('short')
  await record(studio.db, sql`select ${account('owl')}::integer`, {
    actor: 'job',
    action: 'long',
    after: { text: 'x'.repeat(20_000) },
  })
  pump()
  await until(() => lines.length === 2)
  expect(ids(lines)).toEqual(['short', 'long'])
  expect(read(lines[1]!).entry.after).toEqual({ left_out: 'too long for UDP' })
})

test('private addresses are not called, with any protocol', async () => {
  const syslog = await openSyslog()
  await stream(`syslog+tcp://localhost:${syslog.port}`, 'owl')
  await stream(`http://127.0.0.1:${syslog.port}/`, 'fox')
  await tell('one', 'owl')
  await tell('one', 'fox')
  pump([])
  for (const key of ['owl', 'fox']) {
    await until(async () => (await shown(key)).failing_since !== null)
    expect((await shown(key)).error).toContain('private address')
  }
  expect(syslog.lines).toEqual([])
})

test('owners configure it; its secret is never shown, and sent to no other host', async () => {
  const path = `/accounts/${account('owl')}/audit_stream`
  const put = (body: object) => owner.app(path, { method: 'PUT', body })
  for (const url of ['ftp://siem.example', 'syslog://siem.example', 'https://me:secret@siem.example', 'siem'])
    expect(await put({ url }), url).toMatchObject({ status: 422, json: { error: 'invalid_parameter' } })
  expect((await put({ url: 'syslog+tls://siem.example', secret: 'not for syslog' })).status).toBe(422)
  expect((await put({ url: 'https://siem.example/in', secret: 'line\r\nbreak: 1' })).status).toBe(422)
  const made = await put({ url: 'https://siem.example/in', secret: 'very-hidden' })
  expect(made).toMatchObject({ status: 200, json: { stream: { authenticates: 'bearer', waiting: 0 } } })
  expect(made.text).not.toContain('very-hidden')
  expect((await put({ url: 'https://siem.example/other' })).json.stream).toMatchObject({ authenticates: 'bearer' })
  expect((await put({ url: 'https://elsewhere.example/other' })).json.stream).toMatchObject({ authenticates: null })
  expect((await put({ url: 'https://elsewhere.example/', from_beginning: true })).json.stream).toMatchObject({ position: 0 })
  expect((await owner.app(path, { method: 'DELETE' })).status).toBe(200)
  expect((await owner.app(path)).json).toEqual({ stream: null })
})
