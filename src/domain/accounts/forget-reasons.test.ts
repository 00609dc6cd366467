import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin } from '../../../test/support/admin.ts'
import { commit, openTools, push, type Tools } from '../../../test/support/tools.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { raw, sql } from '../../db/database.ts'
import { forgetReasons, WITH_REASONS } from './forget-reasons.ts'
import * as users from './users.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
  await tools.studio.db.execute(sql`update accounts set plan = 'team', payment_method = true, credits = null`)
})
afterAll(() => tools.close())

const store = () => ({ db: tools.studio.db, vault: tools.studio.service.vault })
const account = () => tools.studio.world.accounts.owl!.id

test('deleting a user removes their name from the reasons why a change is suspected', async () => {
  const { id } = await users.create(tools.studio.db, {
    email: 'someone@example.com',
    name: 'Zebedee Quillfeathers',
    account_id: account(),
  })
  const [first, second] = ['a'.repeat(40), 'c'.repeat(40)]
  await tools.ci({ job_name: 'Game', build_number: 1, status: 'SUCCESS', commit: first, branch: 'main' })
  await tools.github(push([commit(first, { message: 'Begin', added: [], modified: ['README'] })], { after: first }))
  await tools.github(
    push(
      [
        commit(second, {
          message: 'Quillfeather hinges as Zebedee wants them',
          added: [],
          modified: ['Content/Developers/zebedee/Hinge.cpp'],
        }),
      ],
      { before: first, after: second },
    ),
  )
  const log = [
    'Content/Developers/zebedee/Hinge.cpp(12): error C2065: quillfeather: undeclared identifier',
    'zebedee quillfeather hinges are broken',
  ].join('\n')
  const { json } = await tools.ci({
    job_name: 'Game',
    build_number: 2,
    status: 'FAILURE',
    commit: second,
    branch: 'main',
    logs_tail: log,
  })
  const build = json.records[0].id
  const asked = await tools.api(`build_runs/${build}/investigate`, { method: 'POST' })
  expect(asked).toMatchObject({ status: expect.any(String) })
  await workOff(tools.studio, 'investigate')
  await workOff(tools.studio, 'investigate_failure')
  await workOff(tools.studio, 'recompute_breakages')

  const reasons = async () => {
    const rows = await tools.studio.db.rows<{ reasons: string[] }>(sql`
      select s -> 'reasons' as reasons from (select suspects from investigations union all select suspects from breakages) t,
        jsonb_array_elements(t.suspects) s`)
    return rows.flatMap((row) => row.reasons)
  }
  const before = await reasons()
  expect(before.join()).toMatch(/“quillfeather”/i)
  expect(before.join()).toMatch(/zebedee/i)

  await admin(store(), 'user', 'delete', String(id), '--yes')
  const after = await reasons()
  expect(after.join()).not.toMatch(/zebedee|quillfeather/i)
  expect(after.join(), 'what is nobody’s name stays').toContain('Hinge.cpp')
})

test.each([
  ['Quill', ['mentions “quill”, “hinge” as the error does'], ['mentions “hinge” as the error does']],
  ['Quill', ['mentions “quill” as the error does', 'changes a.cpp, named on line 3'], ['changes a.cpp, named on line 3']],
  ['Robin Quill', ['mentions “hinge”, “robinquill”, “door” as the error does'], ['mentions “hinge”, “door” as the error does']],
  ['Robin Phelps', ['mentions “phelp”, “hinge” as the error does'], ['mentions “hinge” as the error does']],
  ['Åsa Gößler', ['mentions “ler”, “gößler”, “hinge” as the error does'], ['mentions “hinge” as the error does']],
  ['Al Li', ['mentions “alli”, “hinge” as the error does'], ['mentions “alli”, “hinge” as the error does']],
  ['Quill', ['mentions "quill", "hinge" as the error does'], ['mentions "hinge" as the error does']],
  [
    'Line Build',
    ['changes Source/Line/Build.cs, which controls the build', 'changes b.cpp, named on line 3'],
    ['changes Source/Former member/Former member.cs, which controls the build', 'changes b.cpp, named on line 3'],
  ],
  [
    'Art Door',
    ['changes Content/Cartridge/Doors.uasset, named on line 1'],
    ['changes Content/Cartridge/Doors.uasset, named on line 1'],
  ],
])('%s: %j becomes %j', async (name, reasons, left) => {
  const { db } = tools.studio
  const breakage = { change_id: 1, user_id: null, score: 1, reasons }
  const { id } = (await db.one<{ id: number }>(sql`
    insert into breakages (account_id, project_id, fingerprint, opened_at, last_seen_at, suspects)
    values (${account()}, ${tools.project}, ${`${name} ${reasons}`}, now(), now(), ${JSON.stringify([breakage])}::jsonb) returning id`))!
  await forgetReasons(db, account(), name, 'Former member', () => {})
  const row = await db.one(sql`select suspects -> 0 -> 'reasons' as reasons from breakages where id = ${id}`)
  expect(row).toEqual({ reasons: left })
  await db.execute(sql`delete from breakages where id = ${id}`)
})

