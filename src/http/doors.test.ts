import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  CREDENTIALS,
  type Credential,
  credentialsOf,
  type Door,
  doorsOf,
  knock,
  nameOf,
  type Opener,
  OTHERS,
  PASSWORD,
  TABLES,
} from '../../test/support/callers/doors.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { SCOPES } from '../contract/sets.ts'
import { providers } from '../intake/providers/index.ts'

/** Every route that the server answers is opened by one kind of credential, and by no other. */

const OWL = { account: 'owl', project: 'star', owner: 'kim' }
let studio: Studio
let doors: Door[]
let secrets: Record<Credential, string>
beforeAll(async () => {
  const world = {
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', password: PASSWORD, accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    tokens: [{ key: 'kim', user: 'kim', name: 'all', scopes: SCOPES }],
    integrations: [{ key: 'star-jenkins', project: 'star', provider: 'jenkins' }],
  }
  studio = await openStudio(world, { service: { securityContact: 'mailto:security@gold.example' } })
  doors = await doorsOf(studio)
  secrets = await credentialsOf(studio, OWL)
})
afterAll(() => studio.close())

test('every route that the server answers is in a table or named in doors.ts, with what opens it', () => {
  expect(doors.length).toBeGreaterThan(400)
  expect(doors.filter(({ opener }) => opener === undefined).map(nameOf)).toEqual([])
})

test('every route of the tables and every other one named in doors.ts is answered', () => {
  const served = doors.map(nameOf)
  expect([...TABLES.keys()].filter((name) => !served.includes(name))).toEqual([])
  expect(OTHERS.filter(([door]) => !served.some((name) => door.test(name))).map(([door]) => String(door))).toEqual([])
  const paths = Object.values(providers).flatMap((provider) => [...provider.paths, ...(provider.logPaths ?? [])])
  expect(paths.filter((path) => !served.includes(`POST /webhooks/${path}`))).toEqual([])
})

const guarded = () => doors.filter(({ opener }) => opener !== 'anyone')
/** A secret of the right form that belongs to nobody here is as unknown as any other. */
const REFUSED: Record<Opener, number[]> = {
  anyone: [],
  'API token': [401],
  session: [401],
  'webhook token': [401, 404],
  'Unreal Game Sync token': [401, 404],
  'SCIM token': [401],
  path: [404],
}

describe('every guarded route', () => {
  test('refuses a caller without a credential', async () => {
    const open: string[] = []
    for (const door of guarded()) {
      const { status } = await knock(studio, OWL, door, undefined)
      if (!REFUSED[door.opener!].includes(status)) open.push(`${nameOf(door)}: ${status}`)
    }
    expect(open).toEqual([])
  })

  test.each(CREDENTIALS)('is not opened by a valid %s unless that is its own', async (credential) => {
    const open: string[] = []
    for (const door of guarded().filter(({ opener }) => opener !== credential)) {
      const { status } = await knock(studio, OWL, door, secrets[credential])
      if (!REFUSED[door.opener!].includes(status)) open.push(`${nameOf(door)}: ${status}`)
    }
    expect(open).toEqual([])
  })

  test.each([
    ['API token', 'GET /api/v1/projects'],
    ['session', 'GET /app/api/v1/projects'],
    ['webhook token', 'POST /webhooks/jenkins'],
    ['Unreal Game Sync token', 'GET /ugs/:token/api/latest'],
    ['SCIM token', 'GET /scim/v2/Users'],
  ] as const)('the %s that is refused elsewhere opens %s', async (credential, name) => {
    const { status } = await knock(studio, OWL, doors.find((door) => nameOf(door) === name)!, secrets[credential])
    expect(REFUSED[credential]).not.toContain(status)
  })
})
