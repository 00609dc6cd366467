import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ADA, anyAnnouncement, HOSTILE, KIM, largest, postOf } from '../../../../test/support/chat/announcements.ts'
import { judgeMattermost, judgeRocketChat } from '../../../../test/support/chat/attachment-rules.ts'
import { judgeDiscord } from '../../../../test/support/chat/discord-rules.ts'
import { judgeSlack } from '../../../../test/support/chat/slack-rules.ts'
import { judgeTeams } from '../../../../test/support/chat/teams-rules.ts'
import type { Judge } from '../../../../test/support/chat/verdict.ts'
import { CHANNEL_KIND_TABLE, CHANNEL_KINDS, type ChannelKind } from '../../../contract/channels.ts'
import type { Post } from '../vendor.ts'
import { VENDORS } from './vendors.ts'

const JUDGES: Record<ChannelKind, { judge: Judge; idOf(userId: number): string; here: string[] }> = {
  slack: { judge: judgeSlack, idOf: (id) => `U0${id}`, here: ['here'] },
  slack_webhook: { judge: judgeSlack, idOf: (id) => `U0${id}`, here: ['here'] },
  discord: { judge: judgeDiscord, idOf: (id) => `10000${id}`, here: ['here'] },
  teams: { judge: judgeTeams, idOf: (id) => `person${id}@owl.example`, here: [] },
  mattermost: { judge: judgeMattermost, idOf: (id) => `person${id}`, here: ['here'] },
  rocketchat: { judge: judgeRocketChat, idOf: (id) => `person${id}`, here: ['here'] },
}
const TO = { room: 'C012AB', secret: 'https://chat.example/hooks/1/s3cret' }

