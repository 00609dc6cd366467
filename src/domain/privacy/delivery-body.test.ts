import { describe, expect, test } from 'vitest'
import { workOf } from '../../../test/support/work.ts'
import { isSecretName, shownBody } from './delivery-body.ts'

const show = (body: string, type = 'application/json') => shownBody(Buffer.from(body), type)

describe('a body that is shown', () => {
  test('has no addresses and no secrets, at any depth and in any spelling', () => {
    const body = {
      token: 'abc',
      author: { email: 'kim@example.com', apiToken: 'def' },
      commits: [
        { message: 'Fix, asked by lee@example.com', Webhook_Secret: ['ghi'], url: 'https://x.example/?a=1&token=jkl&b=2' },
      ],
      'kim@example.com': 1,
      'X-Api-Key': 'mno',
      password: null,
    }
    const shown = show(JSON.stringify(body))
    expect(shown).not.toMatch(/example\.com|abc|def|ghi|jkl|mno/)
    expect(JSON.parse(shown)).toMatchObject({ token: '[removed]', author: { email: 'kim' }, password: null, kim: 1 })
    expect(shown).toContain('?a=1&token=[secret]&b=2')
  })

  test('keeps words that only sound like a secret', () => {
    for (const name of ['key', 'issue_key', 'tokens_used', 'secretary', 'keys_url', 'password_url'])
      expect(isSecretName(name), name).toBe(false)
  })

  test('may be a form that contains JSON', () => {
    const payload = encodeURIComponent(JSON.stringify({ secret: 'abc', mail: 'kim@example.com' }))
    expect(show(`changelist=7&token=def&payload=${payload}`, 'application/x-www-form-urlencoded')).toBe(
      'changelist=7\ntoken=[removed]\npayload={"secret":"[removed]","mail":"kim"}',
    )
  })

  test('may be lines, broken JSON, or plain text', () => {
    expect(show('{"token":"abc"}\n{"user":"kim@example.com"}\n')).toBe('{"token":"[removed]"}\n{"user":"kim"}')
    expect(show('{"token": "abc", "log": "a "quote" by kim@example.com')).not.toMatch(/abc|example\.com/)
    expect(show('X-Service-Token: abcdef123\nkim@example.com', 'text/plain')).toBe('X-Service-Token: [secret]\nkim')
  })

  test('of 25 MB is shown by its beginning, scrubbed like any other', () => {
    const body = { apiKey: 'abc "def', mail: 'kim\u0040example.com', log: 'x'.repeat(25_000_000) }
    const text = JSON.stringify(body).replace('@', '\\u0040')
    let shown = ''
    expect(workOf(() => (shown = show(text)))).toBeLessThan(1_500)
    expect(shown.slice(0, 100)).toMatch(/^\{"apiKey":"\[secret\]","mail":"kim","log":"xxx/)
  })

  test('of hostile megabytes is shown within moments', () => {
    for (const hostile of [
      '"'.repeat(2_000_000),
      '"token'.repeat(300_000),
      '?token='.repeat(300_000),
      'a'.repeat(2_000_000),
      '"token"  :'.repeat(200_000),
    ])
      expect(
        workOf(() => show(hostile)),
        hostile.slice(0, 12),
      ).toBeLessThan(1_500)
  })
})
