import { afterEach, describe, expect, test } from 'vitest'
import { CHANNEL_KINDS, type ChannelKind } from '../src/contract/channels.ts'
import { randomOf } from '../src/demo/random.ts'
import type { VendorRequest } from '../src/jobs/sending/vendor.ts'
import { VENDORS } from '../src/jobs/sending/vendors/vendors.ts'
import { postOf } from './support/chat/announcements.ts'
import { FAULTS } from './support/chat/faults.ts'
import { type ChatVendors, type ChatVendorsOptions, openChatVendors } from './support/servers/chat-vendors.ts'

let vendors: ChatVendors
const open = async (options: ChatVendorsOptions = {}) => {
  vendors = await openChatVendors(options)
}
afterEach(() => vendors.close())

const ROOM = 'C012AB'
const WEBHOOKS = CHANNEL_KINDS.filter((kind) => kind !== 'slack')
const to = (kind: ChannelKind) => vendors.destination(kind, ROOM)

async function ask({ url, method, headers, body }: VendorRequest, signal?: AbortSignal) {
  const answer = await fetch(url, { method, headers, body, signal })
  const text = await answer.text()
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: text }
}
const post = (kind: ChannelKind, title = 'Broken', signal?: AbortSignal) =>
  ask(VENDORS[kind].post(to(kind), postOf({ title }), false), signal)

/** The body for a vendor, with a fault in it. */
async function spoiled(kind: ChannelKind, spoil: (body: ReturnType<typeof JSON.parse>) => void) {
  const request = VENDORS[kind].post(to(kind), postOf({}, { 1: '111' }), false)
  const body = JSON.parse(request.body!)
  spoil(body)
  const answer = await ask({ ...request, body: JSON.stringify(body) })
  return { answer, outcome: VENDORS[kind].read(answer) }
}

const long = (length: number) => 'x'.repeat(length)
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } })

describe.each(['slack', 'slack_webhook'] as const)('%s', (kind) => {
  test.each<[string, (body: ReturnType<typeof JSON.parse>) => void]>([
    ['no text', (body) => delete body.text],
    ['51 blocks', (body) => (body.blocks = Array.from({ length: 51 }, () => section('x')))],
    ['a section of 3001 characters', (body) => (body.blocks = [section(long(3001))])],
    ['an empty section', (body) => (body.blocks = [section('')])],
    ['a section of nothing', (body) => (body.blocks = [{ type: 'section' }])],
    ['11 fields', (body) => (body.blocks = [{ type: 'section', fields: Array(11).fill({ type: 'mrkdwn', text: 'x' }) }])],
    [
      'a field of 2001 characters',
      (body) => (body.blocks = [{ type: 'section', fields: [{ type: 'mrkdwn', text: long(2001) }] }]),
    ],
    ['a header of 151 characters', (body) => (body.blocks = [{ type: 'header', text: { type: 'plain_text', text: long(151) } }])],
    [
      '26 buttons',
      (body) =>
        (body.blocks = [
          { type: 'actions', elements: Array(26).fill({ text: { type: 'plain_text', text: 'x' }, url: 'https://x.example' }) },
        ]),
    ],
    ['blocks too long together', (body) => (body.blocks = Array(5).fill(section(long(2900))))],
    ['an unknown block', (body) => (body.blocks = [{ type: 'poem' }])],
    ['an attachment without blocks', (body) => (body.attachments = [{ color: '#ffffff', blocks: [] }])],
    ['an unescaped <', (body) => (body.blocks = [section('a < b')])],
    ['an unescaped &', (body) => (body.blocks = [section('a & b')])],
    ['code that is not closed', (body) => (body.blocks = [section('```x')])],
    ['a bell', (body) => (body.blocks = [section('\u0007')])],
  ])('refuses %s', async (_, spoil) => {
    await open()
    expect((await spoiled(kind, spoil)).outcome).toMatchObject({ kind: 'refused' })
    expect(vendors.violations()).toHaveLength(1)
    expect(vendors.messages()).toEqual([])
  })
})

test.each<[string, (body: ReturnType<typeof JSON.parse>) => void]>([
  ['nothing', (body) => Object.assign(body, { content: '', embeds: [] })],
  ['a content of 2001 characters', (body) => (body.content = long(2001))],
  ['11 embeds', (body) => (body.embeds = Array(11).fill({ title: 'x', color: 1 }))],
  ['a title of 257 characters', (body) => (body.embeds[0].title = long(257))],
  ['26 fields', (body) => (body.embeds[0].fields = Array(26).fill({ name: 'x', value: 'x' }))],
  ['a field without a name', (body) => (body.embeds[0].fields[0].name = '')],
  ['a field of blanks', (body) => (body.embeds[0].fields[0].value = ' ')],
  ['a field of 1025 characters', (body) => (body.embeds[0].fields[0].value = long(1025))],
  ['more than 6000 characters', (body) => (body.embeds = Array(2).fill({ description: long(3001), color: 1 }))],
  ['a colour in words', (body) => (body.embeds[0].color = '#ff0000')],
  ['no word on mentions', (body) => delete body.allowed_mentions],
  ['users parsed and named', (body) => (body.allowed_mentions = { parse: ['users'], users: ['111'] })],
  ['somebody named twice', (body) => (body.allowed_mentions.users = ['111', '111'])],
])('Discord refuses %s', async (_, spoil) => {
  await open()
  const { outcome, answer } = await spoiled('discord', spoil)
  expect(outcome).toMatchObject({ kind: 'refused' })
  expect(JSON.parse(answer.body)).toMatchObject({ code: 50035 })
  expect(vendors.violations()).toHaveLength(1)
})

