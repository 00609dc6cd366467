import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ADA, KIM, postOf } from '../../../../test/support/chat/announcements.ts'
import { discord } from './discord.ts'

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8')
const TO = { room: '', secret: 'https://discord.com/api/webhooks/1/x?thread_id=9' }
const bodyOf = ({ body }: { body?: string }) => JSON.parse(body!)
const read = (status: number, body: string | object, headers = {}) =>
  discord.read({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) })

/** A capture: status line and headers after "< ", then the body. */
function captured(name: string) {
  const text = fixture(name)
  const headers = Object.fromEntries(
    [...text.matchAll(/^< ([\w-]+): (.*)$/gm)].map(([, key, value]) => [key!.toLowerCase(), value!]),
  )
  return { status: Number(/HTTP\/1.1 (\d+)/.exec(text)![1]), headers, body: text.slice(text.indexOf('{')) }
}

test('a post requests the stored message, and an edit uses its id in the same thread', () => {
  expect(discord.post(TO, postOf(), false)).toMatchObject({
    method: 'POST',
    url: 'https://discord.com/api/webhooks/1/x?thread_id=9&wait=true',
  })
  expect(discord.edit!(TO, postOf(), '77', false)).toMatchObject({
    method: 'PATCH',
    url: 'https://discord.com/api/webhooks/1/x/messages/77?thread_id=9',
  })
})

test('a message lists exactly who may be mentioned, again with every edit', () => {
  const post = postOf({ mentions: [KIM, ADA] }, { 1: '111' })
  for (const request of [discord.post(TO, post, false), discord.edit!(TO, post, '77', false)]) {
    expect(bodyOf(request)).toMatchObject({ content: '<@111>', allowed_mentions: { parse: [], users: ['111'] } })
  }
  expect(bodyOf(discord.post(TO, postOf({ here: true, mentions: [] }), false))).toMatchObject({
    content: '@here',
    allowed_mentions: { parse: ['everyone'], users: [] },
  })
})

test('a breakage is one embed: title, evidence, facts, suspect, links', () => {
  const { content, embeds } = bodyOf(discord.post(TO, postOf({ mentions: [] }), false))
  expect(content).toBe('')
  expect(embeds).toHaveLength(1)
  const [{ title, url, color, description, fields }] = embeds
  expect({ title, url, color }).toEqual({
    title: 'Compile error on main',
    url: 'https://goldmaster.example/projects/7/breakages/41?a=1&b=2',
    color: 0xd1242f,
  })
  expect(description).toBe("```\nSource/Dragon.cpp(42): error C2065: 'Fire<T>': undeclared `identifier`\n```")
  expect(fields.map((field: { name: string }) => field.name)).toEqual(['Jobs', 'Since', 'Owner', 'Suspect', '\u200b'])
  expect(fields[3].value).toBe('[184467](https://goldmaster.example/projects/7/changes/9) by Kim Sato: changed Source/Dragon.cpp')
})

test('a plain text replaces an embed, and an embed replaces a text', () => {
  expect(bodyOf(discord.edit!(TO, postOf(), '77', true))).toMatchObject({ embeds: [], flags: 4 })
  expect(bodyOf(discord.edit!(TO, postOf({ mentions: [] }), '77', false))).toMatchObject({ content: '', flags: 0 })
})

test("the reply has the message's id; without one it was accepted anyway", () => {
  expect(read(200, { id: '1234', channel_id: '5' })).toEqual({ kind: 'sent', reference: '1234' })
  expect(read(204, '')).toEqual({ kind: 'sent', reference: '' })
})

test.each([
  ['discord__429_global.txt', 65],
  ['discord__429_shared.txt', 1337],
  ['discord__429_user.txt', 65],
])('%s: waits as long as the header or the body says', (name, seconds) => {
  const { status, headers, body } = captured(name)
  expect(discord.read({ status, headers, body })).toMatchObject({ kind: 'later', seconds })
  expect(discord.read({ status, headers: {}, body })).toMatchObject({ kind: 'later', seconds })
})

test('a rejected body lists the rejected parts', () => {
  expect(read(400, fixture('discord__400_parts.json'))).toEqual({
    kind: 'refused',
    why: 'Discord answered 50035, activities.0.platform, activities.0.type.',
  })
  expect(read(400, fixture('discord__400_whole.json'))).toEqual({ kind: 'refused', why: 'Discord answered 50035.' })
})

test.each([
  [404, 10015, { kind: 'gone', of: 'secret', why: expect.stringContaining('Create a new webhook') }],
  [401, 50027, { kind: 'gone', of: 'secret', why: expect.stringContaining('Create a new webhook') }],
  [403, 50013, { kind: 'gone', of: 'room' }],
  [404, 10003, { kind: 'gone', of: 'room' }],
  [404, 10008, { kind: 'lost' }],
  [429, 30046, { kind: 'later' }],
  [400, 30046, { kind: 'later' }],
  [400, 50006, { kind: 'refused' }],
  [413, 40005, { kind: 'refused' }],
])('%i with code %i', (status, code, outcome) => {
  expect(read(status, { message: 'words', code })).toMatchObject(outcome)
})

test('a 404 that is not from Discord itself disables the channel too', () => {
  expect(read(404, '<html>')).toMatchObject({ kind: 'gone' })
})
