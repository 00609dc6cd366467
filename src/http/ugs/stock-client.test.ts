import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'
import * as tokens from '../../domain/ugs/tokens.ts'

const PROJECT = '//ue5/main/shooter'

let studio: Studio
let root: string
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    projects: [{ key: 'star', account: 'owl', name: 'Star' }],
  })
  root = `/ugs/${(await tokens.create(studio.db, studio.world.projects.star!.id as number, 'everybody')).token}/api`
})
afterAll(() => studio.close())
beforeEach(async () => void (await studio.db.execute(sql`delete from ugs_changes`)))

const get = async (path: string) => {
  const { status, json } = await studio.ask(`${root}/${path}`)
  expect(status).toBe(200)
  return json
}
const post = async (path: string, body: object) => {
  const answer = await studio.ask(`${root}/${path}`, { method: 'POST', body })
  expect([answer.status, answer.text]).toEqual([200, ''])
}
const poll = (more = '') => get(`metadata?stream=//ue5/main&project=shooter&minchange=100${more}`)
const NOTHING = { Synced: null, Vote: null, Investigating: null, Starred: null, Comment: null }
const tell = (Change: number, UserName: string, told: object) =>
  post('metadata', { Stream: '//ue5/main', Project: 'shooter', Change, UserName, ...NOTHING, ...told })
const badge = (ChangeNumber: number, BuildType: string, Result: number | string, Project = PROJECT) =>
  post('build', { Project, ChangeNumber, BuildType, Result, Url: 'https://ci.example.com/1' })

describe('a version 2 client', () => {
  test('goes from opening a project to a badge, a vote and a comment', async () => {
    expect(await get(`latest?project=${PROJECT}`)).toEqual({ Version: 2, LastEventId: 0, LastCommentId: 0, LastBuildId: 0 })
    expect(await poll('&sequence=0')).toEqual({ SequenceNumber: 0, Items: [] })
    expect(await get('issues?user=anna')).toEqual([])

    await post('Build', {
      Project: '//UE5/Main/Shooter',
      ChangeNumber: 123,
      BuildType: 'Editor',
      Result: 0,
      Url: 'https://ci.example.com/1',
      ArchivePath: '',
      Metadata: null,
      IsSuccess: false,
      IsFailure: false,
    })
    const first = await poll('&sequence=0')
    const shown = { Name: 'Editor', Url: 'https://ci.example.com/1', State: 0 }
    expect(first.Items).toEqual([{ Change: 123, Project: PROJECT, Users: [], Badges: [shown] }])
    expect(await poll(`&sequence=${first.SequenceNumber}`)).toEqual({ SequenceNumber: first.SequenceNumber, Items: [] })

    await badge(123, 'Editor', 3)
    await badge(123, 'Tools', 'failure')
    await tell(123, 'Anna', { Synced: true })
    await tell(123, 'anna', { Vote: 'CompileSuccess', Starred: true })
    await tell(123, 'ben', { Investigating: true, Comment: 'looking' })
    const second = await poll(`&sequence=${first.SequenceNumber}`)
    expect(second.SequenceNumber).toBeGreaterThan(first.SequenceNumber)
    expect(second.Items).toEqual([
      {
        Change: 123,
        Project: PROJECT,
        Users: [
          {
            User: 'anna',
            SyncTime: expect.any(Number),
            Vote: 'CompileSuccess',
            Comment: null,
            Investigating: null,
            Starred: true,
          },
          { User: 'ben', SyncTime: null, Vote: null, Comment: 'looking', Investigating: true, Starred: null },
        ],
        Badges: [
          { ...shown, State: 3 },
          { ...shown, Name: 'Tools', State: 1 },
        ],
      },
    ])
  })

  test('gets complete changes, whatever was updated', async () => {
    await badge(200, 'Editor', 3)
    await badge(201, 'Editor', 1)
    const { SequenceNumber } = await poll()
    await tell(200, 'anna', { Vote: 'Bad' })
    const { Items } = await poll(`&sequence=${SequenceNumber}`)
    expect(Items).toMatchObject([{ Change: 200, Badges: [{ Name: 'Editor' }], Users: [{ User: 'anna', Vote: 'Bad' }] }])
  })

  test('can remove a vote, a star, an investigation and a comment', async () => {
    await tell(300, 'anna', { Vote: 'Good', Starred: true, Investigating: true, Comment: 'fine' })
    await tell(300, 'anna', { Vote: 'None', Starred: false, Investigating: false, Comment: '' })
    const [{ Users }] = (await poll()).Items
    expect(Users).toEqual([{ User: 'anna', SyncTime: null, Vote: null, Comment: null, Investigating: false, Starred: false }])
  })

  test('scrolls back to a range, which does not change its sequence', async () => {
    for (const change of [110, 120, 130]) await badge(change, 'Editor', 3)
    const range = await poll('&maxchange=125')
    expect(range.Items.map(({ Change }: { Change: number }) => Change)).toEqual([110, 120])
    expect(range.SequenceNumber).toBe(0)
    expect((await get('metadata?stream=//ue5/main&project=shooter&minchange=115')).Items).toHaveLength(2)
  })

  test('sees metadata of the whole stream and of its project', async () => {
    await badge(400, 'Engine', 3, '//ue5/main')
    await badge(400, 'Game', 3)
    await badge(400, 'Other', 3, '//ue5/main/racer')
    await badge(400, 'Elsewhere', 3, '//ue5/release/shooter')
    await badge(400, 'All', 2, '//UE5/Main/...')
    expect((await poll()).Items).toMatchObject([
      { Change: 400, Project: PROJECT, Badges: [{ Name: 'Game' }] },
      { Change: 400, Project: '', Badges: [{ Name: 'Engine' }, { Name: 'All' }] },
    ])
  })

  test('of a project in the root of a stream shares everything with the stream', async () => {
    await post('metadata', { Stream: '//ue5/main', Project: '', Change: 500, UserName: 'anna', ...NOTHING, Vote: 'Good' })
    await badge(500, 'Editor', 3, '//ue5/main')
    const { Items } = await get('metadata?stream=//ue5/main&project=&minchange=0')
    expect(Items).toMatchObject([{ Change: 500, Project: '', Users: [{ User: 'anna' }], Badges: [{ Name: 'Editor' }] }])
    expect((await poll()).Items).toMatchObject([{ Change: 500, Project: '' }])
  })

  test('of a stream with more than two folders is matched by its whole path', async () => {
    await badge(600, 'Editor', 3, '//ue5/rel/1.0')
    const { Items } = await get('metadata?stream=//ue5/rel&project=1.0/shooter&minchange=0')
    expect(Items).toMatchObject([{ Change: 600, Project: '', Badges: [{ Name: 'Editor' }] }])
    expect((await get('metadata?stream=//ue5/rel&project=2.0/shooter&minchange=0')).Items).toEqual([])
  })

  test('may spell parameters and fields in any case, and send numbers for names', async () => {
    await post('metadata', { stream: '//UE5/Main/', project: 'Shooter', change: '700', username: 'anna', vote: 3 })
    await post('metadata', {
      Stream: '//ue5/main',
      Project: 'shooter',
      Change: 700,
      Badges: [{ Name: 'Editor', Url: null, State: 'WARNING' }],
    })
    const { Items } = await get('metadata?Stream=//UE5/Main&Project=SHOOTER&MinChange=700&Sequence=0')
    expect(Items).toMatchObject([
      { Project: PROJECT, Users: [{ Vote: 'Good' }], Badges: [{ Name: 'Editor', Url: '', State: 2 }] },
    ])
  })

  test('reads a plus in a path as a plus', async () => {
    await badge(800, 'Editor', 3, '//ue5/main/a+b')
    expect((await get('metadata?stream=//ue5/main&project=a+b&minchange=0')).Items).toHaveLength(1)
  })
})

