import { expect, test } from 'vitest'
import { postOf } from '../../../../test/support/chat/announcements.ts'
import type { VendorReply } from '../vendor.ts'
import { mattermost } from './mattermost.ts'
import { rocketchat } from './rocketchat.ts'

const TO = { room: '', secret: 'https://chat.example/hooks/1' }
const reply = (status: number, body: string | object = ''): VendorReply => ({
  status,
  headers: {},
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

test.each([
  ['mattermost', mattermost],
  ['rocketchat', rocketchat],
])('%s: mentions are in the text, everything else in one attachment', (_, vendor) => {
  const { text, attachments } = JSON.parse(vendor.post(TO, postOf({ here: true }, { 1: 'kim.sato' }), false).body!)
  expect(text).toBe('@here @kim.sato')
  expect(attachments).toHaveLength(1)
  expect(attachments[0]).toMatchObject({ fallback: 'Compile error on main', color: '#d1242f' })
  expect(attachments[0].text.split('\n')).toEqual([
    '**[Compile error on main](https://goldmaster.example/projects/7/breakages/41?a=1&b=2)**',
    '```',
    expect.stringContaining('error C2065'),
    '```',
    '**Suspect:** [184467](https://goldmaster.example/projects/7/changes/9) by @kim.sato: changed Source/Dragon.cpp',
    expect.stringMatching(/^\[Open\]\(.*\) · \[Claim\]\(.*\) · \[Mute\]\(.*\)$/),
  ])
  expect(attachments[0].fields.map(({ title }: { title: string }) => title)).toEqual(['Jobs', 'Since', 'Owner'])
})

test('nobody can have the name of a group mention', () => {
  for (const vendor of [mattermost, rocketchat])
    for (const id of ['here', 'all']) expect(JSON.parse(vendor.post(TO, postOf({}, { 1: id }), false).body!).text).toBe('')
})

test.each([
  [200, 'ok', { kind: 'sent', reference: '' }],
  [
    400,
    { id: 'web.incoming_webhook.invalid.app_error' },
    { kind: 'gone', why: expect.stringContaining('Create a new incoming webhook') },
  ],
  [501, { id: 'web.incoming_webhook.disabled.app_error' }, { kind: 'gone', why: expect.stringContaining('Ask its admin') }],
  [403, { id: 'web.incoming_webhook.permissions.app_error' }, { kind: 'gone' }],
  [404, { id: 'web.incoming_webhook.channel.app_error' }, { kind: 'gone' }],
  [
    400,
    { id: 'web.incoming_webhook.text.app_error' },
    { kind: 'refused', why: 'Mattermost answered web.incoming_webhook.text.app_error.' },
  ],
  [400, '<html>', { kind: 'refused' }],
  [500, { id: 'app.channel.get.find.app_error' }, { kind: 'later' }],
])('Mattermost: %i %j', (status, body, outcome) => {
  expect(mattermost.read(reply(status, body))).toMatchObject(outcome)
})

const DELETED = { success: false, error: 'Invalid integration id or token provided.' }
const TOO_MANY = 'Error, too many requests. Please slow down. You must wait 52 seconds before trying this endpoint again.'

test.each([
  [200, { success: true }, { kind: 'sent', reference: '' }],
  [404, DELETED, { kind: 'gone', why: expect.stringContaining('Create a new incoming integration') }],
  [400, DELETED, { kind: 'gone' }],
  [400, { success: false, error: 'invalid-channel' }, { kind: 'gone', of: 'room' }],
  [400, { success: false, error: 'error-message-size-exceeded' }, { kind: 'refused' }],
  [200, { success: false, error: 'unknown-error' }, { kind: 'refused' }],
  [429, { success: false, error: TOO_MANY }, { kind: 'later', seconds: 52 }],
  [503, { success: false, error: 'Service Unavailable' }, { kind: 'later', seconds: 0 }],
])('Rocket.Chat: %i %j', (status, body, outcome) => {
  expect(rocketchat.read(reply(status, body))).toMatchObject(outcome)
})