test('a reason that is removed takes its code with it', async () => {
  const { db } = tools.studio
  const reasons = ['mentions “quill” as the error does', 'changes a.cpp, named on line 3']
  const suspects = [{ change_id: 1, user_id: null, score: 1, reasons, reason_codes: ['words_shared', 'file_named'] }]
  const { id } = (await db.one<{ id: number }>(sql`
    insert into breakages (account_id, project_id, fingerprint, opened_at, last_seen_at, suspects)
    values (${account()}, ${tools.project}, 'a reason with a name', now(), now(), ${JSON.stringify(suspects)}::jsonb) returning id`))!
  await forgetReasons(db, account(), 'Quill', 'Former member', () => {})
  const row = await db.one(sql`select suspects -> 0 as suspect from breakages where id = ${id}`)
  expect(row).toEqual({ suspect: { ...suspects[0], reasons: [reasons[1]], reason_codes: ['file_named'] } })
  await db.execute(sql`delete from breakages where id = ${id}`)
})

/** JSON without reasons: what people or tools said, where only a whole name or an address is removed, or no text at all. */
const WITHOUT_REASONS = [
  'accounts.quotas',
  'accounts.retention',
  'approvals.rule',
  'approvals.sign_offs',
  'approvals.undone',
  'audit_log.after',
  'audit_log.before',
  'breakage_history.detail',
  'breakages.assigned_because',
  'breakages.evidence',
  'build_runs.artifacts',
  'build_runs.measures',
  'build_sizes.sizes',
  'changes.files',
  'comments.former_bodies',
  'deliveries.headers',
  'deliveries.records',
  'external_references.told_at',
  'failure_rules.definition',
  'import_etags.next',
  'imports.counts',
  'imports.cursor',
  'imports.expected',
  'integrations.config',
  'integrations.streams',
  'investigations.evidence',
  'investigations.steps',
  'measure_alerts.budget',
  'projects.agent_prices',
  'projects.approval_rules',
  'projects.assignment',
  'projects.job_patterns',
  'projects.measure_budgets',
  'projects.required_jobs',
  'projects.test_gate',
  'sso_connections.role_groups',
  'task_history.changes',
  'tasks.metadata',
]

test('every column with JSON is known to hold reasons or not', async () => {
  const columns = await tools.studio.db.rows<{ table: string; column: string }>(sql`
    select table_name::text as table, column_name::text as column from information_schema.columns
    where table_schema = 'public' and data_type = 'jsonb' order by 1, 2`)
  const others = columns.filter(({ column }) => column !== WITH_REASONS)
  expect(others.map(({ table, column }) => `${table}.${column}`)).toEqual(WITHOUT_REASONS)
})

test('a name leaves the suspects of every table, also of one that is new, and the suspects of another account keep it', async () => {
  const { db } = tools.studio
  const rows = 1_200
  await db.execute(sql`
    create table later_suspects (account_id integer, part uuid default gen_random_uuid(), number integer, suspects jsonb, primary key (account_id, part, number))`)
  const suspects = (word: string) =>
    JSON.stringify([{ change_id: 1, score: 1, reasons: [`mentions “${word}”, “hinge” as the error does`] }])
  await db.execute(sql`
    insert into later_suspects (account_id, number, suspects)
    select a.id, n, case when n % 2 = 0 then ${suspects('quill')}::jsonb else ${suspects('door')}::jsonb end
    from unnest(array[${account()}, ${account()} + 1]) a (id), generate_series(1, ${rows}) n`)
  const { id } = (await db.one<{ id: number }>(sql`
    insert into breakages (account_id, project_id, fingerprint, opened_at, last_seen_at, suspects)
    values (${account()}, ${tools.project}, 'quills', now(), now(), ${suspects('quill')}::jsonb) returning id`))!
  for (const number of [1, 2])
    await db.execute(sql`
      insert into breakage_occurrences (account_id, project_id, breakage_id, number, opened_at, suspects)
      values (${account()}, ${tools.project}, ${id}, ${number}, now(), ${suspects(number === 1 ? 'quill' : 'door')}::jsonb)
      on conflict (account_id, breakage_id, number) do update set suspects = excluded.suspects`)
  expect(await forgetReasons(db, account(), 'Quill', 'Former member', () => {})).toBe(rows / 2 + 2)
  const count = async (table: string, word: string, of = account()) =>
    (await db.one<{ count: number }>(
      sql`select count(*)::integer from ${raw(table)} where account_id = ${of} and suspects::text like ${`%${word}%`}`,
    ))!.count
  expect([
    await count('later_suspects', 'quill'),
    await count('later_suspects', 'door'),
    await count('later_suspects', 'hinge'),
  ]).toEqual([0, rows / 2, rows])
  expect(await count('later_suspects', 'quill', account() + 1)).toBe(rows / 2)
  for (const table of ['breakages', 'breakage_occurrences']) expect(await count(table, 'quill')).toBe(0)
  expect(await count('breakage_occurrences', 'door')).toBe(1)
  await db.execute(sql`drop table later_suspects`)
  await db.execute(sql`delete from breakages where id = ${id}`)
})
