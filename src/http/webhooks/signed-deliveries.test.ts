import { createHmac } from 'node:crypto'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admin } from '../../../test/support/admin.ts'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { type Answer, openStudio, type Studio } from '../../../test/support/studio.ts'
import { PROVIDERS } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import { providers } from '../../intake/providers/index.ts'
import { unsignedPaths } from '../../intake/unsigned-paths.ts'
import { exportWorld } from '../../world/export.ts'
import { loadWorld } from '../../world/world.ts'

/** An attacker who knows a webhook token, but not the signing secret, against integrations that accept only signed deliveries. */

const SECRET = 'shared with the sender'
const PASSWORD = 'a long enough password'

let studio: Studio
let lead: Visitor
let place: string
beforeAll(async () => {
  const integration = (provider: string, key: string, more: object) => ({
    key: `${key} ${provider}`,
    project: 'star',
    provider,
    ...more,
  })
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Star' }],
    integrations: PROVIDERS.flatMap((provider) => [
      integration(provider, 'strict', { signing_secret: SECRET, requires_signature: true }),
      integration(provider, 'lax', { signing_secret: SECRET }),
      integration(provider, 'locked', { requires_signature: true }),
    ]),
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
  place = `/projects/${studio.world.projects.star!.id}`
})
afterAll(() => studio.close())

const tokenOf = (key: string) => studio.world.integrations[key]!.webhook_token
const signature = (text: string, secret = SECRET) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`

const post = (
  key: string,
  path: string,
  raw: string | Buffer<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  studio.ask(`/webhooks/${path}${path.includes('?') ? '&' : '?'}token=${tokenOf(key)}`, {
    method: 'POST',
    raw,
    headers: { 'content-type': 'application/json', 'x-github-event': 'push', 'x-gitea-event': 'push', ...headers },
  })

const everyPath = PROVIDERS.flatMap((provider) =>
  [...providers[provider].paths, ...(providers[provider].logPaths ?? [])].map((path) => ({ provider, path })),
)

/** Every signature header of any tool. */
const forged = (text: string): Record<string, string> => {
  const hex = createHmac('sha256', 'guessed').update(text).digest('hex')
  const seconds = String(Math.floor(Date.now() / 1000))
  return {
    'x-webhook-signature': `sha256=${hex}`,
    'x-jenkins-signature': `sha256=${hex}`,
    'x-hub-signature-256': `sha256=${hex}`,
    'x-hub-signature': `sha256=${hex}`,
    'x-apple-signature': `hmacsha256=${hex}`,
    'x-unitycloudbuild-signature': hex,
    'x-hook-signature': hex,
    'linear-signature': hex,
    'x-trello-webhook': hex,
    'x-buildkite-signature': `timestamp=${seconds},signature=${hex}`,
    'webhook-id': '1',
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${hex}`,
    'x-gitlab-token': 'guessed',
    'x-gitea-signature': hex,
    'x-forgejo-signature': hex,
    authorization: 'Bearer a.b.c',
  }
}

describe.each(everyPath)('/webhooks/$path', ({ provider, path }) => {
  const body = JSON.stringify({ job_name: 'night', build_number: 1, status: 'SUCCESS', changelist: 7, platform: 'steam' })

  test('refuses the token alone, and any signature by another secret, where only signed deliveries are accepted', async () => {
    for (const key of ['strict', 'locked'])
      for (const headers of [{}, forged(body), { 'x-webhook-signature': '' }, { 'x-webhook-signature': 'sha256=' }])
        expect(await post(`${key} ${provider}`, path, body, headers)).toMatchObject({
          status: 401,
          json: { error: 'unauthorized', message: expect.stringContaining('signature') },
        })
  })

  test('with the switch off accepts the token alone exactly where the integration page says so', async () => {
    const { status } = await post(`lax ${provider}`, path, body)
    expect(status === 401).toBe(!unsignedPaths(providers[provider]).includes(path))
  })
})

test('a refused delivery leaves only a line in the delivery log', async () => {
  const made = await studio.db.one(sql`
    select (select count(*) from build_runs b join integrations i on i.id = b.integration_id where i.requires_signature) as builds,
      (select count(*) from deliveries d join integrations i on i.id = d.integration_id where i.requires_signature and d.outcome <> 'failed') as taken`)
  expect(made).toEqual({ builds: 0, taken: 0 })
})