test('Discord notifies by allowed_mentions, whatever is escaped', async () => {
  await open()
  const content = '@everyone @here \\<@111> <@222> <@&333>'
  await spoiled('discord', (body) => Object.assign(body, { content, allowed_mentions: { parse: ['everyone'], users: ['111'] } }))
  await spoiled('discord', (body) => Object.assign(body, { content, allowed_mentions: { parse: [] } }))
  await spoiled('discord', (body) => Object.assign(body, { content, allowed_mentions: { parse: ['users', 'roles'] } }))
  expect(vendors.messages().map(({ pings }) => pings)).toEqual([['everyone', 'here', '111'], [], ['111', '222', '333']])
})

test.each<[string, (body: ReturnType<typeof JSON.parse>) => void]>([
  ['more than 28 KB', (body) => (body.attachments[0].content.body[0].text = '漢'.repeat(9400))],
  ['two attachments', (body) => body.attachments.push(body.attachments[0])],
  ['another card', (body) => (body.attachments[0].content.version = '1.6')],
  ['an empty text', (body) => (body.attachments[0].content.body[0].text = '')],
  ['an action that answers', (body) => (body.attachments[0].content.actions[0].type = 'Action.Submit')],
  ['a tag', (body) => (body.attachments[0].content.body[0].text = '<at>Ada</at>')],
  ['a function', (body) => (body.attachments[0].content.body[0].text = '{{DATE(x)}}')],
  ['a mention of nobody', (body) => (body.attachments[0].content.msteams.entities = [{ text: '<at>Ada</at>', mentioned: {} }])],
])('Teams refuses %s', async (_, spoil) => {
  await open()
  expect((await spoiled('teams', spoil)).outcome).toMatchObject({ kind: 'refused' })
  expect(vendors.violations().length).toBeGreaterThan(0)
})

test.each(['mattermost', 'rocketchat'] as const)('%s refuses texts that are too long or empty', async (kind) => {
  await open()
  for (const spoil of [
    (body: ReturnType<typeof JSON.parse>) => (body.text = long(17_000)),
    (body: ReturnType<typeof JSON.parse>) => (body.attachments[0].fields[0].value = ''),
    (body: ReturnType<typeof JSON.parse>) => (body.attachments[0].text = '```'),
    (body: ReturnType<typeof JSON.parse>) => Object.assign(body, { text: '', attachments: [] }),
  ])
    expect((await spoiled(kind, spoil)).outcome).toMatchObject({ kind: 'refused' })
  expect(vendors.violations()).toHaveLength(4)
})

test("Mattermost treats Slack's group mentions as mentions, but not in code", async () => {
  await open()
  await spoiled('mattermost', (body) => (body.text = 'on <!channel> and mail@here'))
  await spoiled('mattermost', (body) => (body.attachments[0].text = '```\n<!here>\n``` @kim'))
  expect(vendors.messages().map(({ pings }) => pings)).toEqual([
    ['channel', '111'],
    ['111', 'kim'],
  ])
})

describe.each(CHANNEL_KINDS)('%s', (kind) => {
  const { read } = VENDORS[kind]

  test('stores what it is sent, in order', async () => {
    await open()
    for (const title of ['first', 'second']) expect(read(await post(kind, title))).toMatchObject({ kind: 'sent' })
    const [first, second] = vendors.messages(kind, ROOM)
    expect(first!.text).toContain('first')
    expect(second!.text).toContain('second')
    expect(second!.order).toBeGreaterThan(first!.order)
    expect(vendors.violations()).toEqual([])
  })

  test('reports that a room is gone, or a secret is wrong', async () => {
    await open()
    const wrong = { ...to(kind), secret: to(kind).secret.replace('stand-in', 'wrong') }
    expect(read(await ask(VENDORS[kind].post(wrong, postOf(), false)))).toMatchObject({ kind: 'gone', of: 'secret' })
    vendors.remove(kind, ROOM)
    expect(read(await post(kind))).toMatchObject({ kind: 'gone' })
    expect(vendors.messages()).toEqual([])
  })

  test('fails on command, before or after it has stored the message', async () => {
    await open()
    const kept: Record<string, boolean> = {}
    const seen: Record<string, string> = {}
    for (const fault of FAULTS) {
      const before = vendors.messages().length
      vendors.inject(ROOM, fault)
      const hanging = new AbortController()
      const asked = post(kind, fault, hanging.signal).then(
        (answer) => read(answer).kind,
        () => 'no answer',
      )
      if (fault.startsWith('hang')) {
        await expect.poll(() => vendors.requests()).toBe(Object.keys(seen).length + 1)
        if (fault === 'hang after') await expect.poll(() => vendors.messages().length).toBe(before + 1)
        hanging.abort()
      }
      seen[fault] = await asked
      kept[fault] = vendors.messages().length > before
    }
    expect(seen).toEqual({
      '429': 'later',
      '500': 'later',
      '503': 'later',
      '504 after': 'unknown',
      'hang before': 'no answer',
      'hang after': 'no answer',
      'reset before': 'no answer',
      'reset after': 'no answer',
    })
    expect(Object.keys(kept).filter((fault) => kept[fault])).toEqual(['504 after', 'hang after', 'reset after'])
  })

  test('accepts a number per second, says how long to wait, and notices early retries', async () => {
    await open({ rate: { perSecond: 0.001, burst: 2 } })
    for (const kept of [true, true]) expect(read(await post(kind)).kind === 'sent').toBe(kept)
    const told = read(await post(kind))
    // A slot opens every 1000 s; a part of that may have passed already.
    expect(told.kind === 'later' && told.seconds).toBeGreaterThan(500)
    expect(vendors.violations()).toEqual([])
    await post(kind)
    expect(vendors.violations()).toEqual([expect.stringContaining('before Retry-After had passed')])
    expect(vendors.messages()).toHaveLength(2)
  })
})

