import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import { openProviderRoom } from '../../../../test/support/studios/provider-room.ts'
import { sql } from '../../../db/database.ts'
import type { ChangeFact } from '../../facts.ts'
import { Unreadable } from '../../reading.ts'
import { subversion } from './index.ts'

const delivery = (body: unknown) => deliveryTo('subversion', body)
const read = (body: unknown) => subversion.read(delivery(body))
const committed = (changed: unknown, more: object = {}) => ({ repository: '/srv/svn/game', revision: 61, changed, ...more })
const change = (changed: unknown, more: object = {}) => read(committed(changed, more)).at(-1) as ChangeFact

describe('a commit', () => {
  test('is a change whose number has its repository in front', () => {
    const told = {
      author: 'bert\n',
      date: '2026-11-15 12:41:03 +0100 (Sun, 15 Nov 2026)\n',
      log: 'GM-2 Moon\n',
      repository_uuid: 'u1\n',
    }
    expect(read(committed('U   trunk/a.uasset\n', told))).toEqual([
      {
        kind: 'change',
        source_type: 'AssetCommit',
        identifier: 'game@61',
        author: 'bert',
        author_uids: ['bert'],
        description: 'GM-2 Moon',
        timestamp: '2026-11-15T11:41:03.000Z',
        branch: 'trunk',
        repository: { id: 'u1', name: 'game' },
        position: 61,
        files: [{ path: 'a.uasset', action: 'edit' }],
      },
    ])
  })

  test.each([
    ['/srv/svn/game/', 'game@61'],
    ['C:\\Repositories\\game', 'game@61'],
    ['game', 'game@61'],
    ['/srv/a@b', 'a_b@61'],
  ])('in %s is %s', (repository, identifier) => expect(change([], { repository }).identifier).toBe(identifier))

  test('may have no author and no date', () => {
    expect(change([], { author: '', date: '' })).toMatchObject({ author: '', author_uids: [], timestamp: null })
  })

  test('without a revision or a repository is unreadable', () => {
    for (const revision of [undefined, 0, -1, '1.5', '6 1', '', '9'.repeat(16), {}])
      expect(() => read(committed([], { revision }))).toThrow(Unreadable)
    for (const repository of [undefined, '', '/', 7, 'https://svn.example/secret'])
      expect(() => read(committed([], { repository }))).toThrow(Unreadable)
    for (const body of [undefined, [], 'x']) expect(() => read(body)).toThrow(Unreadable)
  })
})

describe('changed paths', () => {
  test.each([
    ['A   trunk/new.txt', 'add'],
    ['U   trunk/new.txt', 'edit'],
    ['UU  trunk/new.txt', 'edit'],
    ['D   trunk/new.txt', 'delete'],
    ['A + trunk/new.txt', 'add'],
  ])('%s is a file with the action %s', (line, action) => {
    expect(change([line]).files).toEqual([{ path: 'new.txt', action }])
  })

  test('leave out folders, properties and the sources of copies', () => {
    const lines = ['_U  trunk/a.txt', 'A   trunk/dir/', 'A + trunk/b c.txt', '    (from trunk/a.txt:r3)', '']
    expect(change(lines)).toMatchObject({ branch: 'trunk', files: [{ path: 'b c.txt', action: 'add' }] })
    expect(change(lines.join('\n'))).toEqual(change(lines))
  })

  test.each([
    ['U   trunk/a', 'trunk', 'a'],
    ['U   branches/1.2/Content/a', 'branches/1.2', 'Content/a'],
    ['U   game/trunk/a', 'game/trunk', 'a'],
    ['U   game/branches/1.2/a', 'game/branches/1.2', 'a'],
    ['U   tags/1.2/a', '', 'tags/1.2/a'],
    ['U   Content/a', '', 'Content/a'],
    ['U   trunks/a', '', 'trunks/a'],
  ])('such as %s are of the branch %j', (line, branch, path) => {
    expect(change([line])).toMatchObject({ branch, files: [{ path }] })
  })

  test('of several branches are of none, with their whole paths', () => {
    expect(change(['U   trunk/a', 'U   branches/1.2/a'])).toMatchObject({
      branch: '',
      files: [{ path: 'trunk/a' }, { path: 'branches/1.2/a' }],
    })
  })

  test('of the first commit are of the trunk, although the other folders are of no branch', () => {
    expect(change(['A   branches/', 'A   tags/', 'A   trunk/', 'A   trunk/a'])).toMatchObject({
      branch: 'trunk',
      files: [{ path: 'a' }],
    })
  })

  test('that delete a whole branch end it, and the change is on no branch', () => {
    expect(read(committed(['D   branches/1.2/']))).toMatchObject([
      { kind: 'branch_deleted', branch: 'branches/1.2', repository: { name: 'game' } },
      { kind: 'change', branch: '', files: [] },
    ])
    expect(read(committed(['D   branches/1.2/', 'A   branches/1.3/']))[1]).toMatchObject({ branch: 'branches/1.3' })
    expect(read(committed(['D   branches/1.2/Content/']))).toHaveLength(1)
  })

  test('that were not reported are unknown', () => {
    for (const changed of [undefined, null, '', 7]) expect(change(changed).files).toBeNull()
    expect(change([]).files).toEqual([])
  })

  test('of a text of nothing but line ends cost no memory', () => {
    expect(change('\n'.repeat(5_000_000)).files).toBeNull()
  })
})

