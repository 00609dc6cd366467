import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'

const PASSWORD = 'a long enough password'
const LOG = 'Cooking T_Crate.uasset\n'.repeat(5_000)
let studio: Studio
let lead: Visitor
let path: string
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', payment_method: true }],
    users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Star' }],
    tokens: [{ key: 'some', user: 'lead', name: 'some', scopes: ['read:builds'] }],
    build_runs: [{ key: 'red', project: 'star', status: 'failed', output_log: LOG }],
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
  path = `/v1/projects/${studio.world.projects.star!.id}/build_runs/${studio.world.build_runs.red!.id}`
})
afterAll(() => studio.close())

/** The raw bytes: fetch would decompress them. */
const bytesOf = (url: string, headers: Record<string, string>) =>
  new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    request(`${studio.site}${url}`, { headers }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({ headers: response.headers, body: Buffer.concat(chunks) })
    })
      .on('error', reject)
      .end()
  })

test('a log is sent compressed to the web app if the browser supports it', async () => {
  const cookie = lead.cookie
  const packed = await bytesOf(`/app/api${path}/log`, { cookie, 'accept-encoding': 'gzip, br' })
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  expect(packed.body.length).toBeLessThan(LOG.length / 10)
  expect(gunzipSync(packed.body).toString()).toBe(LOG)
  const plain = await bytesOf(`/app/api${path}/log`, { cookie })
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(plain.body.toString()).toBe(LOG)
})

test('short responses, and those for programs, are not compressed', async () => {
  const short = await bytesOf(`/app/api${path}`, { cookie: lead.cookie, 'accept-encoding': 'gzip' })
  expect(short.headers['content-encoding']).toBeUndefined()
  const authorization = `Bearer ${studio.world.tokens.some!.token}`
  const asked = await bytesOf(`/api${path}/log`, { authorization, 'accept-encoding': 'gzip' })
  expect(asked.headers['content-encoding']).toBeUndefined()
  expect(asked.body.toString()).toBe(LOG)
})

test('the response to a write is not compressed, however long', async () => {
  const description = 'Cooking.'.repeat(1_000)
  const { status, headers, json } = await lead.app(`/projects/${studio.world.projects.star!.id}/tasks`, {
    method: 'POST',
    headers: { 'accept-encoding': 'gzip' },
    body: { task: { title: 'Cook', description } },
  })
  expect([status < 300, json.description, headers.get('content-encoding')]).toEqual([true, description, null])
})
