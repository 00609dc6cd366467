import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workshop } from '../../../test/support/studios/workshop.ts'
import { sql } from '../../db/database.ts'
import * as index from './index.ts'
import { search } from './palette.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(
    {
      ...workshop,
      changes: [
        {
          key: 'c',
          project: 'star',
          identifier: 'abc123def4567890',
          source_type: 'GitCommit',
          description: 'Moon rises\n\nAsked by kim@secret.example',
          author: 'Kim Doe <kim@secret.example>',
        },
      ],
      build_runs: [1, 2, 3].map((n) => ({
        key: `b${n}`,
        project: 'star',
        status: 'completed',
        ci_job_name: 'moon-night',
        build_number: String(n),
        created_at: `2026-01-0${n}`,
        branch: n === 2 ? 'release/0.9' : 'main',
      })),
      breakages: [
        {
          key: 'x',
          project: 'star',
          builds: ['b1'],
          jobs: ['moon-night'],
          branch: 'main',
          cause: 'The lantern is not declared.',
          evidence: [{ line: 7, text: 'C:\\ws\\star\\Source\\Lantern.cpp(5): error C2065' }],
          opened_at: '2026-01-01',
        },
      ],
      deployments: [{ key: 'd', project: 'star', platform: 'steam', version: '0.9.3', status: 'live' }],
      tasks: [
        { key: 'mine', project: 'star', title: 'Moon is too dark' },
        { key: 'camel', project: 'moon', title: 'Balance TideWarden' },
        { key: 'hers', project: 'star', title: 'Rope sways', user: 'lead' },
        { key: 'theirs', project: 'den', title: 'Moon of the rivals' },
      ],
    },
    { wideIds: true },
  )
})
afterAll(() => studio.close())

const userId = (key: string) => Number(studio.world.users![key]!.id)
const projectId = (key: string) => Number(studio.world.projects![key]!.id)
const find = async (text: string, project?: string) =>
  (await search(studio.db, userId('lead'), text, project === undefined ? undefined : projectId(project))).map(
    ({ kind, title }) => `${kind} ${title}`,
  )

async function indexAll() {
  await index.indexAll(studio.db)
  expect(await studio.db.rows(sql`select from search_queue`)).toEqual([])
}

const ALL_OF_MOON = [
  'project Moonrise',
  'task Moon is too dark',
  'breakage Lantern.cpp(5): error C2065',
  'build moon-night #3',
  'build moon-night #2',
  'build moon-night #1',
  'change Moon rises',
]

describe.each([
  ['queued', async () => {}],
  ['indexed', indexAll],
])('what is %s', (_, prepare) => {
  beforeAll(prepare)

  test('is found by a part of its name, kind by kind, newest first, and nothing of another account', async () => {
    expect(await find('moon')).toEqual(ALL_OF_MOON)
    expect(await search(studio.db, userId('rival'), 'moon', undefined)).toMatchObject([{ title: 'Moon of the rivals' }])
  })

  test('is found only in the requested project', async () => {
    expect(await find('a', 'moon')).toEqual(['person Artful Arthur'])
    expect(await find('balance', 'star')).toEqual([])
    expect(await find('balance', 'moon')).toEqual(['task Balance TideWarden'])
    expect(await find('balance', 'den')).toEqual([])
  })

  test('is found by number, identifier and a prefix of it, the exact match first, once', async () => {
    expect(await find('abc123def4567890')).toEqual(['change Moon rises'])
    expect(await find('abc123de')).toEqual(['change Moon rises'])
    expect(await find('abc123def45')).toEqual(['change Moon rises'])
    expect((await find(`#${studio.world.tasks!.mine!.id}`))[0]).toBe('task Moon is too dark')
  })

  test('is found by words of a name in camel case, by job and number, store and version, author', async () => {
    expect(await find('tide warden')).toEqual(['task Balance TideWarden'])
    expect((await find('moon 2')).at(-1)).toBe('build moon-night #2')
    expect(await find('Steam 0.9.3')).toEqual(['deployment steam 0.9.3'])
    expect(await find('kim doe')).toEqual(['change Moon rises'])
  })

  test('is found by the name of its project and its own number or words', async () => {
    expect(await find('starfall night 3')).toEqual(['build moon-night #3'])
    expect(await find(`starfall ${studio.world.tasks!.mine!.id}`)).toContain('task Moon is too dark')
    expect(await find('starfall abc123de')).toEqual(['change Moon rises'])
    expect(await find('moonrise night 3')).toEqual([])
  })

  test('is found by a branch; branches and stores are found too', async () => {
    expect(await find('release/0.9')).toEqual(['branch release/0.9', 'build moon-night #2'])
    expect(await find('rel')).toEqual(['branch release/0.9', 'build moon-night #2'])
    expect(await find('stea')).toEqual(['store steam', 'deployment steam 0.9.3'])
    expect(await find('google')).toEqual([])
  })

  test('leads from a person to their work, in one account only', async () => {
    const [{ name }] = (await studio.db.rows<{ name: string }>(sql`select name from users where id = ${userId('lead')}`)) as [
      { name: string },
    ]
    expect(await find(name)).toEqual([`person ${name}`, 'task Rope sways'])
    const [hit] = await search(studio.db, userId('lead'), name, undefined)
    expect(hit!.url).toBe(`/projects/${projectId('star')}/tasks?assignee=user%3A${userId('lead')}`)
    expect(await search(studio.db, userId('rival'), name, undefined)).toEqual([])
  })

  test('is not found by an address, which is never shown', async () => {
    expect(await find('secret.example')).toEqual([])
    expect(await find('kim@secret')).toEqual([])
    expect(await find('asked by kim')).toEqual(['change Moon rises'])
  })

  test('survives queries of every kind', async () => {
    for (const odd of [
      '%',
      '_',
      '\\',
      "'",
      '"',
      '{',
      '🚀',
      '\u202eabc',
      '\ud800',
      'x'.repeat(5_000),
      'crate harbour '.repeat(400),
      '水',
    ])
      expect(await find(odd)).toEqual([])
  })
})