describe('a signed delivery', () => {
  test.each([
    ['jenkins', 'ci', { job_name: 'night', build_number: 1, status: 'STARTED' }, 200],
    ['jenkins', 'jenkins', { job_name: 'night', build_number: 2, status: 'STARTED' }, 200],
    ['jenkins', 'ci/commit_trigger', { job_name: 'night', commit: 'abcdef1' }, 200],
    ['jenkins', 'ci/build_notification', { name: 'night', build: { number: 3, phase: 'STARTED' } }, 200],
    ['deployment', 'deployment', { platform: 'steam', event: 'uploaded', build_number: 1 }, 200],
    ['game_engine', 'game_engine/cooking_started', { job_name: 'night', build_number: 1 }, 200],
    ['perforce', 'perforce', { changelist: 7 }, 202],
    ['lore', 'lore', { revision: 'aa', revision_number: 1, branch: 'main', repository: 'game' }, 202],
  ])('of %s is accepted at %s', async (provider, path, body, status) => {
    // The second one may repeat what is known already.
    for (const [index, header] of ['x-webhook-signature', 'x-jenkins-signature'].entries()) {
      const text = JSON.stringify({ ...body, note: index })
      expect(await post(`strict ${provider}`, path, text, { [header]: signature(text) })).toMatchObject({
        status: index === 0 ? status : expect.toSatisfy((given: number) => given < 300),
      })
      expect((await post(`strict ${provider}`, path, `${text} `, { [header]: signature(text) })).status).toBe(401)
    }
  })

  test('with a wrong signature is refused even where none is required', async () => {
    const text = JSON.stringify({ job_name: 'night', build_number: 9, status: 'STARTED' })
    expect((await post('lax jenkins', 'ci', text, { 'x-webhook-signature': signature(text, 'guessed') })).status).toBe(401)
    expect((await post('lax jenkins', 'ci', text, { 'x-webhook-signature': signature(text) })).status).toBe(200)
  })
})

describe('a piece of a log', () => {
  const query = (number: string, offset = 0) => `job_name=streamed&build_number=${number}&offset=${offset}`
  const send = (asked: string, piece: string | Buffer<ArrayBuffer>, headers: Record<string, string>) =>
    studio.ask(`/webhooks/ci/log?${asked}`, {
      method: 'POST',
      raw: piece,
      headers: { 'content-type': 'text/plain', 'x-webhook-token': tokenOf('strict jenkins'), ...headers },
    })
  const sign = (asked: string, piece: string) => ({ 'x-webhook-signature': signature(`${asked}\n${piece}`) })

  beforeAll(async () => {
    for (const build_number of ['1', '2']) {
      const text = JSON.stringify({ job_name: 'streamed', build_number, status: 'STARTED' })
      await post('strict jenkins', 'ci', text, { 'x-webhook-signature': signature(text) })
    }
  })

  test('is accepted with a signature over its query and its bytes', async () => {
    expect((await send(query('1'), 'Compiling\n', sign(query('1'), 'Compiling\n'))).json).toMatchObject({
      status: 'appended',
      offset: 10,
    })
  })

  test('is refused with a signature for another build, offset or text, or for a report', async () => {
    const signed = sign(query('1', 10), 'Linking\n')
    expect((await send(query('2', 10), 'Linking\n', signed)).status).toBe(401)
    expect((await send(query('1', 0), 'Linking\n', signed)).status).toBe(401)
    expect((await send(query('1', 10), 'Leaking\n', signed)).status).toBe(401)
    expect((await send(query('1', 10), 'Linking\n', { 'x-webhook-signature': signature('Linking\n') })).status).toBe(401)
    expect((await send(query('1', 10), 'Linking\n', signed)).status).toBe(200)
  })

  test('is not decompressed before its signature is verified', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    expect((await send(query('1'), bomb as Buffer<ArrayBuffer>, { 'content-encoding': 'gzip' })).status).toBe(401)
  })
})

