import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../test/studio.ts'
import { workshop } from '../../test/workshop.ts'
import { search } from './search.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    changes: [
      { key: 'c', project: 'star', identifier: 'abc123', source_type: 'GitCommit', description: 'Moon rises', author: 'Kim' },
    ],
    build_runs: [1, 2, 3].map((n) => ({
      key: `b${n}`,
      project: 'star',
      status: 'completed',
      ci_job_name: 'moon-night',
      build_number: String(n),
      created_at: `2026-01-0${n}`,
    })),
    tasks: [
      { key: 'mine', project: 'star', title: 'Moon is too dark' },
      { key: 'theirs', project: 'den', title: 'Moon of the rivals' },
    ],
  })
})
afterAll(() => studio.close())

const find = async (text: string) =>
  (await search(studio.db, Number(studio.world.users!.lead!.id), text, undefined)).map(({ kind, title }) => `${kind} ${title}`)

test('finds each kind by a part of its name, the newest first, and nothing of another account', async () => {
  expect(await find('moon')).toEqual([
    'project Moonrise',
    'task Moon is too dark',
    'build moon-night #3',
    'build moon-night #2',
    'build moon-night #1',
    'change Moon rises',
  ])
})

test('puts what a number or an identifier names before what only contains it, once', async () => {
  expect(await find('abc123')).toEqual(['change Moon rises'])
  expect((await find(`#${studio.world.tasks!.mine!.id}`))[0]).toBe('task Moon is too dark')
})
