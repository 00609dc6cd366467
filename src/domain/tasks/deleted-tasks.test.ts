import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { asker, inProject } from '../../../test/support/studios/every-route.ts'
import { nightOwl } from '../../../test/support/studios/night-owl.ts'
import { sql } from '../../db/database.ts'
import { announcementOf } from '../channels/announcements.ts'
import { commentAnnouncement } from '../channels/comment-announcement.ts'
import { contextOf } from '../contents/change-context.ts'
import { releaseOf } from '../contents/release.ts'
import { overview } from '../feed/overview.ts'
import { Rollups } from '../feed/rollups.ts'
import * as files from '../files/files.ts'
import { list as membersOf } from '../projects/members.ts'
import { purgeExpired } from '../retention/retention.ts'
import { indexAll } from '../search/index.ts'
import { search } from '../search/palette.ts'
import { removeAll, restoreAll } from './bulk.ts'
import { linkChanges } from './links.ts'
import { ofTask } from './references.ts'
import { count } from './tasks.ts'

/** Words of one task, of a comment on it and of a file at that comment; a neighbor has the same with another ending. */
const [TITLE, COMMENT, FILE] = ['Xylophone', 'Zither', 'Quena']

let studio: Studio
let by: { account_id: number; project_id: number; user_id: number; token_id: null }
beforeAll(async () => {
  studio = await openStudio(nightOwl)
  const { accounts, projects, users } = studio.world
  by = { account_id: accounts.owl!.id, project_id: projects.star!.id, user_id: users.lead!.id as number, token_id: null }
  for (const [task, comment] of [
    ['task4', 'comment4'],
    ['task5', 'comment5'],
  ] as const)
    await fill(Number(id('tasks', task)), Number(id('comments', comment)), task === 'task4' ? '' : 'neighbor')
})
afterAll(() => studio.close())

const { id, pathOf, ask } = asker(() => studio)

async function fill(task: number, comment: number, mark: string) {
  const { db } = studio
  await db.execute(sql`update tasks set title = ${TITLE + mark}, state = 'blocked', user_id = ${by.user_id}, assignee_handle = null,
    created_at = now(), updated_at = now() where account_id = ${by.account_id} and id = ${task}`)
  await db.execute(sql`update comments set task_id = ${task}, body = ${COMMENT + mark}, mentions = array[${by.user_id}::integer]
    where account_id = ${by.account_id} and id = ${comment}`)
  await db.execute(sql`
    insert into comment_reactions (account_id, comment_id, user_id, reaction) values (${by.account_id}, ${comment}, ${by.user_id}, '👍')`)
  const stored = await files.storeImported(db, by.account_id, { name: `${FILE}${mark}.txt`, bytes: Buffer.from(`file ${mark}`) })
  await files.attach(db, by, comment, stored)
  await db.execute(sql`update breakages set task_id = ${task} where account_id = ${by.account_id}
    and id = ${id('breakages', mark === '' ? 'breakage4' : 'breakage5')}`)
  await removeAll(db, by, [task])
  await restoreAll(db, by, [task])
  await indexAll(db)
}

const task = () => Number(id('tasks', 'task4'))
const isRight = (word: string, text: string) => new RegExp(`${word}(?!neighbor)`).test(text)
const isNeighbor = (word: string, text: string) => text.includes(`${word}neighbor`)

