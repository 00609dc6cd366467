import { afterAll, beforeAll, expect } from 'vitest'
import { SCOPES } from '../../../src/contract/sets.ts'
import type { Event } from '../../../src/contract/shapes.ts'
import { openStudio, type Studio } from '../studio.ts'

export const hour = 3_600_000
export const now = Date.now()
/** Four rows share each hour, over all sources, so that ties span tables. */
export const ago = (i: number) => new Date(Math.floor(now / hour) * hour - Math.floor(i / 4) * hour).toISOString()
export const N = 24
const rows = <T>(make: (i: number) => T) => Array.from({ length: N }, (_, i) => make(i))

const pipeline = (project: string) => ({
  changes: rows((i) => ({
    project,
    identifier: `${i}${project}`.padEnd(40, 'a'),
    source_type: 'GitCommit',
    author: `Kim Doe <kim${i}@example.com>`,
    description: `Paint ${i} for boss@example.com\nmore`,
    timestamp: ago(i),
    orphaned_at: i === 3 ? ago(0) : null,
  })),
  build_runs: rows((i) => ({
    project,
    status: ['completed', 'failed', 'passed_pending_approval', 'building'][i % 4],
    ci_job_name: 'Night Build',
    build_number: String(i),
    started_at: ago(i),
    finished_at: i % 4 === 3 ? null : ago(i),
    created_at: ago(i),
  })),
  assets: rows((i) => ({
    project,
    name: `T_${i}.png`,
    path: `${i}.png`,
    asset_type: 'texture',
    approvals: [
      {
        status: ['pending', 'approved', 'denied', 'ignored'][i % 4],
        stage: 'review',
        created_at: ago(i),
        ...(i % 4 ? { approver: 'kim', decided_at: ago(i) } : {}),
      },
    ],
  })),
  deployments: rows((i) => ({ project, platform: 'steam', version: `1.${i}`, status: 'live', created_at: ago(i) })),
  tasks: rows((i) => ({
    project,
    title: `Task ${i}`,
    state: i % 2 ? 'completed' : 'in_progress',
    assignee_handle: i % 3 ? null : 'cook-doctor',
    user: i % 3 === 1 ? 'kim' : null,
    created_at: ago(i + 8),
    updated_at: ago(i),
  })),
})
const [star, moon, fox] = [pipeline('star'), pipeline('moon'), pipeline('fox')]
const together = (kind: keyof typeof star) => [...star[kind], ...moon[kind], ...fox[kind]]

const WORLD = {
  accounts: [
    { key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true, timezone: 'America/New_York' },
    { key: 'fox', name: 'Red Fox', plan: 'enterprise', payment_method: true },
    { key: 'small', name: 'Small', plan: 'free' },
  ],
  users: [
    {
      key: 'kim',
      email: 'kim@example.com',
      name: 'Kim Member',
      accounts: { owl: 'owner', small: 'owner', fox: 'member' },
      default_account: 'owl',
    },
    { key: 'lee', email: 'lee@example.com', name: 'Lee', accounts: { small: 'owner' } },
  ],
  projects: [
    { key: 'star', account: 'owl', name: 'Starfall' },
    { key: 'moon', account: 'owl', name: 'Moonrise', status: 'paused' },
    { key: 'fox', account: 'fox', name: 'Foxhole' },
  ],
  tokens: [
    { key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES },
    { key: 'lee', user: 'lee', name: 'lee', scopes: SCOPES },
  ],
  changes: together('changes'),
  build_runs: together('build_runs'),
  assets: together('assets'),
  deployments: together('deployments'),
  tasks: together('tasks'),
}

/** Two accounts with the feed, one without, and every kind of event in all projects. */
export function openNewsroom() {
  let studio: Studio
  beforeAll(async () => {
    studio = await openStudio(WORLD)
  })
  afterAll(() => studio.close())

  const id = (kind: string, key: string) => studio.world[kind as 'projects']![key]!.id as number
  const ask = (query = '', token = 'kim') =>
    studio.ask(`/api/v1/workspace/events${query && `?${query}`}`, { token: studio.world.tokens![token]!.token as string })

  async function walk(query: string, between = async () => {}): Promise<Event[]> {
    const seen: Event[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, json } = await ask(`${query}${cursor && `&cursor=${cursor}`}`)
      expect(status).toBe(200)
      seen.push(...json.events)
      expect(json.pagination.next_cursor === null).toBe(!json.pagination.has_more)
      cursor = json.pagination.next_cursor
      await between()
    }
    return seen
  }
  return { studio: () => studio, id, ask, walk }
}

export const keys = (events: Event[]) => events.map((event) => event.cursor_key)