describe('at its endpoint', () => {
  let room: Awaited<ReturnType<typeof openProviderRoom>>
  beforeAll(async () => {
    room = await openProviderRoom('subversion')
  })
  afterAll(() => room.close())

  test('a commit is recorded, its number meets no changelist, and a corrected message replaces the old one', async () => {
    await room.studio.db.execute(sql`insert into changes (account_id, project_id, source_type, identifier)
      values (${room.account_id}, ${room.project}, 'Changelist', '2')`)
    expect((await room.replay('post_commit__report')).status).toBe(202)
    expect((await room.replay('post_commit__report')).json.status).toBe('duplicate')
    await room.replay('post_commit__report', { log: 'Corrected' })
    await room.work()
    const { changes } = await room.api('changes')
    const byName = changes.toSorted((a: { identifier: string }, b: { identifier: string }) =>
      a.identifier < b.identifier ? 1 : -1,
    )
    expect(byName).toMatchObject([
      { identifier: 'game@2', display_identifier: 'game@2', description: 'Corrected', author: 'bert', file_count: 1 },
      { identifier: '2', source_type: 'Changelist', file_count: 0 },
    ])
  })

  test('revisions of a branch are in the order of their numbers, however they arrive', async () => {
    for (const revision of [103, 101, 102]) await room.send(committed(['U   branches/order/a'], { revision }))
    await room.work()
    const placed = await room.studio.db.rows<{ identifier: string }>(sql`
      select c.identifier from change_branches p join changes c on c.account_id = p.account_id and c.id = p.change_id
      where p.account_id = ${room.account_id} and p.branch = 'branches/order' order by p.position`)
    expect(placed.map(({ identifier }) => identifier)).toEqual(['game@101', 'game@102', 'game@103'])
  })

  test('a body that cannot be read is refused', async () => {
    for (const body of [{}, [], { revision: 5 }]) expect((await room.send(body)).status).toBe(422)
  })
})

test('with a secret, a signed form is accepted, and a wrong signature is refused', async () => {
  const signed = await openProviderRoom('subversion', 'shared with the server')
  try {
    const raw = new URLSearchParams({ repository: '/srv/svn/game', revision: '7', changed: 'U   trunk/a\n' }).toString()
    const hex = createHmac('sha256', 'shared with the server').update(raw).digest('hex')
    const send = (value: string) =>
      signed.studio.ask(`/webhooks/subversion?token=${signed.studio.world.integrations.tool!.webhook_token}`, {
        method: 'POST',
        raw,
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-webhook-signature': value },
      })
    expect((await send(`sha256=${hex.replace(/^./, 'x')}`)).status).toBe(401)
    expect((await send(`sha256=${hex}`)).status).toBe(202)
  } finally {
    await signed.close()
  }
})
