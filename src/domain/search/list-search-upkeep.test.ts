import { afterAll, beforeAll, expect, test } from 'vitest'
import { place } from '../../../test/support/place.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { sql } from '../../db/database.ts'
import * as index from './index.ts'

/** Searches stay correct while records arrive late, change and become many. */

let studio: Studio
const { inside, id } = visitor(() => studio)
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    build_runs: [1, 2].map((n) => ({
      key: `b${n}`,
      project: 'star',
      ci_job_name: 'nightly',
      build_number: String(n),
      commit_hash: `${n}`.repeat(40),
      created_at: `2026-02-0${n}`,
      finished_at: `2026-02-0${3 - n}T12:00:00Z`,
    })),
    changes: [1, 2].map((n) => ({
      key: `c${n}`,
      project: 'moon',
      identifier: `c${n}`,
      description: `Change ${n}`,
      timestamp: `2026-02-0${n}`,
      files: [{ path: `Source/Part${n}.cpp` }],
    })),
  })
})
afterAll(() => studio.close())

const found = async (path: string, project = 'star') => {
  const { status, json, text } = await inside(`/search/${path}`, { project })
  expect(status, text).toBe(200)
  const { pagination, ...rows } = json
  return (Object.values(rows)[0] as Record<string, string>[]).map(
    ({ build_number, identifier, title }) => build_number ?? identifier ?? title,
  )
}

test('a build is found by the author of its change although the change arrives after the build was indexed', async () => {
  await index.indexAll(studio.db)
  expect(await found('build_runs?author=ola')).toEqual([])
  await studio.load({
    changes: [
      { key: 'late', project: id('projects', 'star'), identifier: '1'.repeat(40), author: 'Ola Berg <ola@secret.example>' },
    ],
  })
  await index.indexAll(studio.db)
  expect(await found('build_runs?author=ola')).toEqual(['1'])
  await studio.db.execute(sql`update changes set author = 'Mira' where identifier = ${'1'.repeat(40)}`)
  await index.indexAll(studio.db)
  expect(await found('build_runs?author=ola')).toEqual([])
  expect(await found('build_runs?author=mira')).toEqual(['1'])
})

test('builds can be sorted by finish time, and a cursor is only valid for its order', async () => {
  expect(await found('build_runs?job=nightly')).toEqual(['2', '1'])
  expect(await found('build_runs?job=nightly&finished_since=2026-01-01')).toEqual(['1', '2'])
  expect(await found('build_runs?q=nightly&finished_since=2026-01-01')).toEqual(['1', '2'])
  const { json } = await inside('/search/build_runs?job=nightly&limit=1')
  const cursor = encodeURIComponent(json.pagination.next_cursor)
  expect(await found(`build_runs?job=nightly&limit=1&cursor=${cursor}`)).toEqual(['1'])
  expect((await inside(`/search/build_runs?finished_since=2026-01-01&cursor=${cursor}`)).json.error).toBe('invalid_cursor')
  expect((await inside(`/search/build_runs?cursor=${cursor}`, { project: 'moon' })).json.error).toBe('invalid_cursor')
})

test('a time that ends one search and starts the next is in exactly one of them', async () => {
  const noon = '2026-02-01T12:00:00Z'
  expect(await found(`build_runs?finished_until=${noon}`)).toEqual([])
  expect(await found(`build_runs?finished_since=${noon}&finished_until=2026-02-02T12:00:00Z`)).toEqual(['2'])
})

test('the list keeps exactly its parameters, and queries without words are refused', async () => {
  for (const [list, params] of Object.entries({
    build_runs: [
      'q',
      'branch',
      'job',
      'platform',
      'configuration',
      'agent',
      'changelist',
      'commit',
      'author',
      'finished_since',
      'finished_until',
      'cursor',
    ],
    changes: ['q', 'branch', 'author', 'path'],
    tasks: ['q'],
    assets: ['q', 'cursor'],
  }))
    for (const param of params) {
      const refused = await inside(`/${list}?${param}=x`)
      expect([refused.status, refused.json.error], `${list} ${param}`).toEqual([422, 'unknown_parameter'])
    }
  for (const query of ['q=', 'q=%20', 'author=', 'finished_since=yesterday', 'finished_until=', 'status=broken'])
    expect((await inside(`/search/build_runs?${query}`)).status, query).toBe(422)
  expect(await found('build_runs?q=%2B%2B')).toEqual([])
  expect(await found('build_runs?commit=')).toEqual([])
})

