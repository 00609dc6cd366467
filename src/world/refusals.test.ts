import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { raw, sql } from '../db/database.ts'
import { Vault } from '../domain/privacy/secrets.ts'
import { LISTS, type List } from './fields.ts'
import { loadWorld } from './world.ts'

const full = JSON.parse(readFileSync(new URL('./fixtures/world.json', import.meta.url), 'utf8'))
const vault = new Vault('a key of these tests')
let own: TestDatabase

beforeAll(async () => {
  own = await createDatabase()
})
afterAll(() => own.drop())

const empty = () =>
  own.db.transaction(async (db) => {
    // The audit log cannot be emptied otherwise.
    await db.execute(sql`set local session_replication_role = replica`)
    await db.execute(sql`truncate accounts, users restart identity cascade`)
  })

const load = (world: object) => loadWorld(own.db, Readable.from([Buffer.from(JSON.stringify(world))]), { vault })

const rows = (table: string) => own.db.rows(sql`select * from ${raw(table)}`)

describe("references to missing records, or to another account's", () => {
  beforeAll(async () => {
    await empty()
    await load(full)
  })

  test.each([
    [
      { tasks: [{ key: 'k', project: 'nope', title: 'T' }] },
      'tasks[0] (k): project "nope" is neither a key under projects in this',
    ],
    [{ tasks: [{ project: 99, title: 'T' }] }, 'tasks[0]: project 99 is neither'],
    [{ tasks: [{ project: '99', title: 'T' }] }, 'tasks[0]: project "99" is neither'],
    [{ users: [{ email: 'a@b.c', name: 'A', accounts: { nope: 'owner' } }] }, 'users[0]: accounts.nope "nope" is neither'],
    [{ projects: [{ account: 1, name: 'P', members: { nope: 'owner' } }] }, 'projects[0]: members.nope "nope" is neither'],
    [{ tasks: [{ project: 1, title: 'T', links: { changes: [1, 'c9'] } }] }, 'tasks[0]: links.changes[1] "c9" is neither'],
    [{ deployments: [{ project: 1, build_run: true }] }, 'deployments[0]: build_run must be a key or an id'],
    [
      { projects: [{ key: 'x', account: 1, name: 'X' }], deployments: [{ project: 'x', build_run: 1 }] },
      'build_run 1 belongs to another project',
    ],
    [
      {
        accounts: [{ key: 'x', name: 'X' }],
        projects: [{ key: 'x', account: 'x', name: 'X' }],
        tasks: [{ project: 'x', title: 'T', user: 1 }],
      },
      'tasks[0]: user must be a member of the account',
    ],
    [
      {
        accounts: [{ key: 'x', name: 'X' }],
        channels: [
          {
            account: 'x',
            kind: 'discord',
            name: 'D',
            secret: 'https://d.example/',
            rules: [{ project: 1, subject: 'breakage' }],
          },
        ],
      },
      'channels[0]: rules[0].project must belong to the same account',
    ],
    [
      { channels: [{ account: 1, kind: 'slack', name: 'S', secret: 'https://s.example/' }] },
      'channels[0]: room must be the ID of a channel',
    ],
    [
      {
        channels: [
          {
            account: 1,
            kind: 'discord',
            name: 'D',
            secret: 'https://d.example/',
            rules: [{ project: 1, subject: 'last_known_good' }],
          },
        ],
      },
      'channels[0]: rules hours belong to last_known_good',
    ],
    [
      {
        accounts: [{ key: 'x', name: 'X' }],
        projects: [{ key: 'x', account: 'x', name: 'X' }],
        changes: [{ project: 'x', identifier: '1', user: 1 }],
      },
      'changes[0]: user must be a member of the account',
    ],
    [
      { users: [{ email: 'a@b.c', name: 'A', default_account: 1 }] },
      'users[0]: default_account must be one of the accounts of the user',
    ],
    [
      {
        accounts: [
          { key: 'a', name: 'A' },
          { key: 'a', name: 'B' },
        ],
      },
      'accounts[1] (a): key "a" is given twice under accounts',
    ],
  ])('%j is refused: %s', async (world, message) => {
    await expect(load(world)).rejects.toThrow(message)
  })
})

