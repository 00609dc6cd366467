import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openTools, type Tools } from '../../../test/support/tools.ts'
import { upsert } from './references.ts'

let tools: Tools
let kim: Visitor
beforeAll(async () => {
  tools = await openTools()
  kim = await signIn(tools.studio, 'kim@example.com', 'a long enough password')
})
afterAll(() => tools.close())

/** An event of an item: its time, and a word that tells the reports apart. */
interface Told {
  minute: number
  word?: string
  deleted?: boolean
}

const time = (minute: number) => new Date(Date.UTC(2024, 4, 1, 10, minute)).toISOString()
const ms = (minute: number) => Date.parse(time(minute))

/** Each tracker's payload; Asana reports no state, so there the word is the assignee. */
const TRACKERS: { [tracker: string]: { keys: string[]; body(key: string, told: Told): object } } = {
  jira: {
    keys: ['MOON-1', 'MOON-2', 'MOON-3'],
    body: (key, { minute, word, deleted }) => ({
      webhookEvent: deleted ? 'jira:issue_deleted' : 'jira:issue_updated',
      timestamp: ms(minute),
      issue: { key, fields: { summary: 'Moon', status: { name: word } } },
    }),
  },
  linear: {
    keys: ['SUN-1', 'SUN-2', 'SUN-3'],
    body: (identifier, { minute, word, deleted }) => ({
      action: deleted ? 'remove' : 'update',
      type: 'Issue',
      createdAt: time(minute),
      data: { identifier, title: 'Sun', state: { name: word } },
      webhookTimestamp: Date.now(),
    }),
  },
  trello: {
    keys: ['Moon0001', 'Moon0002', 'Moon0003'],
    body: (shortLink, { minute, word, deleted }) => ({
      action: {
        id: randomUUID(),
        type: deleted ? 'deleteCard' : 'updateCard',
        date: time(minute),
        data: { card: { shortLink, name: 'Moon' }, list: { name: word } },
      },
    }),
  },
  monday: {
    keys: ['987654321', '987654322', '987654323'],
    body: (pulseId, { minute, word, deleted }) => ({
      event: {
        type: deleted ? 'delete_pulse' : 'update_column_value',
        pulseId,
        columnId: 'status',
        value: { label: { text: word } },
        triggerTime: time(minute),
        triggerUuid: randomUUID(),
      },
    }),
  },
  asana: {
    keys: ['1199000000000001', '1199000000000002', '1199000000000003'],
    body: (gid, { minute, word, deleted }) => ({
      events: [
        {
          action: deleted ? 'deleted' : 'changed',
          created_at: time(minute),
          resource: { gid, resource_type: 'task' },
          change: { field: 'assignee', new_value: { gid: word } },
        },
      ],
    }),
  },
  github: {
    keys: ['owl/star#1', 'owl/star#2', 'owl/star#3'],
    // A deleted issue has the time of its last edit, not of the deletion.
    body: (key, { minute, word, deleted }) => ({
      action: deleted ? 'deleted' : 'edited',
      repository: { full_name: 'owl/star' },
      issue: { number: Number(key.at(-1)), title: 'Star', state: word, updated_at: time(deleted ? minute - 10 : minute) },
    }),
  },
}

const send = async (tracker: string, body: object): Promise<string> => {
  const answer =
    tracker === 'github'
      ? await tools.github(body, { 'x-github-event': 'issues' })
      : await tools.post(`${tracker}?token=${tools.tokenOf(tracker)}`, body)
  expect(answer.json.records, answer.text).toMatchObject([{ type: 'external_reference', id: expect.any(Number) }])
  return answer.json.status
}
const shown = async (key: string) => {
  const task = { title: 'Mend the moon', metadata: { key } }
  const { id } = await tools.api('tasks', { method: 'POST', body: { task } })
  return (await kim.app(`/projects/${tools.project}/tasks/${id}/references`)).json.references
}
const wordsOf = async (key: string) =>
  (await shown(key)).map(({ state, assignee_uid }: { state: string; assignee_uid: string | null }) => state || assignee_uid)

