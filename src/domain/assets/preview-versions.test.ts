import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'
import { apply } from '../../intake/apply.ts'
import type { ChangeFact } from '../../intake/facts.ts'
import type { IntegrationContext } from '../integrations/context.ts'
import * as subjects from '../integrations/job-subjects.ts'
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
const change = (identifier: string, day: number) =>
  ({
    kind: 'change',
    source_type: 'Changelist',
    identifier,
    author: 'kim',
    author_uids: [],
    description: '',
    timestamp: `2026-10-0${day}T12:00:00Z`,
    branch: '',
    files: [{ path: PATH, action: 'edit' }],
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
  const gone = await studio.db.rows<{ files: never; timestamp: string }>(sql`
    delete from changes where import_id is not null returning files, timestamp`)
  await removeVersions(studio.db, context, gone)
  expect(await previews()).toEqual(['1 third', '2 fifth', '3 sixth'])
  expect(await studio.db.one(sql`select version from assets where path = ${PATH}`)).toEqual({ version: 3 })
})

test('the preview of an imported version goes with it', async () => {
  await submit(history, change('0', 1))
  await studio.db.execute(sql`
    insert into previews (account_id, project_id, asset_id, version, state, reason)
    select account_id, project_id, id, 1, 'none', 'imported' from assets where path = ${PATH}`)
  expect(await previews()).toEqual(['1 imported', '2 third', '3 fifth', '4 sixth'])
  const gone = await studio.db.rows<{ files: never; timestamp: string }>(sql`
    delete from changes where import_id is not null returning files, timestamp`)
  await removeVersions(studio.db, context, gone)
  expect(await previews()).toEqual(['1 third', '2 fifth', '3 sixth'])
})
