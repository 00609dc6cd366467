import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { BAKER_LOG, bakerRule } from '../../../test/support/studios/baker-rule.ts'
import { until } from '../../../test/support/until.ts'

const PASSWORD = 'a long enough password'
const { examples: _, ...withoutExamples } = bakerRule
const written = { ...withoutExamples, fix: 'Bake {file} again.' }
const rule = { ...written, block: { more: '^  hint: ', max: 3 }, examples: [{ log: BAKER_LOG, line: 2, file: 'Sky.map' }] }

let studio: Studio
let lead: Visitor
let member: Visitor
let rival: Visitor
let place: string
beforeAll(async () => {
  const person = (key: string, accounts: object) => ({
    key,
    email: `${key}@example.com`,
    name: key,
    password: PASSWORD,
    accounts,
  })
  studio = await openStudio({
    accounts: ['owl', 'fox'].map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
    users: [person('lead', { owl: 'owner' }), person('member', { owl: 'member' }), person('rival', { fox: 'owner' })],
    projects: [{ key: 'star', account: 'owl', name: 'Star', members: { member: 'owner' } }],
  })
  ;[lead, member, rival] = (await Promise.all(
    ['lead', 'member', 'rival'].map((key) => signIn(studio, `${key}@example.com`, PASSWORD)),
  )) as [Visitor, Visitor, Visitor]
  place = `/accounts/${studio.world.accounts.owl!.id}/failure_rules`
})
afterAll(() => studio.close())

const send = (method: string, path: string, body?: object, who = lead) => who.app(`${place}${path}`, { method, body })
const listed = async () => (await lead.app(place)).json.failure_rules

describe('trying a rule', () => {
  const attempt = (given: object, log = BAKER_LOG, who = lead) => send('POST', '/try', { rule: given, log }, who)

  test('shows the matching lines and the resulting finding, and stores nothing', async () => {
    const { status, json } = await attempt(written)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      line: 2,
      matched: [{ line: 2, text: 'BAKE-17 Maps/Sky.map: no lightmap' }],
      finding: {
        rule_id: written.id,
        category: 'cook_asset_error',
        diagnosis: expect.stringContaining('no lightmap'),
        suggested_fix: 'Bake Maps/Sky.map again.',
      },
    })
    expect(await listed()).toEqual([])
  })

  test('reports that nothing matches, or that another rule has a higher confidence', async () => {
    expect((await attempt({ ...written, need: ['BOIL-'] })).json).toMatchObject({ line: null, matched: [] })
    const weak = (await attempt({ ...written, score: 1 })).json
    expect(weak).toMatchObject({ line: 2, finding: { category: 'compile_error' } })
    expect(weak.finding.rule_id).not.toBe(written.id)
  })

  test('shows the lines that noise rules would hide', async () => {
    const { json } = await attempt({ ...written, role: 'noise' })
    expect(json).toMatchObject({ line: 2, matched: [{ line: 2 }], finding: { category: 'compile_error' } })
  })

  test('reduces addresses', async () => {
    const { json } = await attempt(written, 'BAKE-1 a.map: ask kim@example.com')
    expect(json.matched).toEqual([{ line: 1, text: 'BAKE-1 a.map: ask kim' }])
  })

  test.each([
    ['a broken pattern', { match: '(' }, /^match is no regular expression/],
    ['a pattern that is too large', { match: '(?:abcdefghij){1000}' }, /^match is too large/],
    ['a pattern that looks behind', { match: '(?<=a)b' }, /^match must not look ahead or behind/],
    ['an unknown group', { match: '(?<who>a)' }, /^match names a group/],
    ['an unknown category', { category: 'bad_luck' }, /^category must be one of/],
    ['a short literal', { need: ['ab'] }, /^need\[0\] must have 3 to 100 characters/],
    ['an unknown field', { colour: 'red' }, /^colour is not known here/],
  ])('rejects %s with one line that names the field, and so does adding it', async (_, wrong, message) => {
    for (const { status, json } of [await attempt({ ...written, ...wrong }), await send('POST', '', { ...rule, ...wrong })])
      expect([status, json.error, json.message]).toEqual([422, 'invalid_parameter', expect.stringMatching(message)])
    expect(await listed()).toEqual([])
  })

  test('does not block the service, however slow the pattern is', async () => {
    // The service runs in this process: a blocked thread would delay our timers.
    let rounds = 0
    const timer = setInterval(() => rounds++, 5)
    expect((await attempt({ ...written, match: '.{0,1000}'.repeat(50) })).status).toBe(422)
    clearInterval(timer)
    expect(rounds).toBeGreaterThan(20)
  })

  /** `(a?(b?(c?)?)?)?` with this many levels. */
  const nested = (levels: number): string =>
    `${Array.from({ length: levels }, (_, n) => `(${String.fromCharCode(97 + (n % 26))}?`).join('')}${')?'.repeat(levels)}`

  test.each([
    ['90 levels', nested(90), 'BAKE-\n'.repeat(3_000)],
    ['30 times 30', '((a?){30}){30}', `BAKE-${'a'.repeat(30)}\n`.repeat(500)],
    ['a group that is repeated 100 times', `${nested(4).slice(0, -1)}{0,100}`, 'BAKE-\n'.repeat(3_000)],
    ['a named group', '(?<msg>(?:a?(?:b?(?:c?)?)?){0,300})$', `BAKE-${'abc'.repeat(600)}\n`.repeat(10)],
  ])('handles nested optionals, %s, with a result or an error', async (_, match, log) => {
    const { status, json } = await attempt({ ...written, match }, log)
    if (status !== 200) expect([status, json.message]).toEqual([422, 'match takes too long on this log: repeat and nest less.'])
  })

  test('runs three of 30 slow trials of one account at once and refuses the others with 429', async () => {
    const slow = { rule: { ...written, match: '((a?){30}){30}' }, log: 'BAKE-\n'.repeat(3_000) }
    const statuses: number[] = []
    const all = Array.from({ length: 30 }, async () => statuses.push((await send('POST', '/try', slow)).status))
    await until(() => statuses.length >= 27)
    expect(statuses.every((status) => status === 429)).toBe(true)
    const theirs = `/accounts/${studio.world.accounts.fox!.id}/failure_rules/try`
    const other = rival.app(theirs, { method: 'POST', body: { rule: written, log: BAKER_LOG } })
    await Promise.all(all)
    expect(statuses.filter((status) => ![200, 422, 429].includes(status))).toEqual([])
    // At most three trials of others are ahead of another account; with more it gets a 429.
    expect([200, 429]).toContain((await other).status)
  })
})

