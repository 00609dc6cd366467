import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import { openProviderRoom, recorded } from '../../../../test/support/studios/provider-room.ts'
import { sql } from '../../../db/database.ts'
import type { ChangeFact } from '../../facts.ts'
import { Unreadable } from '../../reading.ts'
import { plastic } from './index.ts'

const delivery = (body: unknown) => deliveryTo('plastic', body)
const read = (body: unknown) => plastic.read(delivery(body)) as ChangeFact[]

const SPEC = 'cs:61@br:/main/scm001@rep:game@repserver:studio@cloud'
const of = '#br:/main/scm001;changeset:61@rep:game@repserver:studio@cloud'

describe('a check-in', () => {
  test('is a change whose number has its repository in front', () => {
    expect(read({ PLASTIC_CHANGESET: SPEC, PLASTIC_USER: 'kim@example.com', PLASTIC_COMMENT: 'Hero', INPUT: [] })).toEqual([
      {
        kind: 'change',
        source_type: 'AssetCommit',
        identifier: 'game@61',
        author: 'kim@example.com',
        author_uids: ['kim@example.com'],
        description: 'Hero',
        timestamp: null,
        branch: '/main/scm001',
        repository: { id: 'game@studio@cloud', name: 'game' },
        position: 61,
        files: [],
      },
    ])
  })

  test.each([
    ['AD', 'add'],
    ['CH', 'edit'],
    ['MV', 'move'],
    ['DE', 'delete'],
  ])('with the line %s has a file with the action %s', (letters, action) => {
    const [fact] = read({ PLASTIC_CHANGESET: SPEC, INPUT: [`${letters} "/Assets/A "b".fbx" FILE${of}`] })
    expect(fact!.files).toEqual([{ path: 'Assets/A "b".fbx', action }])
  })

  test('has no folders among its files, and the new path of a moved one', () => {
    const INPUT = [`CH "/" DIR${of}`, `AD "/Assets" DIR${of}`, `MV "/a.fbx" "/b.fbx" FILE${of}`, 'odd', 'XX "/c" FILE', null]
    expect(read({ PLASTIC_CHANGESET: SPEC, INPUT })[0]!.files).toEqual([{ path: 'b.fbx', action: 'move' }])
  })

  test('may have its lines in a text, as JSON or one per line', () => {
    const lines = [`AD "/a" FILE${of}`, `CH "/b" FILE${of}`]
    for (const INPUT of [JSON.stringify(lines), lines.join('\n'), lines.join('\r\n')])
      expect(read({ PLASTIC_CHANGESET: SPEC, INPUT })[0]!.files).toHaveLength(2)
  })

  test('without lines has unknown files', () => {
    for (const INPUT of [undefined, null, '', 7]) expect(read({ PLASTIC_CHANGESET: SPEC, INPUT })[0]!.files).toBeNull()
  })

  test('across an Xlink is a change in each repository, each with its own files', () => {
    const PLASTIC_CHANGESET = `${SPEC};cs:9@br:/main@rep:art@repserver:studio@cloud`
    const INPUT = [`AD "/a" FILE${of}`, 'CH "/b" FILE#br:/main;changeset:9@rep:art@repserver:studio@cloud']
    expect(read({ PLASTIC_CHANGESET, INPUT })).toMatchObject([
      { identifier: 'game@61', branch: '/main/scm001', files: [{ path: 'a' }] },
      { identifier: 'art@9', branch: '/main', files: [{ path: 'b' }] },
    ])
  })

  test.each([
    [{ PLASTIC_CHANGESET_NUMBER: '61', PLASTIC_FULL_BRANCH_NAME: '/main/x', PLASTIC_REPOSITORY_NAME: 'game' }, '/main/x'],
    [{ PLASTIC_CHANGESET_ID: 61, PLASTIC_BRANCH_NAME: 'x', PLASTIC_REPOSITORY_NAME: 'game' }, 'x'],
    [{ PLASTIC_CHANGESET: '061', PLASTIC_REPOSITORY_NAME: 'game' }, ''],
    [{ INPUT: [`AD "/a" FILE${of}`] }, '/main/scm001'],
  ])('of a version with the variables %j is read too', (body, branch) => {
    expect(read(body)).toMatchObject([{ identifier: 'game@61', branch }])
  })

  test('that names no repository or is too long is unreadable, as is a body without variables', () => {
    for (const body of [
      { PLASTIC_CHANGESET: '61' },
      { PLASTIC_CHANGESET: 'cs:61@br:/main' },
      { PLASTIC_CHANGESET: `${SPEC};`.repeat(1000) },
      { text: 'New checkin' },
      [],
      undefined,
    ])
      expect(() => read(body)).toThrow(Unreadable)
  })
})

