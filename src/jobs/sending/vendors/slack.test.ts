import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BREAKAGE, postOf } from '../../../../test/support/chat/announcements.ts'
import { openChatVendors } from '../../../../test/support/servers/chat-vendors.ts'
import type { VendorRequest } from '../vendor.ts'
import { slack } from './slack.ts'

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8')
const reply = (body: string | object, status = 200, headers = {}) => ({
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const TO = { room: 'C012AB', secret: 'xoxb-1' }
const bodyOf = ({ body }: VendorRequest) => JSON.parse(body!)

async function ask({ url, method, headers, body }: VendorRequest) {
  const answer = await fetch(url, { method, headers, body })
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() }
}

test('a message has its id as metadata, and is not parsed for names', () => {
  const request = slack.post(TO, postOf(), false)
  expect(request).toMatchObject({
    method: 'POST',
    url: 'https://slack.com/api/chat.postMessage',
    headers: { authorization: 'Bearer xoxb-1', 'content-type': 'application/json; charset=utf-8' },
  })
  expect(bodyOf(request)).toMatchObject({
    channel: 'C012AB',
    parse: 'none',
    metadata: { event_type: 'goldmaster_message', event_payload: { id: 'message-1' } },
  })
})

test('a breakage is a linked title, and below it in its color the evidence, facts, suspect and links', () => {
  const { text, blocks, attachments } = bodyOf(slack.post(TO, postOf({}, { 1: 'U0KIM' }), false))
  const link = '<https://goldmaster.example/projects/7/breakages/41?a=1&amp;b=2|Compile error on main>'
  expect(text).toBe(`<@U0KIM> ${link}`)
  const url = 'https://goldmaster.example/projects/7/breakages/41?a=1&b=2'
  const bold = { style: { bold: true } }
  expect(blocks).toEqual([
    { type: 'section', text: { type: 'mrkdwn', text: '<@U0KIM>', verbatim: true } },
    {
      type: 'rich_text',
      elements: [{ type: 'rich_text_section', elements: [{ type: 'link', url, text: 'Compile error on main', ...bold }] }],
    },
  ])
  expect(attachments).toHaveLength(1)
  expect(attachments[0].color).toBe('#d1242f')
  const [evidence, jobs, since, owner, suspect, links] = attachments[0].blocks[0].elements
  expect(evidence).toEqual({
    type: 'rich_text_preformatted',
    elements: [{ type: 'text', text: "Source/Dragon.cpp(42): error C2065: 'Fire<T>': undeclared `identifier`" }],
  })
  expect(jobs.elements).toEqual([
    { type: 'text', text: 'Jobs: ', ...bold },
    { type: 'text', text: 'Editor Win64, Game PS5\n' },
  ])
  expect([since, owner].map(({ elements }) => elements[1].text)).toEqual(['2 March, 09:14 UTC\n', 'Ada Berg\n'])
  expect(suspect.elements).toEqual([
    { type: 'text', text: 'Suspect: ', ...bold },
    { type: 'link', url: 'https://goldmaster.example/projects/7/changes/9', text: '184467' },
    { type: 'text', text: ' by ' },
    { type: 'user', user_id: 'U0KIM' },
    { type: 'text', text: ': changed Source/Dragon.cpp\n' },
  ])
  const linked = links.elements.filter(({ type }: { type: string }) => type === 'link')
  expect(linked.map(({ text }: { text: string }) => text)).toEqual(['Open', 'Claim', 'Mute'])
})

test('an edit that omits something removes it', () => {
  expect(bodyOf(slack.edit!(TO, postOf(), 'C9 1543931401.000500', true))).toMatchObject({
    channel: 'C9',
    ts: '1543931401.000500',
    blocks: [],
    attachments: [],
    parse: 'none',
  })
})

test('a follow-up is in the thread of its message, in the same room', () => {
  const body = bodyOf(slack.post({ ...TO, room: 'U0KIM' }, { ...postOf(), thread: 'D0KIM 1.5' }, false))
  expect(body).toMatchObject({ channel: 'D0KIM', thread_ts: '1.5' })
})

test('the reply to a message has its location', () => {
  expect(slack.read(reply(fixture('slack__posted')))).toEqual({ kind: 'sent', reference: 'F4KE1DABC 1543931401.000500' })
})

test.each([
  ['invalid_auth', { kind: 'gone', of: 'secret', why: expect.stringContaining('Connect Slack again') }],
  ['token_revoked', { kind: 'gone', of: 'secret' }],
  ['account_inactive', { kind: 'gone', of: 'secret' }],
  ['channel_not_found', { kind: 'gone', of: 'room', why: expect.stringContaining('Invite the bot to the channel') }],
  ['not_in_channel', { kind: 'gone', of: 'room', why: expect.stringContaining('Invite the bot to the channel') }],
  ['is_archived', { kind: 'gone', of: 'room' }],
  ['msg_too_long', { kind: 'refused' }],
  ['msg_blocks_too_long', { kind: 'refused' }],
  ['invalid_blocks', { kind: 'refused' }],
  ['no_text', { kind: 'refused' }],
  ['never_heard_of', { kind: 'refused' }],
  ['message_not_found', { kind: 'lost' }],
  ['cant_update_message', { kind: 'lost' }],
  ['edit_window_closed', { kind: 'lost' }],
  ['service_unavailable', { kind: 'later' }],
  ['fatal_error', { kind: 'unknown' }],
  ['internal_error', { kind: 'unknown' }],
])('%s, reported with 200', (error, outcome) => {
  expect(slack.read(reply({ ok: false, error }))).toMatchObject(outcome)
})

test('a missing scope is named', () => {
  const answer = reply({ ok: false, error: 'missing_scope', needed: 'chat:write', provided: 'users:read' })
  expect(slack.read(answer)).toMatchObject({ kind: 'gone', why: 'Give the app the scope chat:write and install it again.' })
})

test('a rate limit is reported with 429, or with 200', () => {
  const limited = { ok: false, error: 'ratelimited' }
  expect(slack.read(reply(limited, 429, { 'retry-after': '30' }))).toMatchObject({ kind: 'later', seconds: 30 })
  expect(slack.read(reply({ ok: false, error: 'rate_limited' }))).toMatchObject({ kind: 'later', seconds: 0 })
})

test('a 200 that cannot be parsed may be a message that has arrived', () => {
  for (const body of ['', 'ok', '<html>', '{"ok":true}', '[]', 'null'])
    expect(slack.read(reply(body)), body).toMatchObject({ kind: 'unknown' })
})

test('people are found by their address', () => {
  expect(slack.findPerson!.ask(TO, 'kim+x@owl.example')).toMatchObject({
    method: 'GET',
    url: 'https://slack.com/api/users.lookupByEmail?email=kim%2Bx%40owl.example',
  })
  expect(slack.findPerson!.read(reply(fixture('slack__person_found')))).toBe('W012A3CDE')
  expect(slack.findPerson!.read(reply(fixture('slack__person_unknown')))).toBeUndefined()
  expect(slack.findPerson!.read(reply({ ok: true, user: { id: 'U1', deleted: true } }))).toBeUndefined()
  for (const unknown of [reply({ ok: false, error: 'ratelimited' }, 429), reply('', 503)])
    expect(() => slack.findPerson!.read(unknown)).toThrow()
})

test('a message that may have arrived is found by its id, and edited where it was found', async () => {
  const vendors = await openChatVendors()
  const to = vendors.destination('slack', 'C012AB')
  const since = new Date()
  const found = async (id: string, thread?: string) => slack.find!.read(await ask(slack.find!.ask(to, since, thread)), id)
  expect(await found('message-1')).toBeUndefined()
  await ask(slack.post(to, postOf(), false))
  await ask(slack.post(to, { ...postOf(), id: 'message-2' }, false))
  const [first, second] = vendors.messages()
  expect(await found('message-1')).toBe(first!.id)
  expect(await found('message-2')).toBe(second!.id)
  expect(await found('message-3')).toBeUndefined()

  const changed = await ask(slack.edit!(to, postOf({ title: 'Fixed on main' }), (await found('message-1'))!, false))
  expect(slack.read(changed)).toMatchObject({ kind: 'sent' })
  expect(vendors.messages()[0]!.text).toContain('Fixed on main')
  expect(vendors.messages()[0]!.texts[0]).toContain(BREAKAGE.title)

  const thread = `C012AB ${first!.id}`
  await ask(slack.post(to, { ...postOf(), id: 'reply-1', thread }, false))
  expect(await found('reply-1')).toBeUndefined()
  expect(await found('reply-1', thread)).toBe(vendors.messages()[2]!.id)
  expect(vendors.violations()).toEqual([])
  await vendors.close()
})

test('a message is known to be missing only if everything since then was searched', () => {
  expect(() => slack.find!.read(reply({ ok: true, messages: [], has_more: true }), 'message-1')).toThrow(
    'Too many newer messages',
  )
  expect(() => slack.find!.read(reply({ ok: false, error: 'missing_scope' }), 'message-1')).toThrow('missing_scope')
  expect(() => slack.find!.read(reply('', 502), 'message-1')).toThrow('502')
  const foreign = { ts: '1.1', metadata: { event_type: 'other_app', event_payload: { id: 'message-1' } } }
  expect(slack.find!.read(reply({ ok: true, messages: [foreign] }), 'message-1')).toBeUndefined()
})

test("a direct message is sent to the person's id, and the reply has the room", async () => {
  const vendors = await openChatVendors()
  const to = vendors.destination('slack', slack.direct!('U0KIM'))
  const sent = slack.read(await ask(slack.post(to, postOf(), false)))
  expect(sent).toMatchObject({ kind: 'sent', reference: expect.stringMatching(/^D0KIM /) })
  const reference = sent.kind === 'sent' ? sent.reference : ''
  expect(slack.read(await ask(slack.edit!(to, postOf({ title: 'Fixed' }), reference, false)))).toMatchObject({ kind: 'sent' })
  await vendors.close()
})