test('a guest finds only records and people of their projects', async () => {
  const made = await studio.load({
    users: [
      {
        key: 'guest',
        email: 'guest@example.com',
        name: 'Visiting Vera',
        accounts: { [`acct_${studio.world.accounts!.owl!.id}`]: 'guest' },
      },
    ],
  })
  const guest = Number(made.users!.guest!.id)
  const seen = async (text: string) => (await search(studio.db, guest, text, undefined)).map(({ title }) => title)
  for (const text of ['moon', 'Leading', 'release', 'steam', 'starfall 1']) expect(await seen(text), text).toEqual([])
  await studio.db.execute(sql`
    insert into project_members (account_id, project_id, user_id)
    select p.account_id, p.id, ${guest} from projects p where p.id = ${projectId('moon')}`)
  expect(await seen('balance')).toEqual(['Balance TideWarden'])
  for (const text of ['release', 'steam', 'rope']) expect(await seen(text), text).toEqual([])
})

test('an edit is found at once, by the new name only, and a deleted record no more', async () => {
  await indexAll()
  const id = studio.world.tasks!.camel!.id
  await studio.db.execute(sql`update tasks set title = 'Balance the harpooner' where id = ${id}`)
  for (const prepare of [async () => {}, indexAll]) {
    await prepare()
    expect(await find('harpooner')).toEqual(['task Balance the harpooner'])
    expect(await find('tide warden')).toEqual([])
  }
  await studio.db.execute(sql`delete from tasks where id = ${id}`)
  expect(await find('harpooner')).toEqual([])
  expect(await studio.db.rows(sql`select from search_documents where kind = 'task' and record_id = ${String(id)}`)).toEqual([])
})

test('a comment is found by its words, by the new ones after an edit, and no more once it is deleted', async () => {
  await indexAll()
  const add = async (project: string, task: string, body: string) =>
    (await studio.db.one<{ id: number }>(sql`
      insert into comments (account_id, project_id, task_id, body) select account_id, project_id, id, ${body} from tasks
      where id = ${studio.world.tasks![task]!.id} and project_id = ${projectId(project)} returning id`))!.id
  const id = await add('star', 'mine', 'The <@7> periscope leaks, ask kim@secret.example')
  await add('den', 'theirs', 'Their periscope too')
  for (const prepare of [async () => {}, indexAll]) {
    await prepare()
    const [hit, ...others] = await search(studio.db, userId('lead'), 'periscope', undefined)
    expect(others).toEqual([])
    expect(hit).toMatchObject({
      kind: 'comment',
      title: expect.stringMatching(/^The @… periscope leaks, ask (?!kim@)/),
      detail: `comment on task #${studio.world.tasks!.mine!.id}`,
      url: `/projects/${projectId('star')}/tasks/${studio.world.tasks!.mine!.id}#comment-${id}`,
    })
    expect(await find('periscope', 'moon')).toEqual([])
    expect(await find('secret.example')).toEqual([])
  }
  await studio.db.execute(sql`update comments set body = 'The sextant leaks' where id = ${id}`)
  for (const prepare of [async () => {}, indexAll]) {
    await prepare()
    expect(await find('sextant')).toEqual(['comment The sextant leaks'])
    expect(await find('periscope')).toEqual([])
  }
  await studio.db.execute(sql`update comments set body = '', deleted_at = now() where id = ${id}`)
  const documents = () => studio.db.rows(sql`select from search_documents where kind = 'comment' and record_id = ${String(id)}`)
  expect(await documents()).toEqual([])
  await studio.db.execute(sql`update comments set updated_at = now() where id = ${id}`)
  await index.queueUnindexed(studio.db)
  await indexAll()
  expect([await documents(), await find('sextant')]).toEqual([[], []])
})

test('a breakage that a node of the previous version took from the queue is queued again', async () => {
  await indexAll()
  await studio.db.execute(sql`delete from search_documents where kind = 'breakage'`)
  expect(await find('lantern')).toEqual([])
  await index.queueUnindexed(studio.db)
  await indexAll()
  expect(await find('lantern')).toEqual(['breakage Lantern.cpp(5): error C2065'])
  await index.queueUnindexed(studio.db)
  expect(await studio.db.rows(sql`select from search_queue`)).toEqual([])
})

test('every record is found by its own title, however many share its words, and the exact title is first', async () => {
  await studio.db.execute(sql`
    insert into tasks (account_id, project_id, title, created_at)
    select account_id, id, 'Fix crate ' || n || ' of the harbour', now() - n * interval '1 minute'
    from projects, generate_series(1, 9000) n where id = ${projectId('star')}`)
  await studio.db.execute(sql`
    insert into tasks (account_id, project_id, title, created_at)
    select account_id, id, 'Fix crate', now() - interval '1 year' from projects where id = ${projectId('star')}`)
  await indexAll()
  expect((await studio.db.rows(sql`select from search_segments where kind = 'task'`)).length).toBeGreaterThan(2)
  for (const n of [1, 4_095, 4_096, 4_097, 8_999, 9_000])
    expect((await find(`Fix crate ${n} of the harbour`))[0]).toBe(`task Fix crate ${n} of the harbour`)
  expect(await find('fix crate')).toEqual(
    ['Fix crate', ...[1, 2, 3, 4, 5].map((n) => `Fix crate ${n} of the harbour`)].map((title) => `task ${title}`),
  )
  expect((await find('crate 8999'))[0]).toBe('task Fix crate 8999 of the harbour')
})