test('labels, shelves, reviews and triggers without a changeset have no facts', () => {
  const named = { PLASTIC_CHANGESET: SPEC, INPUT: [] }
  expect(read({ ...named, PLASTIC_LABEL_NAME: 'RC-1' })).toEqual([])
  expect(read({ ...named, PLASTIC_SHELVE: 'sh:3' })).toEqual([])
  expect(read({ ...named, PLASTIC_REVIEW_ACTION: 'create' })).toEqual([])
  expect(read({ PLASTIC_USER: 'kim', INPUT: [] })).toEqual([])
})

describe('at its endpoint', () => {
  let room: Awaited<ReturnType<typeof openProviderRoom>>
  beforeAll(async () => {
    room = await openProviderRoom('plastic')
  })
  afterAll(() => room.close())

  test('a check-in is recorded once, and its number meets no changelist', async () => {
    await room.studio.db.execute(sql`insert into changes (account_id, project_id, source_type, identifier)
      values (${room.account_id}, ${room.project}, 'Changelist', '61')`)
    expect((await room.replay('checkin__derived')).json).toMatchObject({ status: 'processed', records: [{ type: 'change' }] })
    expect((await room.replay('checkin__derived')).json.status).toBe('duplicate')
    const { changes } = await room.api('changes?identifier=game@61')
    expect(changes).toMatchObject([{ source_type: 'AssetCommit', display_identifier: 'game@61', file_count: 2 }])
    expect((await room.api('changes?identifier=61')).changes).toMatchObject([{ source_type: 'Changelist', file_count: 0 }])
  })

  test('changesets of one branch are in the order of their numbers, however they arrive', async () => {
    const checkIn = (number: number) =>
      room.send({ PLASTIC_CHANGESET: `cs:${number}@br:/main/order@rep:game@repserver:s`, INPUT: [] })
    for (const number of [103, 101, 102]) await checkIn(number)
    const placed = await room.studio.db.rows<{ identifier: string }>(sql`
      select c.identifier from change_branches p join changes c on c.account_id = p.account_id and c.id = p.change_id
      where p.account_id = ${room.account_id} and p.branch = '/main/order' order by p.position`)
    expect(placed.map(({ identifier }) => identifier)).toEqual(['game@101', 'game@102', 'game@103'])
  })

  test('a check-in that cannot be read is answered 200, because people would see the error', async () => {
    for (const body of [{ PLASTIC_CHANGESET: '61' }, [], { text: 'x' }])
      expect(await room.send(body)).toMatchObject({ status: 200, json: { status: 'failed', message: expect.any(String) } })
    expect((await room.deliveries()).at(-1)).toMatchObject({ outcome: 'failed', status: 422 })
  })
})

test('with a secret, a relay may sign, and a wrong signature is refused', async () => {
  const signed = await openProviderRoom('plastic', 'shared with a relay')
  try {
    const { body } = recorded('plastic', 'checkin__derived')
    const hex = createHmac('sha256', 'shared with a relay').update(JSON.stringify(body)).digest('hex')
    const send = (value: string) => signed.send(body, { 'x-webhook-signature': value })
    expect((await send('sha256=')).status).toBe(401)
    expect((await send(`sha256=${hex.replace(/^./, 'x')}`)).status).toBe(401)
    expect(await send(`sha256=${hex}`)).toMatchObject({ status: 200, json: { status: 'processed' } })
  } finally {
    await signed.close()
  }
})