describe.each(Object.entries(TRACKERS))('%s', (tracker, { keys: [edited, deleted, late], body }) => {
  const tell = (key: string | undefined, told: Told) => send(tracker, body(key!, told))

  test('a late report does not overwrite newer values', async () => {
    expect(await tell(edited, { minute: 20, word: 'open' })).toBe('processed')
    expect(await tell(edited, { minute: 40, word: 'closed' })).toBe('processed')
    expect(await tell(edited, { minute: 30, word: 'half' })).toBe('stale')
    expect(await wordsOf(edited!)).toEqual(['closed'])
    expect(await tell(edited, { minute: 50, word: 'open' })).toBe('processed')
    expect(await wordsOf(edited!)).toEqual(['open'])
  })

  test('a late report about a deleted item does not restore it', async () => {
    await tell(deleted, { minute: 20, word: 'open' })
    await tell(deleted, { minute: 40, word: 'open', deleted: true })
    await tell(deleted, { minute: 30, word: 'half' })
    expect(await shown(deleted!)).toEqual([])
  })

  test('a deletion that arrives first is kept', async () => {
    await tell(late, { minute: 40, word: 'open', deleted: true })
    await tell(late, { minute: 20, word: 'open' })
    expect(await shown(late!)).toEqual([])
  })
})

describe('a report', () => {
  test('about another part of the item is never too late', async () => {
    const event = { pulseId: 41_000_001, pulseName: 'Boss' }
    const status = { type: 'update_column_value', columnId: 'status', value: { label: { text: 'Done' } } }
    const person = { columnType: 'multiple-person', value: { personsAndTeams: [{ id: 67, kind: 'person' }] } }
    const tell = (more: object, minute: number) =>
      send('monday', { event: { ...event, ...more, changedAt: ms(minute) / 1000, triggerUuid: randomUUID() } })
    expect(await tell(status, 40)).toBe('processed')
    expect(await tell({ type: 'update_column_value', ...person, pulseName: 'Bos' }, 30)).toBe('processed')
    expect(await shown('41000001')).toMatchObject([{ title: 'Boss', state: 'Done', assignee_uid: '67' }])
  })

  test('that is too late for one part leaves that part the later time', async () => {
    const context = {
      account_id: tools.studio.world.accounts.owl!.id,
      project_id: tools.project,
      integration_id: tools.studio.world.integrations.jira!.id,
      provider: 'jira',
    } as const
    const tell = async (minute: number, parts: object) =>
      (await upsert(tools.studio.db, context, { key: 'PART-1', at: time(minute), ...parts })).effect
    await tell(10, { title: 'Boss', state: 'open' })
    await tell(40, { state: 'closed' })
    expect(await tell(30, { title: 'Final boss', state: 'half' })).toBe('processed')
    expect(await tell(35, { state: 'half' })).toBe('stale')
    expect(await shown('PART-1')).toMatchObject([{ title: 'Final boss', state: 'closed' }])
  })

  test('restores an item that it says was restored', async () => {
    const asana = (action: string, minute: number) =>
      send('asana', {
        events: [{ action, created_at: time(minute), resource: { gid: '1199000000000009', resource_type: 'task' } }],
      })
    await asana('deleted', 20)
    await asana('removed', 21)
    expect(await shown('1199000000000009')).toEqual([])
    await asana('undeleted', 30)
    expect(await shown('1199000000000009')).toHaveLength(1)

    const monday = (type: string, minute: number) =>
      send('monday', { event: { type, itemId: 41_000_002, triggerTime: time(minute), triggerUuid: randomUUID() } })
    await monday('delete_pulse', 20)
    await monday('restore_pulse', 30)
    expect(await shown('41000002')).toHaveLength(1)
  })

  test('without a time counts as the latest, and reports older than the one before stay too late', async () => {
    const tell = (status: string, minute?: number) =>
      send('jira', { key: 'MOON-9', fields: { status, ...(minute && { updated: time(minute) }) } })
    await tell('open', 20)
    expect(await tell('closed')).toBe('processed')
    expect(await tell('half', 10)).toBe('stale')
    expect(await wordsOf('MOON-9')).toEqual(['closed'])
    expect(await tell('open')).toBe('processed')
    expect(await wordsOf('MOON-9')).toEqual(['open'])
  })

  test('from a clock that is ahead does not suppress later ones', async () => {
    const tell = (status: string, timestamp: number) =>
      send('jira', { webhookEvent: 'jira:issue_updated', timestamp, issue: { key: 'MOON-8', fields: { status } } })
    await tell('open', Date.now() + 86_400_000)
    expect(await tell('closed', Date.now() + 3_600_000)).toBe('processed')
    expect(await wordsOf('MOON-8')).toEqual(['closed'])
  })
})