describe('errors name the problem, and nothing is written', () => {
  beforeAll(empty)

  const untouched = async () => {
    for (const list of LISTS)
      expect(
        await rows({ tokens: 'api_tokens', channels: 'destinations', test_results: 'test_builds' }[list as string] ?? list),
      ).toEqual([])
  }

  test.each(LISTS)('an unknown field in %s', async (list: List) => {
    const world = structuredClone(full) as Record<string, Record<string, unknown>[]>
    const last = world[list]!.length - 1
    Object.assign(world[list]![last]!, { key: 'mine', titel: 'x' })
    await expect(load(world)).rejects.toThrow(`${list}[${last}] (mine): unknown field "titel"`)
    await untouched()
  })

  test.each([
    [{ accounts: [{ key: 'a' }] }, 'accounts[0] (a): name is required'],
    [{ accounts: [{ name: 'A', plan: 'gold' }] }, 'accounts[0]: plan must be one of: free, team, studio, enterprise'],
    [{ accounts: [{ name: 'A', credits: -1 }] }, 'accounts[0]: credits must be an integer from 0 to 2147483647'],
    [{ accounts: [{ name: 'A', credits: 2 ** 31 }] }, 'accounts[0]: credits must be'],
    [{ accounts: [{ name: 'A', demo: 'yes' }] }, 'accounts[0]: demo must be true or false'],
    [{ accounts: [{ name: 'A', timezone: 'AET' }] }, 'accounts[0]: timezone must be a time zone such as America/New_York'],
    [{ accounts: [{ name: 'A', timezone: 'Mars' }] }, 'accounts[0]: timezone must be a time zone such as America/New_York'],
    [{ accounts: [{ name: 'A', created_at: '2026-02-30' }] }, 'accounts[0]: created_at must be an ISO 8601 timestamp'],
    [{ accounts: [{ name: 'A\0' }] }, 'accounts[0]: name must not contain a NUL character'],
    [{ accounts: [{ name: 'A', id: 7 }] }, 'accounts[0]: unknown field "id"'],
    [{ users: [{ name: 'U', email: 'nobody' }] }, 'users[0]: email must be an email address'],
    [{ worlds: [] }, 'unknown list "worlds"'],
  ])('%j: %s', async (world, message) => {
    await expect(load(world)).rejects.toThrow(message)
    await untouched()
  })

  const inProject = (rest: object) => ({ accounts: full.accounts, projects: [{ key: 'p', account: 'owl', name: 'P' }], ...rest })
  test.each([
    [{ tasks: [{ project: 'p' }] }, 'tasks[0]: title is required'],
    [{ tasks: [{ project: 'p', title: 'x'.repeat(256) }] }, 'tasks[0]: title must have 1 to 255 characters'],
    [
      { tasks: [{ project: 'p', title: 'T', state: 'doing' }] },
      'tasks[0]: state must be one of: to_do, in_progress, blocked, completed',
    ],
    [{ tasks: [{ project: 'p', title: 'T', assignee_handle: 'Not A Handle' }] }, 'tasks[0]: assignee_handle must match'],
    [{ tasks: [{ project: 'p', title: 'T', metadata: { a: '\0' } }] }, 'tasks[0]: metadata must not contain NUL'],
    [{ tasks: [{ project: 'p', title: 'T', links: { builds: [] } }] }, 'tasks[0]: unknown field "links.builds"'],
    [{ integrations: [{ project: 'p', provider: 'punchcards' }] }, 'integrations[0]: provider must be one of'],
    [
      { integrations: [{ project: 'p', provider: 'lore', config: { a: ['\0'] } }] },
      'integrations[0]: config.a[0] must not contain a NUL',
    ],
    [{ changes: [{ project: 'p' }] }, 'changes[0]: identifier is required'],
    [
      { changes: [{ project: 'p', identifier: 'x', files: [{ path: 'a' }, { action: 'add' }] }] },
      'changes[0]: files[1].path is required',
    ],
    [{ build_runs: [{ project: 'p', status: 'success' }] }, 'build_runs[0]: status must be one of'],
    [
      { assets: [{ project: 'p', name: 'A', approvals: [{ status: 'maybe' }] }] },
      'assets[0]: approvals[0].status must be one of',
    ],
    [{ deployments: [{ project: 'p', platform: 'gog' }] }, 'deployments[0]: platform must be one of'],
    [
      {
        changes: [
          { project: 'p', identifier: 'x' },
          { key: 'again', project: 'p', identifier: 'x' },
        ],
      },
      'changes[1] (again): project_id, identifier, source_type = ',
    ],
    [
      {
        assets: [
          { project: 'p', name: 'A', path: 'x' },
          { project: 'p', name: 'B', path: 'x' },
        ],
      },
      'assets[1]: project_id, path = ',
    ],
    [
      {
        users: [
          { email: 'a@b.c', name: 'A' },
          { email: 'A@B.C', name: 'B' },
        ],
      },
      'users[1]: email = a@b.c exists already',
    ],
  ])('%j: %s', async (rest, message) => {
    await expect(load(inProject(rest))).rejects.toThrow(message)
    await untouched()
  })
})
