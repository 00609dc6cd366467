import { expect, test } from 'vitest'
import { postOf } from '../../../../test/support/chat/announcements.ts'
import { slack } from './slack.ts'
import { slackWebhook } from './slack-webhook.ts'

const read = (status: number, body: string) => slackWebhook.read({ status, headers: {}, body })

test('a Slack webhook sends the same as the bot, only to the URL', () => {
  const { url, body } = slackWebhook.post({ room: '', secret: 'https://hooks.slack.com/services/T/B/x' }, postOf(), false)
  const { channel, metadata, parse, ...message } = JSON.parse(slack.post({ room: 'C1', secret: '' }, postOf(), false).body!)
  expect(url).toBe('https://hooks.slack.com/services/T/B/x')
  expect(JSON.parse(body!)).toEqual(message)
})

test('a plain ok, and any other 2xx, was accepted: it must not be sent again', () => {
  for (const [status, body] of [
    [200, 'ok'],
    [200, ''],
    [204, ''],
    [200, '<html>'],
    [200, '{"ok":true}'],
  ] as const)
    expect(read(status, body)).toEqual({ kind: 'sent', reference: '' })
})

test.each([
  [400, 'invalid_payload', { kind: 'refused' }],
  [400, 'no_text', { kind: 'refused' }],
  [400, 'user_not_found', { kind: 'gone' }],
  [403, 'action_prohibited', { kind: 'gone' }],
  [403, 'invalid_token', { kind: 'gone', why: expect.stringContaining('Create a new incoming webhook') }],
  [404, 'channel_not_found', { kind: 'gone' }],
  [404, 'no_service', { kind: 'gone', why: expect.stringContaining('Create a new incoming webhook') }],
  [404, 'no_team', { kind: 'gone' }],
  [410, 'channel_is_archived', { kind: 'gone' }],
  [500, 'rollup_error', { kind: 'later' }],
  [413, 'too large', { kind: 'refused' }],
  [200, '{"ok":false,"error":"invalid_token"}', { kind: 'gone' }],
  [200, '{"ok":false,"error":"other"}', { kind: 'refused' }],
])('%i %s', (status, body, outcome) => {
  expect(read(status, body)).toMatchObject(outcome)
})
