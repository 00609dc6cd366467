import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Credential,
  credentialsOf,
  type Door,
  doorsOf,
  knock,
  nameOf,
  PASSWORD,
  type Place,
  TABLES,
} from '../../../test/support/callers/doors.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { PROVIDERS, SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import { admit } from '../../intake/admission.ts'
import { providers } from '../../intake/providers/index.ts'
import { AccountShare } from './account-share.ts'

/** Every route that writes: accounts that have more work than their share keep no other account waiting. */

const ACCOUNTS = ['owl', 'fox', 'elk']
const [FIRST, SECOND, QUIET] = ACCOUNTS.map((key): Place => ({ account: key, project: key, owner: key })) as [Place, Place, Place]
/** So many at a time are answered long before a gate refuses who waits. */
const CHUNK = 40
/** The answer to a request that has waited in vain. */
const WAITED = 503

let studio: Studio
let doors: Door[]
const secrets: Record<string, Record<Credential, string>> = {}
beforeAll(async () => {
  const world = {
    accounts: ACCOUNTS.map((key) => ({ key, name: key, plan: 'enterprise' })),
    users: ACCOUNTS.map((key) => ({
      key,
      email: `${key}@example.com`,
      name: key,
      password: PASSWORD,
      accounts: { [key]: 'owner' },
    })),
    projects: ACCOUNTS.map((key) => ({ key, account: key, name: key })),
    tokens: ACCOUNTS.map((key) => ({ key, user: key, name: key, scopes: SCOPES })),
    integrations: ACCOUNTS.flatMap((project) =>
      PROVIDERS.map((provider) => ({ key: `${project}-${provider}`, project, provider })),
    ),
  }
  studio = await openStudio(world, { service: { share: new AccountShare(6) } })
  await studio.db.execute(sql`update users set operator = true`)
  for (const place of [FIRST, SECOND, QUIET]) secrets[place.account] = await credentialsOf(studio, place)
  const writing = (await doorsOf(studio)).filter(
    ({ method, opener }) => !['GET', 'HEAD', 'OPTIONS'].includes(method) && opener !== 'anyone' && opener !== 'path',
  )
  // Single sign-on is deleted last, and with it the token of SCIM.
  doors = writing.toSorted((a, b) => Number(TABLES.has(nameOf(a))) - Number(TABLES.has(nameOf(b))))
})
afterAll(() => studio.close())

const idOf = (kind: 'accounts' | 'users', key: string) => studio.world[kind][key]!.id as number
/** The tool whose token opens a path of webhooks; what all tools share is asked with one of them. */
function toolAt(url: string): string {
  const path = url.replace('/webhooks/', '')
  if (path === 'people') return 'perforce'
  return Object.values(providers).find(({ paths, logPaths = [] }) => [...paths, ...logPaths].includes(path))?.name ?? 'jenkins'
}

/** A piece of a log, of an artifact, or a report, as far as its parameters. */
const PIECE = { job_name: 'Game', build_number: '1', name: 'Game.zip', upload: randomUUID(), size: '2', offset: '0' }

/** Readable as a list of people and as test results. */
const REPORT = {
  list: 'kim <kim@example.com> (Kim) accessed 2026/01/01',
  results: {
    tool: { name: 'jest' },
    summary: { tests: 1, passed: 1, failed: 0, pending: 0, skipped: 0, other: 0, start: 1, stop: 2 },
    tests: [{ name: 'opens', status: 'passed', duration: 1 }],
  },
}

function ask(place: Place, door: Door) {
  const { url, opener } = door
  if (url === '/mcp') {
    const project_id = studio.world.projects[place.project]!.id
    const params = { name: 'create_comment', arguments: { project_id, record: 'task/2000000000', body: 'Seen' } }
    return knock(studio, place, door, secrets[place.account]!['API token'], {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    })
  }
  if (opener !== 'webhook token') return knock(studio, place, door, secrets[place.account]![opener as Credential])
  const { webhook_token } = studio.world.integrations[`${place.project}-${toolAt(url)}`]!
  return knock(studio, place, door, webhook_token as string, { query: PIECE, body: REPORT })
}

/** Takes every place that the accounts have, until it is released. */
function holdPlaces(places: Place[]) {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { share, intake } = studio.service
  for (const { account, owner } of places)
    for (let i = 0; i < 10; i++) {
      void share.enter(idOf('accounts', account), () => held).catch(() => {})
      void share.enterOf(idOf('users', owner), () => held).catch(() => {})
      void admit(intake, idOf('accounts', account), () => held, 60_000).catch(() => {})
    }
  return release
}

test('every route that writes is tried', () => {
  expect(doors.length).toBeGreaterThan(200)
})

test('a third account is answered at every route that writes while the requests of two others wait', async () => {
  const [answered, refused]: [string[], string[]] = [[], []]
  for (let start = 0; start < doors.length; start += CHUNK) {
    const chunk = doors.slice(start, start + CHUNK)
    const release = holdPlaces([FIRST, SECOND])
    let isReleased = false
    const flood = chunk.flatMap((door) =>
      [FIRST, SECOND].map(async (place) => {
        const { status } = await ask(place, door)
        if (!isReleased && status !== WAITED) answered.push(`${nameOf(door)}: ${status}`)
      }),
    )
    await sleep(300)
    for (const door of chunk) {
      const { status } = await ask(QUIET, door)
      // A webhook without its signature is refused after it was read.
      const isRefused = status === 429 || status >= 500 || (status === 401 && door.opener !== 'webhook token')
      if (isRefused) refused.push(`${nameOf(door)}: ${status}`)
    }
    isReleased = true
    release()
    await Promise.all(flood)
  }
  expect(refused).toEqual([])
  expect(answered).toEqual([])
})
