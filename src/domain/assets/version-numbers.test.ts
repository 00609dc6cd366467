import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'
import { apply } from '../../intake/apply.ts'
import type { ChangeFact } from '../../intake/facts.ts'
import type { IntegrationContext } from '../integrations/context.ts'
import * as subjects from '../integrations/job-subjects.ts'
import { VERSION_COLUMNS } from './version-numbers.ts'
import { removeVersions } from './versions.ts'

let studio: Studio
let context: IntegrationContext
let history: IntegrationContext
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    integrations: [{ key: 'p4', project: 'star', provider: 'perforce' }],
  })
  const account_id = studio.world.accounts!.owl!.id as number
  context = (await subjects.integration(studio.db, { account_id, id: studio.world.integrations!.p4!.id as number }))!
  const made = (await studio.db.one<{ id: number }>(sql`
    insert into imports (account_id, project_id, integration_id, since, until, state)
    values (${account_id}, ${context.project_id}, ${context.integration_id}, now(), now(), 'running') returning id`))!
  history = { ...context, import_id: made.id }
})
afterAll(() => studio.close())

const PATH = '//star/main/T_Rock.png'
const change = (identifier: string, day: number, path = PATH) =>
  ({
    kind: 'change',
    source_type: 'Changelist',
    identifier,
    author: 'kim',
    author_uids: [],
    description: '',
    timestamp: `2026-10-0${day}T12:00:00Z`,
    branch: '',
    files: [{ path, action: 'edit' }],
  }) as unknown as ChangeFact
const submit = async (given: IntegrationContext, ...changes: ChangeFact[]) => {
  await studio.db.transaction((db) => apply(db, given, changes))
}
/** A preview of the newest version, made by its change. */
const preview = (reason: string) =>
  studio.db.execute(sql`
    insert into previews (account_id, project_id, asset_id, version, change_id, state, reason)
    select account_id, project_id, id, version, last_change_id, 'none', ${reason} from assets where path = ${PATH}`)
const previews = async () =>
  (await studio.db.rows<{ version: number; reason: string }>(sql`select version, reason from previews order by version`)).map(
    ({ version, reason }) => `${version} ${reason}`,
  )

/** Deletes the imported changes. */
async function undo() {
  const gone = await studio.db.rows<{ id: number; files: never; timestamp: string }>(sql`
    select id, files, timestamp from changes where import_id is not null`)
  await removeVersions(studio.db, context, gone)
  await studio.db.execute(sql`delete from changes where import_id is not null`)
}

test('previews keep their versions when an import adds older ones, and when it is undone', async () => {
  await submit(context, change('3', 3))
  await preview('third')
  await submit(context, change('5', 5))
  await preview('fifth')
  await submit(context, change('6', 6))
  await preview('sixth')
  expect(await previews()).toEqual(['1 third', '2 fifth', '3 sixth'])
  await submit(history, change('1', 1), change('2', 2), change('4', 4))
  expect(await previews()).toEqual(['3 third', '5 fifth', '6 sixth'])
  // The same page of an import again.
  await submit(history, change('1', 1), change('2', 2), change('4', 4))
  expect(await previews()).toEqual(['3 third', '5 fifth', '6 sixth'])
  await undo()
  expect(await previews()).toEqual(['1 third', '2 fifth', '3 sixth'])
  expect(await studio.db.one(sql`select version from assets where path = ${PATH}`)).toEqual({ version: 3 })
})

test('the preview of an imported version goes with it', async () => {
  await submit(history, change('0', 1))
  await studio.db.execute(sql`
    insert into previews (account_id, project_id, asset_id, version, state, reason)
    select account_id, project_id, id, 1, 'none', 'imported' from assets where path = ${PATH}`)
  expect(await previews()).toEqual(['1 imported', '2 third', '3 fifth', '4 sixth'])
  await undo()
  expect(await previews()).toEqual(['1 third', '2 fifth', '3 sixth'])
})