describe('a rule', () => {
  test('is added as a whole, once per id', async () => {
    const made = await send('POST', '', rule)
    expect([made.status, made.json.definition]).toEqual([201, rule])
    expect(await send('POST', '', { ...rule, score: 1 })).toMatchObject({
      status: 422,
      json: { message: 'id is taken: baker.missing-lightmap.' },
    })
    expect(await listed()).toMatchObject([{ rule_id: rule.id, replaces_ours: false, definition: rule }])
  })

  test('is edited under its id', async () => {
    const edited = { ...rule, category: 'license_seat' }
    expect(await send('PUT', `/${rule.id}`, edited)).toMatchObject({ status: 200, json: { definition: edited } })
    const renamed = await send('PUT', `/${rule.id}`, { ...rule, id: 'baker.other' })
    expect([renamed.status, renamed.json.message]).toEqual([422, 'id cannot change; it is baker.missing-lightmap.'])
    const unproven = await send('PUT', `/${rule.id}`, { ...rule, examples: [{ log: BAKER_LOG, line: 3 }] })
    expect([unproven.status, unproven.json.message]).toEqual([422, 'examples[0].line is 3, but the rule finds line 2.'])
    expect((await send('PUT', '/baker.absent', rule)).status).toBe(404)
    expect(await listed()).toMatchObject([{ definition: edited }])
  })

  test('is visible to members and editable only by owners of the account, not by project leads', async () => {
    expect((await member.app(place)).json.failure_rules).toHaveLength(1)
    for (const [method, path, body] of [
      ['POST', '', rule],
      ['PUT', `/${rule.id}`, rule],
      ['DELETE', `/${rule.id}`, undefined],
      ['POST', '/try', { rule: written, log: BAKER_LOG }],
    ] as const) {
      expect(await send(method, path, body, member)).toMatchObject({ status: 403, json: { error: 'insufficient_role' } })
      expect((await send(method, path, body, rival)).status).toBe(404)
    }
    const theirs = `/accounts/${studio.world.accounts.fox!.id}/failure_rules`
    expect((await rival.app(theirs)).json.failure_rules).toEqual([])
    expect((await rival.app(`${theirs}/${rule.id}`, { method: 'DELETE' })).status).toBe(404)
  })

  test('is removed once', async () => {
    expect((await send('DELETE', `/${rule.id}`)).status).toBe(200)
    expect((await send('DELETE', `/${rule.id}`)).status).toBe(404)
    expect(await listed()).toEqual([])
  })
})