describe('the switch', () => {
  const create = (body: object) => lead.app(`${place}/integrations`, { method: 'POST', body })
  const edit = (id: number, body: object) => lead.app(`${place}/integrations/${id}`, { method: 'PATCH', body })

  test('is on for integrations created with a secret, unless the creator turns it off', async () => {
    expect((await create({ provider: 'jenkins', signing_secret: SECRET })).json.requires_signature).toBe(true)
    expect(
      (await create({ provider: 'jenkins', signing_secret: SECRET, requires_signature: false })).json.requires_signature,
    ).toBe(false)
    expect((await create({ provider: 'jenkins' })).json.requires_signature).toBe(false)
    expect((await create({ provider: 'jenkins', requires_signature: true })).status).toBe(422)
    const run = (...more: string[]) =>
      admin(
        { db: studio.db, vault: studio.service.vault },
        'integration',
        'add',
        '--json',
        '--provider',
        'jenkins',
        '--project',
        String(studio.world.projects.star!.id),
        ...more,
      )
    expect(JSON.parse(await run('--secret', SECRET)).requires_signature).toBe(true)
    expect(JSON.parse(await run('--secret', SECRET, '--allow-unsigned')).requires_signature).toBe(false)
    expect(JSON.parse(await run()).requires_signature).toBe(false)
  })

  test('needs a secret, which cannot be removed while the switch is on', async () => {
    const { id } = (await create({ provider: 'jenkins' })).json
    expect((await edit(id, { requires_signature: true })).status).toBe(422)
    expect((await edit(id, { signing_secrets: [SECRET], requires_signature: true })).json).toMatchObject({
      secrets: 1,
      requires_signature: true,
    })
    expect((await edit(id, { signing_secrets: [] })).status).toBe(422)
    expect((await lead.app(`${place}/integrations/${id}`)).json).toMatchObject({ secrets: 1, requires_signature: true })
    expect((await edit(id, { signing_secrets: [], requires_signature: false })).json).toMatchObject({
      secrets: 0,
      requires_signature: false,
    })
  })

  test('can be set by operators, and its changes are in the audit log', async () => {
    const { id } = (await create({ provider: 'jenkins', signing_secret: SECRET })).json
    const run = (...words: string[]) => admin({ db: studio.db, vault: studio.service.vault }, 'integration', ...words, '--json')
    expect(JSON.parse(await run('require-signature', String(id), '--off')).requires_signature).toBe(false)
    expect(JSON.parse(await run('require-signature', String(id))).requires_signature).toBe(true)
    expect(JSON.parse(await run('secret', String(id), '--clear'))).toMatchObject({ secrets: 0, requires_signature: false })
    await edit(id, { signing_secrets: [SECRET], requires_signature: true })
    const { entries } = (await lead.app(`/accounts/${studio.world.accounts.owl!.id}/audit_log`)).json
    expect(entries.slice(0, 4)).toMatchObject([
      {
        action: 'editIntegration',
        before: { requires_signature: false, secrets: 0 },
        after: { requires_signature: true, secrets: 1 },
      },
      { action: 'admin integration secret', after: { requires_signature: false, secrets: 0 } },
      {
        action: 'admin integration require-signature',
        before: { requires_signature: false },
        after: { requires_signature: true },
      },
      {
        action: 'admin integration require-signature',
        before: { requires_signature: true },
        after: { requires_signature: false },
      },
    ])
  })

  test('is part of an export', async () => {
    let file = ''
    await exportWorld(
      studio.db,
      { account_id: studio.world.accounts.owl!.id },
      { vault: studio.service.vault, audience: 'operator' },
      async (text) => {
        file += text
      },
    )
    await loadWorld(studio.db, Readable.from([file]), { vault: studio.service.vault })
    const count = await studio.db.rows<{ strict: number; lax: number }>(sql`
      select count(*) filter (where i.requires_signature) as strict, count(*) filter (where not i.requires_signature) as lax
      from integrations i join projects p on p.id = i.project_id group by p.account_id order by p.account_id`)
    expect(count).toHaveLength(2)
    expect(count[1]).toEqual(count[0])
  })
})

test('a delivery refused for its signature cannot be replayed while the integration accepts only signed ones', async () => {
  const text = JSON.stringify({ job_name: 'forged', build_number: 1, status: 'SUCCESS' })
  const { delivery_id } = (await post('strict jenkins', 'ci', text)).json
  expect((await lead.app(`${place}/deliveries/${delivery_id}/replay`, { method: 'POST' })).status).toBe(401)
  expect(await studio.db.rows(sql`select from build_runs where ci_job_name = 'forged'`)).toEqual([])
})

test('the reply for the integration page lists the paths that accept the token alone', async () => {
  const { providers } = (await lead.app('/providers')).json
  const unsigned = (name: string) => providers.find((one: { name: string }) => one.name === name).unsigned_paths
  expect(unsigned('jenkins')).toEqual(['jenkins', 'jenkins/commit_trigger', 'ci', 'ci/commit_trigger', 'jenkins/log', 'ci/log'])
  expect(unsigned('deployment')).toEqual(['deployment'])
  expect(unsigned('github')).toEqual([])
  expect(unsigned('buildkite')).toEqual([])
})