describe.each(CHANNEL_KINDS)('%s', (kind) => {
  const vendor = VENDORS[kind]
  const { judge, idOf, here } = JUDGES[kind]
  const verdictOf = (post: Post, plain: boolean, edited = false) => {
    const { body } = edited ? vendor.edit!(TO, post, 'C012AB 1.2', plain) : vendor.post(TO, post, plain)
    return judge(JSON.parse(body!), Buffer.byteLength(body!))
  }
  const everyWay = [false, true].flatMap((plain) =>
    (vendor.edit ? [false, true] : [false]).map((edited) => [plain, edited] as const),
  )
  const known = (announcement: Partial<Post['announcement']>): Post => ({
    ...postOf(announcement),
    chatIdOf: ({ user_id }) => (user_id % 3 === 0 ? undefined : idOf(user_id)),
  })

  test('edits exactly if its kind says so', () => {
    expect(vendor.edit !== undefined).toBe(CHANNEL_KIND_TABLE[kind].edits)
  })

  test('keeps every limit and mentions only the given people, whatever the content', () => {
    fc.assert(
      fc.property(anyAnnouncement, (announcement) => {
        const post = known(announcement)
        const mayPing = [
          ...(announcement.here ? here : []),
          ...announcement.mentions.filter(({ user_id }) => user_id % 3).map(({ user_id }) => idOf(user_id)),
        ]
        for (const [plain, edited] of everyWay) {
          const { violations, pings } = verdictOf(post, plain, edited)
          expect(violations).toEqual([])
          expect(mayPing).toEqual(expect.arrayContaining(pings))
        }
      }),
      { seed: 41, numRuns: 150 },
    )
  })

  test.each(['漢', '"', '<', '&', '*', '@', '😀', '|', '\\'])('keeps every limit with everything full of %s', (character) => {
    for (const [plain, edited] of everyWay) expect(verdictOf(known(largest(character)), plain, edited).violations).toEqual([])
  })

  test('a branch or a person with the name of a mention notifies nobody', () => {
    for (const name of HOSTILE) {
      const post = known({
        title: name,
        facts: [{ label: 'Branch', value: name }],
        mentions: [{ user_id: 3, name }],
        evidence: name,
      })
      for (const [plain, edited] of everyWay) expect(verdictOf(post, plain, edited)).toMatchObject({ violations: [], pings: [] })
    }
  })

  test('names and paths are written without look-alike characters, so that search finds them', () => {
    const names = ['TArray<int>', 'snake_case', 'std::vector<Foo*>', '{x}', 'a@b', '`Fire`', 'a|b', '# 1', '~Hero', '__init__']
    for (const name of names) {
      const { text } = verdictOf(
        known({ title: name, facts: [{ label: 'Branch', value: name }], evidence: name, links: [], mentions: [] }),
        false,
      )
      expect(text.replaceAll('\\', '').split(name).length - 1).toBeGreaterThanOrEqual(3)
      expect(text).not.toMatch(/[\u200b∗ˍ∼ˋ∣]/)
    }
  })

  test('an author without a matching member is named as in the tool, and a direct message says "your change"', () => {
    const suspect = { change: 'CL 1204', url: '', reason: 'touches Roll.cpp' }
    const unmapped = verdictOf(known({ mentions: [], suspect: { ...suspect, author: 'rock.artist' } }), false)
    expect(unmapped.text.replaceAll('\\', '')).toContain('CL 1204 by rock.artist: touches Roll.cpp')
    expect(unmapped.pings).toEqual([])
    const own = verdictOf({ ...known({ mentions: [], suspect: { ...suspect, person: KIM } }), reader: KIM.user_id }, false)
    expect(own.text).toContain('your change CL 1204: touches Roll.cpp')
  })

  test('mentions the given people, and everybody present only if a rule says so', () => {
    const { pings } = verdictOf(known({ mentions: [KIM], here: false }), false)
    expect([...new Set(pings)]).toEqual([idOf(KIM.user_id)])
    const { pings: all } = verdictOf(known({ mentions: [], here: true }), false)
    expect(all).toEqual(here)
  })

  test('a person without a mention is shown by name', () => {
    const { text, pings } = verdictOf(known({ mentions: [], suspect: { change: '9', url: '', person: KIM, reason: 'x' } }), false)
    expect(pings).toEqual([])
    expect(text).toContain('Kim Sato')
    expect(text).toContain(ADA.name)
  })

  test('two people with one id are mentioned once', () => {
    const post = { ...postOf({ mentions: [KIM, ADA] }), chatIdOf: () => idOf(7) }
    expect(verdictOf(post, false)).toMatchObject({ violations: [], pings: [idOf(7)] })
  })

  test('an invalid id of this vendor mentions nobody', () => {
    for (const id of ['!channel', '@here', 'U1> <!channel', '1> @everyone', ''])
      expect(verdictOf({ ...postOf({ mentions: [ADA] }), chatIdOf: () => id }, true)).toMatchObject({ violations: [], pings: [] })
  })

  test('shows what broke, where, since when, why and what to do', () => {
    const { text } = verdictOf(known({}), false)
    for (const part of [
      'Compile error on main',
      'Editor Win64, Game PS5',
      '09:14',
      'Dragon.cpp(42): error C2065',
      '184467',
      'changed',
    ])
      expect(text).toContain(part)
    for (const action of ['Open', 'Claim', 'Mute']) expect(text).toContain(`do=${action}`)
    expect(text).toContain('/projects/7/changes/9')
  })

  test('a plain message is the title, its link and the mentions', () => {
    const { text } = verdictOf(known({}), true)
    expect(text).toContain('Compile error on main')
    expect(text).toContain('/breakages/41')
    expect(text).not.toContain('error C2065')
  })

  test('never shows its secret in the description of a reply', () => {
    const bodies = [
      '',
      '<html>/hooks/1/s3cret not found</html>',
      '{"message":"Cannot POST /hooks/1/s3cret"}',
      '{"error":"s3cret gone"}',
    ]
    for (const status of [200, 301, 400, 401, 403, 404, 405, 410, 413, 429, 500, 502, 503, 504])
      for (const body of bodies) expect(JSON.stringify(vendor.read({ status, headers: {}, body }))).not.toContain('s3cret')
  })

  test('waits as long as requested, retries after an outage, and does not trust a gateway timeout', () => {
    const read = (status: number, headers = {}) => vendor.read({ status, headers, body: '' })
    expect(read(429, { 'retry-after': '30' })).toMatchObject({ kind: 'later', seconds: 30 })
    expect(read(429, { 'retry-after': new Date(Date.now() - 9000).toUTCString() })).toMatchObject({ kind: 'later', seconds: 0 })
    expect(read(429, { 'retry-after': '1e99' })).toMatchObject({ kind: 'later', seconds: 86_400 })
    expect(read(503, { 'retry-after': '7' })).toMatchObject({ kind: 'later', seconds: 7 })
    for (const status of [500, 502]) expect(read(status)).toMatchObject({ kind: 'later', seconds: 0 })
    expect(read(504)).toMatchObject({ kind: 'unknown' })
  })
})
