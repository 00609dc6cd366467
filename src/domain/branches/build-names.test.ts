import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buffersOf } from '../../../test/support/buffers.ts'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { type Sql, sql } from '../../db/database.ts'
import { buildsNumbered, idsNamed, nameOf } from './build-names.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
  await own.db.execute(sql`insert into accounts (id, name) values (1, 'Owl'), (2, 'Fox')`)
  await own.db.execute(sql`insert into projects (id, account_id, name) values (1, 1, 'Starfall'), (2, 1, 'Attic'), (3, 2, 'Den')`)
  await own.db.execute(sql`
    insert into integrations (id, account_id, project_id, provider, token_hash, token_sealed)
    select id, account_id, project_id, 'jenkins', sha256(id::text::bytea), '' from (values (1, 1, 1), (2, 1, 1), (3, 1, 2), (4, 2, 3)) i (id, account_id, project_id)`)
  await own.db.execute(
    sql`insert into imports (id, account_id, project_id, integration_id, since, until) select 7, 1, 1, 1, now(), now()`,
  )
})
afterAll(() => own.drop())
beforeEach(() => own.db.execute(sql`delete from build_runs`))

const [STARFALL, ATTIC] = [1, 2].map((id) => ({ account_id: sql`1`, project_id: sql`${id}::integer` }))

/** A build of a project. */
async function build(id: number, columns: Record<string, unknown>, project = 1, account = 1) {
  const row = JSON.stringify({ ...columns, id, account_id: account, project_id: project })
  await own.db.execute(sql`
    insert into build_runs (id, account_id, project_id, integration_id, ci_job_name, build_number, branch, inferred_branch, repository, changelist,
      kind, shelf, pull_request, upstream_job, upstream_number, import_id)
    select id, account_id, project_id, integration_id, coalesce(ci_job_name, ''), coalesce(build_number, ''), coalesce(branch, ''), inferred_branch,
      coalesce(repository, ''), coalesce(changelist, ''), coalesce(kind, 'regular'), coalesce(shelf, ''), coalesce(pull_request, ''),
      upstream_job, upstream_number, import_id
    from json_populate_record(null::build_runs, ${row}::json)`)
}

const idsOf = async (ids: Sql) =>
  (await own.db.rows<{ id: number }>(sql`select x as id from (${ids}) n (x) order by 1`)).map(({ id }) => id)

const NAMED: [Parameters<typeof idsNamed>[1], Sql, Record<string, unknown>, Record<string, unknown>][] = [
  ['import', sql`'7'`, { import_id: 7 }, { import_id: null }],
  ['preflight', sql`''`, { kind: 'preflight' }, { kind: 'regular' }],
  ['pull_request', sql`'12'`, { pull_request: '12' }, { pull_request: '13' }],
  ['shelf', sql`'900'`, { shelf: '900' }, { shelf: '901' }],
  ['upstream', nameOf(sql`'Compile'`, sql`'4'`), { upstream_job: 'Compile', upstream_number: '4' }, { upstream_number: '5' }],
  [
    'job_branch',
    nameOf(sql`'Game'`, sql`'main'`),
    { ci_job_name: 'Game', branch: 'main', inferred_branch: '//game/main' },
    { repository: 'game.git' },
  ],
]

/** A build with the same name, but of another kind. */
const OF_ANOTHER_KIND: Partial<Record<Parameters<typeof idsNamed>[1], Record<string, unknown>>> = {
  import: { shelf: '7' },
  pull_request: { shelf: '12' },
  shelf: { pull_request: '900' },
  upstream: { ci_job_name: 'Compile', branch: '4', inferred_branch: '//game/main' },
  job_branch: { upstream_job: 'Game', upstream_number: 'main' },
}

for (const [kind, name, columns, other] of NAMED)
  test(`builds are found by ${kind}, those of another name or project are not, and a build loses a name that it no longer has`, async () => {
    await build(1, columns)
    await build(2, { ...columns, ...other })
    await build(3, { ci_job_name: 'Game' })
    await build(6, OF_ANOTHER_KIND[kind] ?? {})
    await build(4, kind === 'import' ? {} : columns, 2)
    await build(5, kind === 'import' ? {} : columns, 3, 2)
    expect(await idsOf(idsNamed(STARFALL!, kind, name))).toEqual([1])
    expect(await idsOf(idsNamed(ATTIC!, kind, name))).toEqual(kind === 'import' ? [] : [4])
    const [column, value] = Object.entries(other)[0]!
    await own.db.execute(sql`
      update build_runs b set (import_id, kind, pull_request, shelf, upstream_number, repository) =
        (select r.import_id, r.kind, r.pull_request, r.shelf, r.upstream_number, r.repository
         from jsonb_populate_record(b, ${JSON.stringify({ [column]: value })}::jsonb) r)
      where id = 1`)
    expect(await idsOf(idsNamed(STARFALL!, kind, name))).toEqual([])
    // An update that gives it the name again.
    await own.db.execute(sql`
      update build_runs b set (import_id, kind, pull_request, shelf, upstream_number, repository) =
        (select r.import_id, coalesce(r.kind, 'regular'), coalesce(r.pull_request, ''), coalesce(r.shelf, ''), r.upstream_number, coalesce(r.repository, '')
         from jsonb_populate_record(b, ${JSON.stringify({ [column]: columns[column] ?? null })}::jsonb) r)
      where id = 1`)
    expect(await idsOf(idsNamed(STARFALL!, kind, name))).toEqual([1])
  })

