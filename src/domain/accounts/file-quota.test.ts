import { afterAll, beforeAll, expect, test } from 'vitest'
import { buffersOf } from '../../../test/support/buffers.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import { QUOTA_DEFAULTS, refuseFile } from './quotas.ts'

const SERVICE = { ...QUOTA_DEFAULTS, stored_bytes: null, file_bytes: 1_000_000 }
let studio: Studio
let [owl, fox, star, foxhole] = [0, 0, 0, 0]
beforeAll(async () => {
  studio = await openStudio({
    accounts: ['owl', 'fox'].map((key) => ({ key, name: key })),
    projects: [
      { key: 'star', account: 'owl', name: 'Starfall' },
      { key: 'foxhole', account: 'fox', name: 'Foxhole' },
    ],
    build_runs: [
      { key: 'star', project: 'star', status: 'completed' },
      { key: 'foxhole', project: 'foxhole', status: 'completed' },
    ],
    assets: ['crate', 'barrel'].map((key) => ({
      key,
      project: 'star',
      name: `${key}.png`,
      path: `${key}.png`,
      asset_type: 'texture',
    })),
    tasks: [{ key: 'task', project: 'star', title: 'Cook' }],
  })
  const { accounts, projects } = studio.world
  ;[owl, fox, star, foxhole] = [accounts!.owl!.id, accounts!.fox!.id, projects!.star!.id, projects!.foxhole!.id].map(Number) as [
    number,
    number,
    number,
    number,
  ]
})
afterAll(() => studio.close())

const usage = (account: number) =>
  studio.db.one<Record<string, number>>(sql`
    select attachments::float8 as attachments, previews::float8 as previews, artifacts::float8 as artifacts from file_usage
    where account_id = ${account}`)
const upload = (account: number, project: number, name: string, bytes: number, count = 1) =>
  studio.db.execute(sql`
    insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes, received)
    select account_id, project_id, id, ${name} || n, 'one', ${bytes}, ${bytes} from build_runs, generate_series(1, ${count}::integer) n
    where account_id = ${account} and project_id = ${project}`)
const preview = (asset: string, version: number, bytes: number) =>
  studio.db.execute(sql`
    insert into previews (account_id, project_id, asset_id, version, state, kind, small_bytes, large_bytes)
    values (${owl}, ${star}, ${studio.world.assets![asset]!.id}, ${version}, 'ready', 'text', 1, ${bytes - 1})`)

test('the bytes of files are counted by kind and account as rows come, change and go', async () => {
  await studio.db.execute(sql`insert into file_contents (account_id, sha256, bytes) values (${owl}, sha256('a'), 7)`)
  await studio.db.execute(sql`
    with comment as (
      insert into comments (account_id, project_id, task_id, body) values (${owl}, ${star}, ${studio.world.tasks!.task!.id}, 'x') returning id)
    insert into files (account_id, project_id, comment_id, sha256, bytes, name, type)
    select ${owl}, ${star}, id, sha256('a'), 7, 'a.txt', 'text/plain' from comment`)
  await upload(owl, star, 'game', 100, 3)
  await upload(fox, foxhole, 'game', 40)
  await preview('crate', 1, 20)
  await preview('barrel', 1, 30)
  expect(await usage(owl)).toEqual({ attachments: 7, previews: 50, artifacts: 300 })
  expect(await usage(fox)).toEqual({ attachments: 0, previews: 0, artifacts: 40 })
  await studio.db.execute(sql`update artifacts set received = received - 10, bytes = 1000 where account_id = ${owl}`)
  await studio.db.execute(sql`update previews set large_bytes = 9 where asset_id = ${studio.world.assets!.crate!.id}`)
  await studio.db.execute(sql`delete from assets where id = ${studio.world.assets!.barrel!.id}`)
  await studio.db.execute(sql`delete from artifacts where name = 'game1'`)
  expect(await usage(owl)).toEqual({ attachments: 7, previews: 10, artifacts: 180 })
  expect(await usage(fox)).toEqual({ attachments: 0, previews: 0, artifacts: 0 })
})

test('previews leave room for artifacts', async () => {
  const { previews } = (await usage(owl))!
  const room = 400_000 - previews!
  await expect(refuseFile(studio.db, SERVICE, owl, 'previews', room + 1)).rejects.toMatchObject({ code: 'quota_exceeded' })
  await refuseFile(studio.db, SERVICE, owl, 'previews', room)
  await refuseFile(studio.db, SERVICE, owl, 'artifacts', room + 1)
})

test('a change of the account is recorded while the quota of a file is checked, and a second file waits', async () => {
  let [goOn, isAudited, isSecond] = [() => {}, false, false]
  const holding = new Promise<void>((done) => {
    goOn = done
  })
  let isHeld = false
  const first = studio.db.transaction(async (db) => {
    await refuseFile(db, SERVICE, owl, 'artifacts', 1)
    isHeld = true
    await holding
  })
  await until(() => isHeld)
  const second = studio.db
    .transaction((db) => refuseFile(db, SERVICE, owl, 'artifacts', 1))
    .then(() => {
      isSecond = true
    })
  await studio.db.execute(sql`insert into audit_log (account_id, action) values (${owl}, 'editAccount')`)
  isAudited = true
  await until(async () => {
    const waiting = await studio.db.rows(sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%file_usage%'`)
    return waiting.length > 0
  })
  expect([isAudited, isSecond]).toEqual([true, false])
  goOn()
  await Promise.all([first, second])
})

test('a small file beside many files reads few buffers', async () => {
  await upload(owl, star, 'many', 1, 20_000)
  await studio.db.execute(sql`analyze artifacts, file_usage`)
  const buffers = await buffersOf(studio.db, (db) => refuseFile(db, SERVICE, owl, 'attachments', 10))
  expect(buffers).toBeLessThanOrEqual(50)
})