test.each(['slack', 'discord'] as const)('%s edits a message, and reports if it no longer exists', async (kind) => {
  await open()
  const { read, edit } = VENDORS[kind]
  const sent = read(await post(kind, 'Broken'))
  const reference = sent.kind === 'sent' ? sent.reference : ''
  const change = async () => read(await ask(edit!(to(kind), postOf({ title: 'Fixed' }), reference, false)))
  expect(await change()).toEqual(sent)
  const [message] = vendors.messages()
  expect(message!.text).toContain('Fixed')
  expect(message!.texts.map((text) => /Broken|Fixed/.exec(text)?.[0])).toEqual(['Broken', 'Fixed'])
  vendors.erase(message!)
  expect(await change()).toMatchObject({ kind: 'lost' })
})

test.each(WEBHOOKS.filter((kind) => kind !== 'discord'))('%s has no edits', async (kind) => {
  await open()
  const request = VENDORS[kind].post(to(kind), postOf(), false)
  expect(await ask({ ...request, method: 'PATCH', url: `${request.url}/messages/1` })).toMatchObject({ status: 405 })
})

test('Slack finds people by address, with a valid token', async () => {
  await open({ people: { 'kim@owl.example': 'U0KIM' } })
  const { ask: question, read } = VENDORS.slack.findPerson!
  const find = async (email: string, secret = to('slack').secret) => read(await ask(question({ ...to('slack'), secret }, email)))
  expect(await find('kim@owl.example')).toBe('U0KIM')
  expect(await find('ada@owl.example')).toBeUndefined()
  await expect(find('kim@owl.example', 'xoxb-other')).rejects.toThrow('invalid_auth')
})

test('Slack returns messages since a time, in pages, with metadata only on request', async () => {
  await open()
  for (const title of ['first', 'second', 'third']) await post('slack', title)
  const { url, headers } = VENDORS.slack.find!.ask(to('slack'), new Date())
  const history = async (change: Record<string, string>) => {
    const asked = new URL(url)
    for (const [key, value] of Object.entries(change)) asked.searchParams.set(key, value)
    return JSON.parse((await ask({ method: 'GET', url: asked.href, headers })).body)
  }
  const ids = vendors.messages().map(({ id }) => id)
  const all = await history({})
  expect(all.messages.map(({ ts }: { ts: string }) => ts)).toEqual([...ids].reverse())
  expect(all).toMatchObject({ has_more: false, messages: [{ metadata: { event_payload: { id: 'message-1' } } }, {}, {}] })
  expect(await history({ limit: '2' })).toMatchObject({ has_more: true, messages: [{ ts: ids[2] }, { ts: ids[1] }] })
  expect((await history({ oldest: '9999999999' })).messages).toEqual([])
  expect((await history({ include_all_metadata: 'false' })).messages[0].metadata).toBeUndefined()
  expect(await history({ channel: 'U0KIM' })).toMatchObject({ ok: false, error: 'channel_not_found' })
})

test('a schedule of failures is the same for the same seed', async () => {
  const numbers = (seed: number) => Array.from({ length: 5 }, randomOf(seed))
  expect(numbers(41)).toEqual(numbers(41))
  expect(numbers(41)).not.toEqual(numbers(42))
  const statuses = async (seed: number) => {
    await open({ faults: { seed, share: 0.5, kinds: ['500', '503'] } })
    const seen: number[] = []
    for (let count = 0; count < 20; count++) seen.push((await post('mattermost')).status)
    await vendors.close()
    return seen
  }
  const first = await statuses(41)
  expect(new Set(first)).toEqual(new Set([200, 500, 503]))
  expect(await statuses(41)).toEqual(first)
})
