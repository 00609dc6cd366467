import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { raw, type Sql, sql } from '../../db/database.ts'
import { KEPT_BY, UNDONE } from './kept-records.ts'
import { undoImport } from './undo-import.ts'

let studio: Studio
let owner: { account_id: number; project_id: number }
let kim: number
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    integrations: [{ key: 'p4', project: 'star', provider: 'perforce' }],
    tasks: [{ key: 'task', project: 'star', title: 'Cook' }],
    build_runs: [{ key: 'known', project: 'star', status: 'failed' }],
    breakages: [{ key: 'breakage', project: 'star', builds: ['known'], opened_at: '2026-01-02T00:00:00Z' }],
    assets: ['seen', 'unseen'].map((key) => ({ key, project: 'star', name: key, path: `${key}.png`, asset_type: 'texture' })),
  })
  owner = { account_id: studio.world.accounts.owl!.id, project_id: studio.world.projects.star!.id }
  kim = studio.world.users.kim!.id as number
})
afterAll(() => studio.close())

const idOf = (kind: 'tasks' | 'build_runs' | 'breakages' | 'assets', key: string) => studio.world[kind]![key]!.id
const place = () => sql`${owner.account_id}::integer, ${owner.project_id}::integer`
const one = (statement: Sql) => studio.db.one<{ id: number }>(statement)

/** An import with two records of the table, of which the test adds something to the first. */
async function imported(table: (typeof UNDONE)[number]) {
  const { id } = (await one(sql`
    insert into imports (account_id, project_id, integration_id, since, until, state, created_at)
    values (${place()}, ${studio.world.integrations!.p4!.id as number}, now(), now(), 'undoing', now() - interval '1 hour') returning id`))!
  const rows = {
    changes: (n: number) => sql`
      insert into changes (account_id, project_id, identifier, source_type, author, description, timestamp, import_id)
      values (${place()}, ${`${id}${n}`}, 'Changelist', 'kim', 'Mend #9 and GM-8', now(), ${id}) returning id`,
    build_runs: () => sql`
      insert into build_runs (account_id, project_id, status, import_id) values (${place()}, 'failed', ${id}) returning id`,
    deployments: () => sql`
      insert into deployments (account_id, project_id, platform, import_id) values (${place()}, 'steam', ${id}) returning id`,
  }
  const [first, second] = [(await one(rows[table](1)))!.id, (await one(rows[table](2)))!.id]
  return { import_id: id, first, second, identifier: `${id}1` }
}
type Imported = Awaited<ReturnType<typeof imported>>

/** How people leave something on the first record, by the column that refers to it. */
const LEFT: { [T in (typeof UNDONE)[number]]: Record<string, (made: Imported) => Sql> } = {
  changes: {
    'comments.change_id': ({ first }) =>
      sql`insert into comments (account_id, project_id, change_id, body) values (${place()}, ${first}, 'Why?')`,
    'branch_marks.change_id': ({ first }) =>
      sql`insert into branch_marks (account_id, project_id, branch, change_id, reason) values (${place()}, ${`main ${first}`}, ${first}, 'played it')`,
    'bisections.found_change_id': ({ first }) => sql`
      insert into bisections (account_id, project_id, breakage_id, occurrence, job, branch, status, suspects, failures, found_change_id)
      values (${place()}, ${idOf('breakages', 'breakage')}, 1, 'night', 'main', 'found', '[]', 1, ${first})`,
    'previews.change_id': ({ first }) => sql`
      insert into previews (account_id, project_id, asset_id, version, change_id, state, kind, source)
      values (${place()}, ${idOf('assets', 'seen')}, 1, ${first}, 'ready', 'text', 'upload')`,
    'task_changes.change_id': ({ first }) =>
      sql`insert into task_changes (account_id, task_id, change_id) values (${owner.account_id}, ${idOf('tasks', 'task')}, ${first})`,
    'approvals.commit_sha': ({ identifier }) => sql`
      insert into approvals (account_id, project_id, asset_id, commit_sha, status, approver_user_id)
      values (${place()}, ${idOf('assets', 'seen')}, ${identifier}, 'denied', ${kim})`,
    'corrections.cleared_change_ids': ({ first }) => sql`
      insert into corrections (account_id, project_id, cleared_change_ids, user_id) values (${place()}, array[${first}::bigint], ${kim})`,
  },
  build_runs: {
    'comments.build_run_id': ({ first }) =>
      sql`insert into comments (account_id, project_id, build_run_id, body) values (${place()}, ${first}, 'Red')`,
    'corrections.build_run_id': ({ first }) => sql`
      insert into corrections (account_id, project_id, build_run_id, category, user_id) values (${place()}, ${first}, 'network', ${kim})`,
    'bisection_builds.build_run_id': ({ first }) => sql`
      insert into bisection_builds (account_id, bisection_id, number, project_id, build_run_id, change_id, verdict)
      select account_id, max(id), 1, project_id, ${first}, 1, 'bad' from bisections group by account_id, project_id`,
    'investigations.build_run_id': ({ first }) => sql`
      insert into investigations (account_id, build_run_id, status, automatic) values (${owner.account_id}, ${first}, 'completed', false)`,
    'deployments.build_run_id': ({ first }) => sql`
      insert into deployments (account_id, project_id, platform, build_run_id, build_basis) values (${place()}, 'steam', ${first}, 'person')`,
    'artifacts.build_run_id': ({ first }) => sql`
      insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes, received, completed_at, sha256)
      values (${place()}, ${first}, 'Game.zip', 'one', 6, 6, now(), sha256('a game'))`,
    'test_builds.build_run_id': ({ first }) => sql`
      insert into test_builds (account_id, project_id, integration_id, ci_job_name, build_number, build_run_id, digests)
      values (${place()}, ${studio.world.integrations!.p4!.id as number}, 'tests', ${String(first)}, ${first}, array['\\x01'::bytea])`,
  },
  deployments: {
    'comments.deployment_id': ({ first }) =>
      sql`insert into comments (account_id, project_id, deployment_id, body) values (${place()}, ${first}, 'Live?')`,
    'deployment_history.deployment_id': ({ first }) => sql`
      insert into deployment_history (account_id, project_id, deployment_id, kind, user_id, after)
      values (${place()}, ${first}, 'status', ${kim}, 'live')`,
  },
}