describe('a version 1 client', () => {
  const follow = (list: string, last: number) => get(`${list}?project=${PROJECT}&last${list}id=${last}`)

  test('follows builds, events and comments by their ids', async () => {
    await badge(900, 'Editor', 1)
    const [build] = await follow('build', 0)
    expect(build).toEqual({
      Id: expect.any(Number),
      Project: PROJECT,
      ChangeNumber: 900,
      BuildType: 'Editor',
      Result: 1,
      Url: 'https://ci.example.com/1',
      ArchivePath: '',
    })
    expect(await follow('build', build.Id)).toEqual([])

    await post('event', { Change: 900, UserName: 'anna', Project: '//UE5/Main/Shooter', Type: 0 })
    await post('event', { Change: 900, UserName: 'anna', Project: PROJECT, Type: 'Investigating' })
    await post('event', { Change: 900, UserName: 'anna', Project: PROJECT, Type: 1 })
    const events = await follow('event', 0)
    expect(events).toMatchObject([0, 1, 8].map((Type) => ({ Change: 900, UserName: 'anna', Project: PROJECT, Type })))
    await post('event', { Change: 900, UserName: 'anna', Project: PROJECT, Type: 'Resolved' })
    expect((await follow('event', events[0].Id)).map(({ Type }: { Type: number }) => Type)).toEqual([0, 1, 9])

    await post('comment', { ChangeNumber: 900, UserName: 'anna', Project: PROJECT, Text: 'better now' })
    const [comment] = await follow('comment', 0)
    expect(comment).toEqual({ Id: expect.any(Number), Project: PROJECT, ChangeNumber: 900, UserName: 'anna', Text: 'better now' })
    expect(await follow('comment', comment.Id)).toEqual([])
    expect(await follow('build', build.Id)).toEqual([])
  })

  test('sees the same as a version 2 client', async () => {
    await post('event', { Change: 910, UserName: 'anna', Project: PROJECT, Type: 'Bad' })
    expect((await poll()).Items).toMatchObject([{ Change: 910, Users: [{ User: 'anna', Vote: 'Bad' }] }])
  })
})

test('the list of issues is empty before there are any', async () => {
  expect(await get('issues?user=anna&includeResolved=true&maxResults=100')).toEqual([])
  for (const path of ['issues/1', 'issues/1/builds', 'issues/1/diagnostics'])
    expect((await studio.ask(`${root}/${path}`)).status).toBe(404)
  expect((await studio.ask(`${root}/issues/1`, { method: 'PUT', body: { Id: 1, FixChange: 5 } })).status).toBe(404)
})

test('unsupported calls do not fail', async () => {
  const { Id } = await get('user?Name=anna')
  expect(Id).toBeGreaterThan(0)
  expect(await get('user?name=ANNA')).toEqual({ Id })
  expect(await get('cis')).toEqual({})
  expect(await get('rugs_metrics')).toEqual({})
  for (const path of ['cis', 'telemetry', 'error?Version=1&IpAddress=10.0.0.1', 'netcore'])
    expect(await studio.ask(`${root}/${path}`, { method: 'POST', body: { a: 1 } })).toMatchObject({ status: 200, json: {} })
})