test('a change is found by its time, also after it was reported again', async () => {
  const placed = ['c1', 'c2'].map((key) => ({
    change_id: Number(id('changes', key)),
    branch: 'main',
  }))
  await place(studio.db, placed)
  await index.indexAll(studio.db)
  expect(await found('changes?branch=main', 'moon')).toEqual(['c2', 'c1'])
  expect(await found('changes?path=source/part', 'moon')).toEqual(['c2', 'c1'])
  await studio.db.execute(
    sql`update changes set timestamp = '2026-02-03', files = '[{"path": "Source/Whole.cpp"}]' where identifier = 'c1'`,
  )
  for (const prepare of [async () => {}, () => index.indexAll(studio.db)]) {
    await prepare()
    expect(await found('changes?branch=main', 'moon')).toEqual(['c1', 'c2'])
    expect(await found('changes?q=change', 'moon')).toEqual(['c1', 'c2'])
    expect(await found('changes?path=source/part', 'moon')).toEqual(['c2'])
    expect(await found('changes?path=whole.cpp', 'moon')).toEqual(['c1'])
  }
})

test('records that an older version indexed are indexed again', async () => {
  await index.indexAll(studio.db)
  await studio.db.execute(sql`update search_documents set terms = '{}', terms_version = 1 where kind = 'change'`)
  expect(await found('changes?path=part2', 'moon')).toEqual([])
  await index.indexAll(studio.db)
  expect(await found('changes?path=part2', 'moon')).toEqual(['c2'])
})

test('many records are returned in order although they were indexed in another, and a rare match is found in the end', async () => {
  await studio.db.execute(sql`
    insert into tasks (account_id, project_id, title, state, created_at)
    select account_id, p.id, 'Crate ' || n || case when n % 30 = 0 then ' antique' else '' end,
      case when n in (7, 8999) then 'blocked' else 'to_do' end, timestamptz '2026-03-01' + (n * 7919 % 9000) / 3 * interval '1 minute'
    from projects p, generate_series(1, 9000) n where p.id = ${Number(id('projects', 'star'))}`)
  await index.indexAll(studio.db)
  const walked = async (query: string) => {
    const titles: string[] = []
    let pages = 0
    for (let cursor = ''; ; pages++) {
      const { json } = await inside(`/search/tasks?${query}&limit=50${cursor}`)
      titles.push(...json.tasks.map(({ title }: { title: string }) => title))
      if (!json.pagination.has_more) return { titles, pages: pages + 1 }
      cursor = `&cursor=${json.pagination.next_cursor}`
    }
  }
  const inOrder = (where: string) =>
    studio.db.pool
      .query<{ title: string }>(`select title from tasks where ${where} order by created_at desc, id desc`)
      .then(({ rows }) => rows.map(({ title }) => title))
  const antique = await walked('q=antique')
  expect(antique.titles).toEqual(await inOrder(`title like '%antique'`))
  expect(antique.pages).toBe(6)
  // This few are read directly.
  const blocked = await walked('q=crate&state=blocked')
  expect(blocked.titles).toEqual(await inOrder(`state = 'blocked'`))
  expect(blocked.pages).toBe(1)
  // Ends pages early instead of reading all records for one match.
  await studio.db.execute(sql`update tasks set state = 'blocked' where created_at < '2026-03-01 10:00Z'`)
  const antiqueBlocked = await walked('q=antique&state=to_do')
  expect(antiqueBlocked.titles).toEqual(await inOrder(`title like '%antique' and state = 'to_do'`))
})