test('a build that names a repository or a changelist tells nothing about the branch of its job', async () => {
  const named = { ci_job_name: 'Game', branch: 'main', inferred_branch: '//game/main' }
  await build(1, { ...named, repository: 'game.git' })
  await build(2, { ...named, changelist: '77' })
  await build(3, { ...named, inferred_branch: '' })
  await build(4, { ...named, branch: '' })
  expect(await idsOf(idsNamed(STARFALL!, 'job_branch', nameOf(sql`'Game'`, sql`'main'`)))).toEqual([])
})

test('builds are found by their number in all integrations of their project, and only there', async () => {
  await build(1, { integration_id: 1, ci_job_name: 'Game', build_number: '5' })
  await build(2, { integration_id: 2, ci_job_name: 'Game', build_number: '5' })
  await build(3, { integration_id: 1, ci_job_name: 'Editor', build_number: '5' })
  await build(4, { ci_job_name: 'Game', build_number: '5' })
  await build(5, { integration_id: 1, ci_job_name: 'Game', build_number: '6' })
  await build(6, { integration_id: 3, ci_job_name: 'Game', build_number: '5' }, 2)
  await build(7, { ci_job_name: 'Game', build_number: '5' }, 2)
  await build(8, { integration_id: 4, ci_job_name: 'Game', build_number: '5' }, 3, 2)
  await build(9, { integration_id: 1, ci_job_name: 'Game' })
  const ids = (number: Sql, job?: Sql) => idsOf(sql`select id from ${buildsNumbered(STARFALL!, number, job)} n`)
  expect(await ids(sql`'5'`, sql`'Game'`)).toEqual([1, 2, 4])
  expect(await ids(sql`'5'`)).toEqual([1, 2, 3, 4])
  expect(await ids(sql`''`), 'a build without a number has none').toEqual([])
})

test('names and numbers cost the same beside 20 times as many builds', async () => {
  await build(1, { integration_id: 1, ci_job_name: 'Game', build_number: 'first', shelf: '900' })
  const fill = (from: number, to: number) =>
    own.db.execute(sql`
      insert into build_runs (id, account_id, project_id, integration_id, ci_job_name, build_number, kind, shelf, created_at)
      select n, 1, 1, 1, 'Game', n::text, 'preflight', n::text, now() - interval '1 year' from generate_series(${from}::integer, ${to}::integer) n`)
  const cost = async () => {
    await own.db.execute(sql`analyze build_runs, build_names`)
    return buffersOf(own.db, async (db) => {
      await db.rows(sql`select id from ${buildsNumbered(STARFALL!, sql`'first'`, sql`'Game'`)} n`)
      await db.rows(sql`select id from ${buildsNumbered(STARFALL!, sql`'first'`)} n`)
      await db.rows(idsNamed(STARFALL!, 'shelf', sql`'900'`))
      await db.rows(sql`${idsNamed(STARFALL!, 'preflight', sql`''`)} order by n.build_run_id desc limit 1`)
    })
  }
  await fill(1_001, 2_000)
  const few = await cost()
  await fill(2_001, 21_000)
  const many = await cost()
  // One more level of each index.
  expect(many, `${few} and ${many} buffers`).toBeLessThanOrEqual(few * 1.3 + 8)
})

test('a build is among the running ones until it ends or counts as lost, and again when it is heard of', async () => {
  const running = async () =>
    (await own.db.rows<{ id: number }>(sql`select build_run_id as id from running_builds order by 1`)).map(({ id }) => id)
  const set = (columns: Sql) => own.db.execute(sql`update build_runs set ${columns} where id = 1`)
  await build(1, {})
  await build(2, {})
  await own.db.execute(sql`update build_runs set status = 'building'`)
  expect(await running()).toEqual([1, 2])
  await set(sql`lost_at = now()`)
  expect(await running()).toEqual([2])
  await set(sql`lost_at = null`)
  expect(await running()).toEqual([1, 2])
  expect(
    await own.db.one(sql`select heard_at > now() - interval '1 minute' as recent from running_builds where build_run_id = 1`),
  ).toEqual({
    recent: true,
  })
  await set(sql`phase = 'Cook'`)
  for (const status of ['completed', 'failed', 'cancelled', 'passed_pending_approval']) {
    await set(sql`status = ${status}`)
    expect(await running()).toEqual([2])
    await set(sql`status = 'queued'`)
    expect(await running()).toEqual([1, 2])
  }
  await own.db.execute(sql`delete from build_runs where id = 2`)
  expect(await running()).toEqual([1])
})