/** What people see that names the task, its comment or its file, by where they see it. */
async function seen() {
  const { db, site } = studio
  const texts: Record<string, string> = {}
  for (const [name, { method }] of inProject.filter(([, route]) => route.method === 'GET')) {
    const query = name.startsWith('search') ? `?q=${TITLE}` : ''
    texts[name] = (await ask(name, `${pathOf(name)}${query}`, { method })).text
  }
  texts.listComments = (
    await ask('listComments', `${pathOf('listComments')}?before_id=${Number(id('comments', 'comment5')) + 1}`)
  ).text
  for (const query of [
    `state=blocked&task_type=chore`,
    `label=label-4`,
    `label=label-5`,
    `updated_since=2026-01-01T00:00:00Z`,
    'assignee=me',
  ])
    texts[`tasks?${query}`] = (await ask('listTasks', `${pathOf('listTasks')}?${query}`)).text
  for (const word of [TITLE, COMMENT, `#${task()}`, `#${id('tasks', 'task5')}`, 'Lead'])
    texts[`palette ${word}`] = JSON.stringify(await search(db, by.user_id, word, undefined))
  texts.overview = JSON.stringify(await overview(db, by, by.user_id, site))
  for (const key of ['4', '5']) {
    texts[`context ${key}`] = JSON.stringify(await contextOf(db, by, Number(id('changes', `change${key}`))))
    texts[`release ${key}`] = JSON.stringify(await releaseOf(db, by, id('deployments', `deployment${key}`)))
  }
  for (const key of ['task4', 'task5']) {
    const subject = {
      account_id: by.account_id,
      project_id: by.project_id,
      subject: 'task',
      subject_id: id('tasks', key),
      here: false,
    } as const
    texts[`announcement ${key}`] = JSON.stringify((await announcementOf(db, subject, site)) ?? '')
  }
  for (const key of ['comment4', 'comment5'])
    texts[`announcement ${key}`] = JSON.stringify((await commentAnnouncement(db, by, id('comments', key), site)) ?? '')
  const entries = Object.entries(texts)
  const namesOf = (names: typeof isRight) =>
    entries.filter(([, text]) => [TITLE, COMMENT, FILE].some((word) => names(word, text))).map(([name]) => name)
  return { own: namesOf(isRight), neighbor: namesOf(isNeighbor) }
}

const hanging = () =>
  studio.db.one(sql`
    select t.title, t.labels, (select count(*) from task_changes k where k.account_id = t.account_id and k.task_id = t.id) as changes,
      (select count(*) from task_build_runs k where k.account_id = t.account_id and k.task_id = t.id) as builds,
      (select count(*) from task_deployments k where k.account_id = t.account_id and k.task_id = t.id) as deployments,
      (select count(*) from task_labels k where k.account_id = t.account_id and k.task_id = t.id) as listed_labels,
      (select count(*) from breakages k where k.account_id = t.account_id and k.task_id = t.id) as breakages,
      (select json_agg(json_build_object('body', c.body, 'files', (select count(*) from files f where f.account_id = c.account_id and f.comment_id = c.id),
        'reactions', (select count(*) from comment_reactions r where r.account_id = c.account_id and r.comment_id = c.id)) order by c.id)
        from comments c where c.account_id = t.account_id and c.task_id = t.id) as comments
    from tasks t where t.account_id = ${by.account_id} and t.id = ${task()}`)

test('a deleted task is nowhere to be seen with its comments and files, its neighbor stays, and an undo brings back all of it', async () => {
  const before = await seen()
  const held = await hanging()
  expect(before.own).toEqual(
    expect.arrayContaining([
      'listTasks',
      'showTask',
      'searchTasks',
      'listComments',
      'listTaskComments',
      'showComment',
      'overview',
    ]),
  )
  const { json: rollup } = await ask('showProject')
  await removeAll(studio.db, by, [task()])
  const during = await seen()
  expect(during.own).toEqual([])
  expect(before.neighbor.filter((place) => !during.neighbor.includes(place))).toEqual([])
  expect((await ask('showProject')).json.tasks_count).toBe(rollup.tasks_count - 1)
  expect((await ask('editTask')).status).toBe(404)
  expect((await ask('createTaskComment')).status).toBe(404)
  expect((await ask('editComment')).status).toBe(404)
  expect((await ask('showChange')).json.task_ids).not.toContain(task())
  expect((await ask('showBreakage')).json.task_id).toBeNull()
  const attached = (await studio.db.one<{ id: string }>(sql`
    select id from files where account_id = ${by.account_id} and comment_id = ${id('comments', 'comment4')}`))!.id
  expect(await files.find(studio.db, by, attached)).toBeUndefined()
  await restoreAll(studio.db, by, [task()])
  expect(await seen()).toEqual(before)
  expect(await hanging()).toEqual(held)
  expect((await ask('showBreakage')).json.task_id).toBe(task())
  expect(await files.find(studio.db, by, attached)).toBeDefined()
})