const CASES = UNDONE.flatMap((table) => Object.keys(LEFT[table]).map((column) => [table, column] as const))

test.each(CASES)('an undo keeps one of the %s that has %s, and deletes the one beside it', async (table, column) => {
  const made = await imported(table)
  await studio.db.execute(LEFT[table][column]!(made))
  await undoImport(studio.db, { account_id: owner.account_id, import_id: made.import_id })
  const left = await studio.db.rows<{ id: number }>(sql`
    select id, import_id from ${raw(table)} where account_id = ${owner.account_id} and id in (${made.first}, ${made.second})`)
  expect(left).toEqual([{ id: made.first, import_id: null }])
  expect(
    await studio.db.one(sql`select state, kept from imports where account_id = ${owner.account_id} and id = ${made.import_id}`),
  ).toEqual({
    state: 'undone',
    kept: 1,
  })
})

test('what a tool or the service said itself keeps nothing', async () => {
  const leftOf = async (table: (typeof UNDONE)[number], { import_id, first, second }: Imported) => {
    await undoImport(studio.db, { account_id: owner.account_id, import_id })
    return studio.db.rows(
      sql`select id from ${raw(table)} where account_id = ${owner.account_id} and id in (${first}, ${second})`,
    )
  }
  const changes = await imported('changes')
  await studio.db.execute(sql`
    insert into previews (account_id, project_id, asset_id, version, change_id, state)
    values (${place()}, ${idOf('assets', 'unseen')}, 1, ${changes.first}, 'pending')`)
  await studio.db.execute(sql`
    insert into approvals (account_id, project_id, asset_id, commit_sha, status)
    values (${place()}, ${idOf('assets', 'unseen')}, ${changes.identifier}, 'pending')`)
  await studio.db.execute(sql`
    insert into tasks (id, account_id, project_id, title) overriding system value values (9, ${place()}, 'Named in the text')`)
  await studio.db.execute(
    sql`insert into task_changes (account_id, task_id, change_id) values (${owner.account_id}, 9, ${changes.first})`,
  )
  await studio.db.execute(sql`
    insert into comments (account_id, project_id, change_id, body, deleted_at) values (${place()}, ${changes.first}, '', now())`)
  expect(await leftOf('changes', changes)).toEqual([])
  const builds = await imported('build_runs')
  await studio.db.execute(sql`
    insert into investigations (account_id, build_run_id, status, automatic) values (${owner.account_id}, ${builds.first}, 'completed', true)`)
  await studio.db.execute(sql`
    insert into deployments (account_id, project_id, platform, build_run_id, build_basis) values (${place()}, 'steam', ${builds.first}, 'job')`)
  expect(await leftOf('build_runs', builds)).toEqual([])
})

test('a comment on a version that the import brought keeps its change, one on a version from before does not', async () => {
  const made = await imported('changes')
  const file = (path: string) => JSON.stringify([{ path, action: 'edit' }])
  await studio.db.execute(sql`update changes set files = ${file('old.png')}::jsonb where id = ${made.second}`)
  await studio.db.execute(sql`update changes set files = ${file('new.png')}::jsonb where id = ${made.first}`)
  for (const [path, version, change] of [
    ['old.png', 2, null],
    ['new.png', 1, made.first],
  ] as const)
    await studio.db.execute(sql`
      insert into assets (account_id, project_id, name, path, asset_type, version, last_change_id)
      values (${place()}, ${path}, ${path}, 'texture', ${version}, ${change})`)
  const comment = (path: string, at: Sql) =>
    studio.db.execute(sql`
      insert into comments (account_id, project_id, asset_id, asset_version, body, created_at)
      select account_id, project_id, id, version, ${path}, ${at} from assets where path = ${path}`)
  await comment('old.png', sql`now() - interval '1 day'`)
  await comment('new.png', sql`now()`)
  await undoImport(studio.db, { account_id: owner.account_id, import_id: made.import_id })
  expect(await studio.db.rows(sql`select id from changes where id in (${made.first}, ${made.second})`)).toEqual([
    { id: made.first },
  ])
  expect(
    await studio.db.rows(sql`
    select a.path, a.version, c.asset_version, c.body from assets a join comments c on c.account_id = a.account_id and c.asset_id = a.id
    where a.path in ('old.png', 'new.png') order by a.path`),
  ).toEqual([
    { path: 'new.png', version: 1, asset_version: 1, body: 'new.png' },
    { path: 'old.png', version: 1, asset_version: 1, body: 'old.png' },
  ])
})

test('every column that refers to an imported record is judged', async () => {
  const columns = await studio.db.rows<{ target: string; name: string }>(sql`
    select c.confrelid::regclass::text as target, c.conrelid::regclass::text || '.' || a.attname as name
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey) and a.attname <> 'account_id'
    where c.contype = 'f' and c.connamespace = 'public'::regnamespace and c.confrelid::regclass::text = any (${[...UNDONE]}::text[])`)
  for (const table of UNDONE) {
    const named = columns.filter(({ target }) => target === table).map(({ name }) => name)
    expect(Object.keys(KEPT_BY[table])).toEqual(expect.arrayContaining(named))
  }
})
