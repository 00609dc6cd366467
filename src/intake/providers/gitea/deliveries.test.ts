import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openProviderRoom, recorded } from '../../../../test/support/studios/provider-room.ts'
import { sql } from '../../../db/database.ts'

const SECRET = 'shared with Gitea'

let room: Awaited<ReturnType<typeof openProviderRoom>>
beforeAll(async () => {
  room = await openProviderRoom('gitea')
})
afterAll(() => room.close())

test('a push creates changes with their files', async () => {
  expect(await room.replay('push__multi')).toMatchObject({ status: 200, json: { status: 'processed' } })
  const { changes } = await room.api('changes?identifier=29be01c073851cf0db0c6a466e396b725a670453')
  expect(changes).toMatchObject([{ source_type: 'GitCommit', author: '6543', file_count: 1 }])
})

test('issues, pull requests and releases are recorded', async () => {
  for (const name of ['issues__opened', 'issues__closed', 'pull_request__merged_zulip', 'release__woodpecker'])
    await room.replay(name)
  expect(await room.references()).toMatchObject([
    { key: 'kostekIV/test#3', state: 'closed' },
    { key: 'kostekIV/test#4', state: 'merged' },
  ])
  const { deployments } = await room.api('deployments')
  expect(deployments).toMatchObject([{ store: 'gitea', track: 'release', status: 'live' }])
})

test('a secret in a body is not stored', async () => {
  const { body } = recorded('gitea', 'push__5_commits') as { body: object }
  const secret = 'sesame "open" \\'
  const text = JSON.stringify({ ...body, secret })
  const { webhook_token } = room.studio.world.integrations.tool!
  const post = (raw: string, type: string) =>
    room.studio.ask(`/webhooks/gitea?token=${webhook_token}`, {
      method: 'POST',
      raw,
      headers: { 'content-type': type, 'x-gitea-event': 'push' },
    })
  expect((await post(text, 'application/json')).status).toBe(200)
  expect((await post(new URLSearchParams({ payload: text }).toString(), 'application/x-www-form-urlencoded')).status).toBe(200)
  expect((await post(text.slice(0, -1), 'application/json')).status).toBe(422)
  const stored = await room.studio.db.rows<{ body: Buffer | null }>(sql`select body from deliveries where body is not null`)
  expect(stored.length).toBeGreaterThan(2)
  for (const { body } of stored) expect(decodeURIComponent(body!.toString())).not.toContain('sesame')
})

test('with a secret, only signed deliveries are accepted', async () => {
  const signed = await openProviderRoom('gitea', SECRET)
  try {
    const { body } = recorded('gitea', 'push__multi')
    const hex = createHmac('sha256', SECRET).update(JSON.stringify(body)).digest('hex')
    const send = (signature: string) => signed.send(body, { 'x-gitea-event': 'push', 'x-gitea-signature': signature })
    expect((await send('')).status).toBe(401)
    expect((await send(hex.replace(/^./, 'x'))).status).toBe(401)
    expect(await send(hex)).toMatchObject({ status: 200, json: { status: 'processed' } })
  } finally {
    await signed.close()
  }
})
