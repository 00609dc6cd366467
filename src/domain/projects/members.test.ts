import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'

const MANY = 201
const keys = Array.from({ length: MANY }, (_, i) => `u${i}`)
const crowd = keys.map((key) => ({ key, email: `${key}@example.com`, name: `Person ${key}`, accounts: { owl: 'member' } }))
const everyone = (some: string[]) => Object.fromEntries(some.map((key) => [key, 'member']))

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    users: [
      ...workshop.users,
      ...crowd,
      {
        key: 'connected',
        email: 'connected@example.com',
        name: 'Connected',
        accounts: { owl: 'member' },
        connected_accounts: [
          { provider: 'github', uid: 'lead-dev' },
          { provider: 'jira', uid: 'connected@example.com' },
          { provider: 'perforce', uid: 'kim@buildbox' },
          { provider: 'slack', uid: '@kim' },
          { provider: 'trello', uid: 123 },
        ],
      },
    ],
    projects: [
      ...workshop.projects,
      { key: 'crew', account: 'owl', name: 'Crew', members: { connected: 'member', lead: 'owner' } },
      { key: 'full', account: 'owl', name: 'Full', members: everyone(keys.slice(1)) },
      { key: 'over', account: 'owl', name: 'Over', members: everyone([...keys].reverse()) },
      { key: 'none', account: 'owl', name: 'None' },
    ],
    tasks: [
      ...['coder', 'a-b', 'aa', 'zeta', '0', 'coder', 'a'].map((assignee_handle, i) => ({
        project: 'crew',
        title: `${i}`,
        assignee_handle,
        state: i % 2 ? 'completed' : 'to_do',
      })),
      { project: 'crew', title: 'person', user: 'lead' },
      { project: 'full', title: 'elsewhere', assignee_handle: 'stranger' },
      ...Array.from({ length: 205 }, (_, i) => ({
        project: 'over',
        title: `${i}`,
        assignee_handle: `h-${String(i).padStart(3, '0')}`,
      })),
    ],
  })
})
afterAll(() => studio.close())

const { id, inside } = visitor(() => studio)
const members = async (project: string) => (await inside('/members', { project })).json

test('members have ids, roles and names in other tools', async () => {
  const { members: list, truncated } = await members('crew')
  expect(truncated).toBe(false)
  expect(list).toEqual([
    { user_id: Number(id('users', 'lead')), role: 'owner', project_role: 'lead', connected_accounts: [] },
    {
      user_id: Number(id('users', 'connected')),
      role: 'member',
      project_role: 'approver',
      connected_accounts: [
        { id: expect.any(Number), provider: 'github', uid: 'lead-dev' },
        { id: expect.any(Number), provider: 'jira' },
        { id: expect.any(Number), provider: 'perforce' },
        { id: expect.any(Number), provider: 'slack', uid: '@kim' },
        { id: expect.any(Number), provider: 'trello', uid: '123' },
      ],
    },
  ])
})

test('a uid that looks like an address is absent, not null', async () => {
  const [, connected] = (await members('crew')).members
  for (const account of connected.connected_accounts)
    expect('uid' in account).toBe(!['jira', 'perforce'].includes(account.provider))
})

test('handles are those of the tasks, each once, sorted', async () => {
  expect((await members('crew')).assignee_handles).toEqual(['0', 'a', 'a-b', 'aa', 'coder', 'zeta'])
  expect((await members('none')).assignee_handles).toEqual([])
})

test('members of the account are not listed without being members of the project', async () => {
  expect(await members('none')).toEqual({ members: [], assignee_handles: [], truncated: false })
})

test('two hundred members are listed in full, one more is cut by user id', async () => {
  const full = await members('full')
  expect(full.members).toHaveLength(200)
  expect(full.truncated).toBe(false)
  const over = await members('over')
  expect(over.truncated).toBe(true)
  const ids = over.members.map((member: { user_id: number }) => member.user_id)
  expect(ids).toEqual(keys.slice(0, 200).map((key) => Number(id('users', key))))
})

test('at most two hundred handles are returned', async () => {
  const { assignee_handles } = await members('over')
  expect(assignee_handles).toHaveLength(200)
  expect(assignee_handles).toEqual([...assignee_handles].sort())
})
