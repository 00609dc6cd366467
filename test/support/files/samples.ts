import { createHmac, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { PROVIDERS, SCOPES } from '../../../src/contract/sets.ts'
import { sql } from '../../../src/db/database.ts'
import type { DeliveryKey } from '../../../src/domain/integrations/deliveries.ts'
import { ingest } from '../../../src/intake/ingest.ts'
import { openStudio, type Studio, type StudioSettings } from '../studio.ts'
import { everyAnswer } from '../studios/every-record.ts'

/** A recorded delivery of a tool. */
export interface Sample {
  name: string
  path: string
  headers: Record<string, string>
  body: unknown
}

const PROVIDERS_FOLDER = new URL('../../../src/intake/providers/', import.meta.url)

/** Every recorded payload of the adapters. */
export const fixtures = (): Sample[] =>
  readdirSync(PROVIDERS_FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\/fixtures\/[^/]+(?<!\.facts)\.json$/.test(file))
    .map((file) => ({
      name: file.replace('/fixtures/', '/'),
      ...JSON.parse(readFileSync(new URL(file, PROVIDERS_FOLDER), 'utf8')),
    }))

const SECRET = 'shared with the tool'

export const openSamples = ({ password, ...settings }: StudioSettings & { password?: string } = {}): Promise<Studio> =>
  openStudio(
    {
      accounts: [{ key: 'owl', name: 'Night Owl', plan: 'studio' }],
      users: [{ key: 'kim', email: 'kim@owl.example', name: 'Kim', password, accounts: { owl: 'owner' } }],
      projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
      tokens: [{ key: 'all', user: 'kim', name: 'all', scopes: SCOPES }],
      integrations: PROVIDERS.map((provider) => ({
        key: provider,
        project: 'star',
        provider,
        ...(['buildkite', 'jenkins'].includes(provider) && { signing_secret: SECRET }),
      })),
    },
    settings,
  )

/** Headers of the original connection are dropped. */
const CONNECTION = /^(connection|host|content-length|accept-encoding|expect)$/i
const own = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !CONNECTION.test(name))
      .map(([name, value]) => [name, name === 'x-hook-secret' ? SECRET : value]),
  )

const hmac = (text: string) => createHmac('sha256', SECRET).update(text).digest('hex')

/** Creates a signature if the fixture's own cannot be valid. */
function signed(path: string, raw: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000)
  if (path === 'buildkite') return { 'x-buildkite-signature': `timestamp=${timestamp},signature=${hmac(`${timestamp}.${raw}`)}` }
  if (path === 'asana') return { 'x-hook-signature': hmac(raw) }
  return path.endsWith('build_notification') ? { 'x-jenkins-signature': `sha256=${hmac(raw)}` } : {}
}

/** Sends them all to their endpoints, runs the jobs after a 202, and returns the replies. */
export async function sendAll(studio: Studio, samples: Sample[]) {
  const answers = []
  for (const { name, path, headers, body } of samples) {
    const provider = path.split('/')[0]!.replace(/^ci$/, 'jenkins')
    const raw = JSON.stringify(body) ?? ''
    const token = studio.world.integrations![provider]!.webhook_token
    const { status, json, text } = await studio.ask(`/webhooks/${path}?token=${token}`, {
      method: 'POST',
      raw,
      headers: {
        'content-type': 'application/json',
        ...own(headers),
        // Fixtures share one fake id; each of these is a separate delivery.
        ...(provider === 'github' && { 'x-github-delivery': randomUUID() }),
        ...signed(path, raw),
      },
    })
    answers.push({ name, status, json, text })
  }
  for (const delivery of await studio.db.rows<DeliveryKey>(sql`
    select account_id, id as delivery_id from deliveries where account_id = ${studio.world.accounts!.owl!.id} and outcome = 'accepted'`))
    await ingest(studio.db, delivery)
  return answers
}

const WORDS: Record<number, string[]> = {
  200: ['processed', 'duplicate', 'stale', 'ignored', 'verified', 'failed'],
  202: ['accepted'],
}

/** 200 or 202 with a status that matches what was recorded, or 422; nothing else. Some tools get 200 instead of 422. */
export function expectTruth({ name, status, json, text }: Awaited<ReturnType<typeof sendAll>>[number]) {
  expect([200, 202, 422], `${name}: ${text}`).toContain(status)
  if (status === 422) return expect(json, name).toMatchObject({ error: 'unreadable_body', delivery_id: expect.any(String) })
  if (json.challenge !== undefined) return
  expect(WORDS[status], `${name}: ${text}`).toContain(json.status)
  if (json.status === 'processed') expect(json.records.length, name).toBeGreaterThan(0)
  if (json.status === 'failed') expect(json, name).toMatchObject({ message: expect.any(String), delivery_id: expect.any(String) })
  if (['ignored', 'duplicate', 'failed'].includes(json.status)) expect(json.records, name).toEqual([])
}

const ADDRESS = /[\w.+%-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/gi

const addressesIn = (text: string): Set<string> => new Set(text.match(ADDRESS) ?? [])

/** No sent address is in any later reply. */
export async function expectNoAddress(studio: Studio, samples: Sample[]) {
  const sent = addressesIn(JSON.stringify(samples.map(({ body }) => body)))
  const { text, records } = await everyAnswer(
    studio,
    studio.world.projects!.star!.id as number,
    studio.world.tokens!.all!.token as string,
  )
  const leaked = [...sent].filter((address) => text.includes(address))
  expect(leaked).toEqual([])
  expect([...addressesIn(text)]).toEqual([])
  return { sent: sent.size, records }
}