test('every column with the number of a version moves with it', async () => {
  const columns = await studio.db.rows<{ name: string }>(sql`
    select c.table_name || '.' || c.column_name as name from information_schema.columns c
    where c.table_schema = 'public' and c.column_name ~ 'version' and c.column_name not in ('terms_version') and exists (
      select from information_schema.columns a where a.table_schema = 'public' and a.table_name = c.table_name and a.column_name = 'asset_id')
    order by 1`)
  expect(columns.map(({ name }) => name)).toEqual(
    Object.entries(VERSION_COLUMNS)
      .map((names) => names.join('.'))
      .toSorted(),
  )
})

test('comments, points, decisions and their undo move with the picture that they are about, and those of another asset stay', async () => {
  const own = '//star/main/T_Moss.png'
  const other = '//star/main/T_Fern.png'
  const hang = (path: string, day: number) =>
    studio.db.execute(sql`
      with a as (select * from assets where path = ${path}),
        picture as (insert into previews (account_id, project_id, asset_id, version, change_id, state, reason)
          select account_id, project_id, id, version, last_change_id, 'none', 'day ' || ${day}::text from a),
        point as (insert into comments (account_id, project_id, asset_id, asset_version, point_x, point_y, body)
          select account_id, project_id, id, version, 0.5, 0.5, 'day ' || ${day}::text from a)
      insert into approvals (account_id, project_id, asset_id, commit_sha, status, asset_version, comments, undone)
      select account_id, project_id, id, ${`${path} ${day}`}, 'approved', version, 'day ' || ${day}::text,
        jsonb_build_array(jsonb_build_object('asset_version', version, 'undone_at', '2026-10-09T12:00:00Z')) from a`)
  for (const path of [own, other])
    for (const day of [3, 5]) {
      await submit(context, change(`${path} ${day}`, day, path))
      await hang(path, day)
    }
  const hanging = async (path: string) =>
    (
      await studio.db.rows<{ said: string; versions: number[] }>(sql`
        select p.reason as said, array[p.version, c.asset_version, v.asset_version, (v.undone -> 0 ->> 'asset_version')::integer] as versions
        from assets a join previews p on p.asset_id = a.id join comments c on c.asset_id = a.id and c.body = p.reason
        join approvals v on v.asset_id = a.id and v.comments = p.reason where a.path = ${path} order by p.version`)
    ).map(({ said, versions }) => `${said}: ${versions}`)
  expect(await hanging(own)).toEqual(['day 3: 1,1,1,1', 'day 5: 2,2,2,2'])
  await submit(history, change('moss 1', 1, own), change('moss 2', 2, own), change('moss 4', 4, own))
  expect(await hanging(own)).toEqual(['day 3: 3,3,3,3', 'day 5: 5,5,5,5'])
  expect(await hanging(other)).toEqual(['day 3: 1,1,1,1', 'day 5: 2,2,2,2'])
  await undo()
  for (const path of [own, other]) expect(await hanging(path)).toEqual(['day 3: 1,1,1,1', 'day 5: 2,2,2,2'])
})

test('a comment on a version without a picture moves with the next version that is known', async () => {
  const path = '//star/main/T_Leaf.png'
  for (const day of [3, 5]) await submit(context, change(`leaf ${day}`, day, path))
  await studio.db.execute(sql`
    insert into comments (account_id, project_id, asset_id, asset_version, body)
    select account_id, project_id, id, 1, 'first' from assets where path = ${path}`)
  const version = () =>
    studio.db.one(
      sql`select c.asset_version from comments c join assets a on a.account_id = c.account_id and a.id = c.asset_id where a.path = ${path}`,
    )
  await submit(history, change('leaf 1', 1, path), change('leaf 2', 2, path))
  expect(await version()).toEqual({ asset_version: 3 })
  await undo()
  expect(await version()).toEqual({ asset_version: 1 })
})