test('a change that names a deleted task is linked once the task is restored', async () => {
  const change = Number(id('changes', 'change9'))
  await removeAll(studio.db, by, [task()])
  await linkChanges(studio.db, by, [{ task_id: task(), change_id: change }])
  expect((await ask('showChange', pathOf('showChange', undefined, String(change)))).json.task_ids).not.toContain(task())
  await restoreAll(studio.db, by, [task()])
  expect((await ask('showChange', pathOf('showChange', undefined, String(change)))).json.task_ids).toContain(task())
})

test('of several tasks all or none are deleted and restored', async () => {
  const some = ['task6', 'task7'].map((key) => Number(id('tasks', key)))
  const foreign = Number(id('tasks', 'fox-task6'))
  await expect(removeAll(studio.db, by, [...some, foreign])).rejects.toMatchObject({ status: 404 })
  await removeAll(studio.db, by, some)
  await expect(removeAll(studio.db, by, some.slice(1))).rejects.toMatchObject({ status: 404 })
  await expect(restoreAll(studio.db, by, [...some, task()])).rejects.toMatchObject({ status: 404 })
  await restoreAll(studio.db, by, some)
  for (const one of some) expect((await ask('showTask', pathOf('showTask', undefined, String(one)))).status).toBe(200)
})

test('a task that was deleted 30 days ago is purged with its comments and history, a later one is not', async () => {
  const [old, recent, left] = ['task8', 'task9', 'task10'].map((key) => Number(id('tasks', key))) as [number, number, number]
  for (const one of [old, recent, left])
    await studio.db.execute(sql`
      insert into comments (account_id, project_id, task_id, body) values (${by.account_id}, ${by.project_id}, ${one}, 'Said')`)
  await removeAll(studio.db, by, [old, recent])
  await studio.db.execute(
    sql`update tasks set deleted_at = now() - interval '31 days' where account_id = ${by.account_id} and id = ${old}`,
  )
  await purgeExpired(studio.db)
  const rest = (table: 'tasks' | 'comments' | 'task_history') =>
    studio.db.rows<{ id: number }>(sql`
      select distinct ${table === 'tasks' ? sql`id from tasks` : table === 'comments' ? sql`task_id as id from comments` : sql`task_id as id from task_history`}
      where account_id = ${by.account_id} order by 1`)
  const idsIn = async (table: 'tasks' | 'comments' | 'task_history') =>
    (await rest(table)).map((row) => row.id).filter((one) => [old, recent, left].includes(one))
  expect(await idsIn('tasks')).toEqual([recent, left])
  expect(await idsIn('comments')).toEqual([recent, left])
  expect(await idsIn('task_history')).toEqual([recent])
})

test('a deleted task is in no count, and its assignee in no list of handles, as long as no other has them', async () => {
  const { db } = studio
  const one = Number(id('tasks', 'task11'))
  await db.execute(sql`
    update tasks set state = 'blocked', user_id = null, assignee_handle = 'only-here' where account_id = ${by.account_id} and id = ${one}`)
  const numbers = async () => ({
    blocked: (await count(db, by.project_id)).blocked,
    open: (await new Rollups().read(db, { account_id: by.account_id, project_ids: null })).open_tasks,
    handles: (await membersOf(db, by)).assignee_handles.filter((handle) => handle === 'only-here').length,
  })
  const before = await numbers()
  await removeAll(db, by, [one])
  expect(await numbers()).toEqual({ blocked: before.blocked - 1, open: before.open - 1, handles: 0 })
  await expect(ofTask(db, by, one)).rejects.toMatchObject({ status: 404 })
  await restoreAll(db, by, [one])
  expect(await numbers()).toEqual({ ...before, handles: 1 })
  expect(await ofTask(db, by, one)).toEqual([])
})
