import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { branchRoom, openBranchStudio } from '../../../test/support/studios/branch-room.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { contextOf } from './build-context.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBranchStudio()
})
afterAll(() => studio.close())

/** A green branch `main` with the commits c1 and c2, and a pull request 16 with the commit f1. */
async function room() {
  const made = await branchRoom(studio)
  await made.push('main', ['c1', 'c2'])
  await made.report({ number: 1, branch: 'main', commit: 'c2' })
  await made.push('feature', ['f1'])
  const pull = (number: number, more: object = {}) =>
    made.report({ number, branch: 'feature', commit: 'f1', pull_request: 16, target_branch: 'main', ...more })
  const verdict = async (query = 'pull_request=16') => (await made.api(`/preflight?${query}`)).json
  return { ...made, pull, verdict }
}

test('a preflight passes, is running, and fails by its change only with evidence', async () => {
  const { pull, verdict, work, report } = await room()
  const none = { verdict: 'unknown', settled: false, commit: '', target_branch: '', jobs: [], branch_breakages: [] }
  expect(await verdict()).toEqual(none)
  expect(await verdict('')).toEqual(none)
  await pull(2, { status: 'running' })
  expect(await verdict()).toMatchObject({ verdict: 'unknown', settled: false, jobs: [{ reason: 'The build has not finished.' }] })
  await pull(2)
  expect(await verdict()).toMatchObject({ verdict: 'passed', settled: true, commit: 'f1', target_branch: 'main' })
  await pull(3, { job: 'Test', broken: 'f1' })
  expect(await verdict()).toMatchObject({ verdict: 'unknown', settled: false })
  await work()
  // The file of the failure is in the change, but nothing shows that the job works without it.
  expect((await verdict()).verdict).toBe('unknown')
  await report({ job: 'Test', number: 1, branch: 'main', commit: 'c2' })
  const failed = await verdict()
  expect(failed).toMatchObject({ verdict: 'failed_by_change', settled: true })
  expect(failed.jobs).toMatchObject([
    { job: 'Test', verdict: 'failed_by_change', category: 'compile_error', breakage_id: null },
    { job: 'Cook', verdict: 'passed' },
  ])
  expect(failed.jobs[0].evidence).toContain('src/f1.c:54')
  expect(await verdict('commit=f1')).toEqual(failed)
  expect(await verdict('')).toEqual(failed)
})

test('a failure that the branch has already is not by the change', async () => {
  const { pull, verdict, work, report, breakages, push, owner } = await room()
  await push('main', ['c3'], { before: 'c2' })
  await report({ number: 2, branch: 'main', commit: 'c3', broken: 'c3' })
  await report({ job: 'Editor', number: 1, branch: 'main', commit: 'c3', broken: 'other' })
  await work()
  const same = (await breakages()).find(({ evidence }) => evidence[0]!.text.includes('c3'))!
  const build = await pull(3, { broken: 'c3' })
  await work()
  const found = await verdict()
  // The page of the build says the same.
  const { verdict: own } = await contextOf(studio.db, owner, build)
  expect(own).toEqual(found.jobs[0])
  expect(found).toMatchObject({
    verdict: 'failed_not_by_change',
    jobs: [{ breakage_id: same.id, reason: expect.stringContaining('already broken') }],
  })
  expect(found.branch_breakages).toHaveLength(2)
  // Once it is fixed there, the pull request may still contain it.
  await report({ number: 4, branch: 'main', commit: 'c2', status: 'success' })
  await studio.db.execute(
    sql`update breakages set state = 'fixed', fixed_at = now(), flaky = false where id = ${same.id}::bigint`,
  )
  expect(await verdict()).toMatchObject({
    verdict: 'failed_not_by_change',
    jobs: [{ breakage_id: same.id, reason: expect.stringContaining('was broken for this cause when this was built') }],
  })
  await studio.db.execute(sql`update breakages set flaky = true where id = ${same.id}::bigint`)
  expect(await verdict()).toMatchObject({ verdict: 'failed_not_by_change', jobs: [{ breakage_id: same.id }] })
})

test('a merge that breaks the branch does not excuse its own pull request', async () => {
  const { pull, verdict, work, push, report, breakages } = await room()
  await report({ job: 'Test', number: 1, branch: 'main', commit: 'c2' })
  await pull(2, { broken: 'f1' })
  await pull(3, { job: 'Test', broken: 'elsewhere' })
  await work()
  await push('main', ['m1'], { before: 'c2' })
  await report({ number: 4, branch: 'main', commit: 'm1', broken: 'f1' })
  await report({ job: 'Test', number: 5, branch: 'main', commit: 'm1', broken: 'elsewhere' })
  await work()
  expect(await breakages()).toHaveLength(2)
  expect(await verdict()).toMatchObject({
    jobs: [
      { job: 'Cook', verdict: 'failed_by_change', reason: expect.stringContaining('main did not have this failure') },
      { job: 'Test', verdict: 'failed_by_change', reason: expect.stringContaining('passes at the change of main') },
    ],
  })
  // Built again, it has the failure from the branch.
  await pull(6, { job: 'Test', commit: 'f2', broken: 'elsewhere' })
  await work()
  expect(await verdict()).toMatchObject({ verdict: 'failed_not_by_change', jobs: [{ job: 'Test' }] })
})

test('a fast-forwarded commit does not excuse itself', async () => {
  const { pull, verdict, work, push, report } = await room()
  await push('main', ['f1'], { before: 'c2' })
  await pull(2, { broken: 'f1' })
  await report({ number: 4, branch: 'main', commit: 'f1', broken: 'f1' })
  await work()
  expect((await verdict()).verdict).not.toBe('failed_not_by_change')
})

test('a merge while the preflight runs neither excuses nor blames it for what the merge brought', async () => {
  const { pull, verdict, work, push, report } = await room()
  await report({ job: 'Test', number: 1, branch: 'main', commit: 'c2' })
  for (const job of ['Cook', 'Test']) await pull(2, { job, status: 'running' })
  await push('main', ['m1'], { before: 'c2' })
  await report({ number: 4, branch: 'main', commit: 'm1', broken: 'f1' })
  await report({ job: 'Test', number: 5, branch: 'main', commit: 'm1', broken: 'm1' })
  await pull(2, { broken: 'f1' })
  await pull(2, { job: 'Test', broken: 'm1' })
  await work()
  expect(await verdict()).toMatchObject({
    jobs: [
      { job: 'Cook', verdict: 'unknown' },
      { job: 'Test', verdict: 'unknown' },
    ],
  })
})

test('a commit that passed and fails after its base moved is not flaky', async () => {
  const { pull, verdict, work, push, report } = await room()
  await pull(2)
  await push('main', ['c3'], { before: 'c2' })
  await report({ number: 3, branch: 'main', commit: 'c3' })
  await pull(4, { broken: 'f1' })
  await work()
  expect(await verdict()).toMatchObject({ verdict: 'failed_by_change' })
  await pull(5, { broken: 'f1', job: 'Test' })
  await work()
  expect((await verdict()).jobs).toMatchObject([{ job: 'Cook' }, { job: 'Test', verdict: 'unknown' }])
})

test('a merge that breaks a red branch does not excuse its own pull request, however far its range reaches back', async () => {
  const { pull, verdict, work, push, report } = await room()
  await push('main', ['c3'], { before: 'c2' })
  await report({ number: 2, branch: 'main', commit: 'c3', broken: 'c3' })
  await report({ job: 'Test', number: 1, branch: 'main', commit: 'c3' })
  await pull(3, { broken: 'f1', job: 'Test' })
  await pull(3, { broken: 'f1' })
  await work()
  await push('main', ['m1'], { before: 'c3' })
  await report({ number: 4, branch: 'main', commit: 'm1', broken: 'f1' })
  await work()
  expect((await verdict()).jobs).toMatchObject([
    { job: 'Test', verdict: 'failed_by_change' },
    { job: 'Cook', verdict: 'unknown' },
  ])
})

test('a base that was never built blames nobody, though the newest change passes', async () => {
  const { pull, verdict, work, push, report } = await room()
  await push('main', ['m1'], { before: 'c2' })
  await pull(2, { broken: 'm1' })
  await push('main', ['m2'], { before: 'm1' })
  await report({ number: 3, branch: 'main', commit: 'm2' })
  await work()
  expect(await verdict()).toMatchObject({
    verdict: 'unknown',
    jobs: [{ reason: 'The job has no result at the change of main that this was built on.' }],
  })
  // A result of another job there proves nothing.
  await report({ job: 'Test', number: 1, branch: 'main', commit: 'm1' })
  expect((await verdict()).verdict).toBe('unknown')
  await report({ number: 4, branch: 'main', commit: 'm1', broken: 'm1' })
  await work()
  expect((await verdict()).verdict).not.toBe('failed_by_change')
})

test('a change that a person cleared is not to blame, also for what the job has not on its branch', async () => {
  const { pull, verdict, work, api, push } = await room()
  await push('feature', ['f2'], { before: 'f1' })
  const build = await pull(2, { commit: 'f2', broken: 'f2' })
  await work()
  const [{ change_id }] = (await api(`/build_runs/${build}`)).json.investigation.suspects
  const correction = await api(`/build_runs/${build}/correction`, { method: 'PATCH', body: { cleared_change_ids: [change_id] } })
  expect(correction.status).toBe(200)
  await workOff(studio, 'investigate')
  expect(await verdict()).toMatchObject({
    verdict: 'failed_not_by_change',
    jobs: [{ reason: 'A person found that this change is not the cause.' }],
  })
  await api(`/corrections/${correction.json.id}/undo`, { method: 'POST', body: {} })
  await workOff(studio, 'investigate')
  expect(await verdict()).toMatchObject({ verdict: 'failed_by_change' })
})

test('a corrected failure of the branch changes the verdict of pull requests that have it', async () => {
  const { pull, verdict, work, api, push, report } = await room()
  await pull(2, { broken: 'f1' })
  await pull(3, { job: 'Test', broken: 'other' })
  await push('main', ['m1'], { before: 'c2' })
  const build = await report({ number: 4, branch: 'main', commit: 'm1', broken: 'f1' })
  await work()
  expect((await verdict()).jobs[0]).toMatchObject({ job: 'Cook', verdict: 'failed_by_change' })
  await api(`/build_runs/${build}/correction`, { method: 'PATCH', body: { category: 'out_of_disk' } })
  // The build itself, then those with the same failure.
  for (const _ of [1, 2]) await workOff(studio, 'investigate')
  const { jobs } = await verdict()
  expect(jobs.find(({ job }: { job: string }) => job === 'Cook')).toMatchObject({
    verdict: 'failed_not_by_change',
    category: 'out_of_disk',
  })
  expect(jobs.find(({ job }: { job: string }) => job === 'Test')).toMatchObject({ category: 'compile_error' })
})

test('a flaky job and a machine are not by the change', async () => {
  const { pull, verdict, work } = await room()
  await pull(2)
  const failed = await pull(3, { broken: 'elsewhere' })
  await work()
  expect(await verdict()).toMatchObject({ verdict: 'failed_not_by_change', jobs: [{ build_id: String(failed) }] })
  await pull(4, {
    job: 'Test',
    status: 'failed',
    log: '$ make\nwrite error: No space left on device\nmake: *** [game] Error 1\n',
  })
  await work()
  // No other build or agent shows that the machine is the cause.
  expect((await verdict()).jobs).toMatchObject([
    { job: 'Test', verdict: 'unknown', reason: expect.stringContaining('Nothing else shows it') },
    { job: 'Cook', verdict: 'failed_not_by_change' },
  ])
})

test('an error in the words of another compiler or on a line that moved is the one that the branch has, and one that was withdrawn is none', async () => {
  const { pull, verdict, work, report, breakages, push } = await room()
  await push('main', ['c3'], { before: 'c2' })
  await report({ number: 2, branch: 'main', commit: 'c3', broken: 'c3' })
  await work()
  const log = "cl game\nsrc\\c3.c(54): error C2065: 'c3': undeclared identifier\nNMAKE : fatal error U1077\n"
  await pull(3, { status: 'failed', log })
  await work()
  const [same] = await breakages()
  const excused = { verdict: 'failed_not_by_change', breakage_id: same!.id }
  expect((await verdict()).jobs).toMatchObject([excused])
  // The line has moved.
  await pull(4, {
    commit: 'f2',
    status: 'failed',
    log: "$ make\nsrc/c3.c:60:3: error: 'c3' undeclared\nmake: *** [game] Error 1\n",
  })
  await work()
  expect((await verdict()).jobs).toMatchObject([excused])
  await studio.db.execute(sql`update breakages set state = 'withdrawn' where id = ${same!.id}::bigint`)
  expect((await verdict()).jobs).toMatchObject([{ verdict: 'unknown', breakage_id: null }])
})

test('a test that fails on the branch already does not excuse another one', async () => {
  const { pull, tests, verdict, work, report } = await room()
  const failed = { status: 'failed', log: 'tests failed\n' }
  await report({ number: 2, branch: 'main', commit: 'c2', ...failed })
  await tests({ number: 2 }, { opens: 'the door stays shut' })
  await work()
  await pull(3, failed)
  await tests({ number: 3 }, { opens: 'the door stays shut' })
  await work()
  expect(await verdict()).toMatchObject({ verdict: 'failed_not_by_change' })
  await pull(4, { ...failed, commit: 'f2' })
  await tests({ number: 4 }, { opens: 'the door stays shut', closes: 'the window is open' })
  await work()
  expect(await verdict()).toMatchObject({
    verdict: 'unknown',
    jobs: [{ reason: expect.stringContaining('but other tests failed for other causes') }],
  })
})

test('a suspected machine and a test that comes and goes blame no change', async () => {
  const { pull, verdict, work } = await room()
  await pull(2, { broken: 'f1' })
  await work()
  // As the investigation notes it.
  const noting = (name: string) =>
    studio.db.execute(sql`
      update investigations set steps = ${JSON.stringify([{ name, status: 'done', detail: '' }])}::jsonb where id = (select max(id) from investigations)`)
  await noting('agent')
  expect(await verdict()).toMatchObject({ verdict: 'unknown', jobs: [{ reason: expect.stringContaining('The machine may be') }] })
  await noting('flaky')
  expect(await verdict()).toMatchObject({
    verdict: 'failed_not_by_change',
    jobs: [{ reason: expect.stringContaining('passed and failed') }],
  })
})

test('tests in quarantine and flaky tests are not by the change', async () => {
  const { pull, tests, verdict, work, api } = await room()
  const failed = { status: 'failed', log: '1 test failed\n' }
  await pull(2, failed)
  await tests({ number: 2 }, { opens: 'the door stays shut' })
  await work()
  expect(await verdict()).toMatchObject({ verdict: 'failed_by_change', jobs: [{ category: 'test_failure' }] })
  const { id } = (await studio.db.one<{ id: string }>(sql`select max(id)::text as id from test_cases`))!
  const quarantine = { quarantined_until: new Date(Date.now() + 86_400_000).toISOString(), reason: 'known' }
  expect((await api(`/tests/${id}`, { method: 'PATCH', body: quarantine })).status).toBe(200)
  expect(await verdict()).toMatchObject({
    verdict: 'failed_not_by_change',
    jobs: [{ reason: 'Only tests in quarantine failed.' }],
  })
})

test('a preflight, and its base, count as their tests say if the gate fails what the CI calls passed', async () => {
  const { pull, tests, verdict, work, api, report } = await room()
  await api('/settings', { method: 'PATCH', body: { test_gate: { fails_on: 'failures', jobs: [] } } })
  await pull(2)
  await tests({ number: 2 }, { opens: 'the door stays shut' })
  expect(await verdict()).toMatchObject({ verdict: 'passed', settled: true })
  await work()
  expect(await verdict()).toMatchObject({
    verdict: 'failed_by_change',
    settled: true,
    jobs: [{ category: 'test_failure', evidence: expect.stringContaining('door') }],
  })
  // The test that the base fails has another cause: it excuses nothing, but the job did not pass there.
  await report({ number: 3, branch: 'main', commit: 'c2' })
  await tests({ number: 3 }, { closes: 'the window stays open' })
  await work()
  expect(await verdict()).toMatchObject({
    verdict: 'unknown',
    jobs: [{ reason: expect.stringContaining('The job fails at the change of main') }],
  })
})

test('a failure elsewhere is by the change only if the job passes at its base', async () => {
  const { pull, verdict, work, push, report } = await room()
  await pull(2, { broken: 'elsewhere' })
  await pull(3, { job: 'New', broken: 'elsewhere' })
  // A build that was started to bisect is no result of the branch.
  await report({ job: 'New', number: 1, branch: 'main', commit: 'c2', kind: 'bisect' })
  await work()
  const jobOf = async (name: string) => (await verdict()).jobs.find(({ job }: { job: string }) => job === name)
  expect(await jobOf('Cook')).toMatchObject({ verdict: 'failed_by_change' })
  expect(await jobOf('New')).toMatchObject({
    verdict: 'unknown',
    reason: 'The job has no result at the change of main that this was built on.',
  })
  // What happens to the branch afterwards changes nothing.
  await push('main', ['c3'], { before: 'c2' })
  await report({ number: 5, branch: 'main', commit: 'c3', broken: 'c3' })
  await work()
  expect(await jobOf('Cook')).toMatchObject({ verdict: 'failed_by_change' })
  await pull(6, { broken: 'elsewhere' })
  await work()
  expect(await jobOf('Cook')).toMatchObject({
    verdict: 'unknown',
    reason: expect.stringContaining('fails at the change of main'),
  })
})

test('only builds of the newest commit count, and a log without a cause leaves it unknown', async () => {
  const { pull, verdict, work } = await room()
  await pull(2, { broken: 'f1' })
  await pull(3, { commit: 'f2', job: 'Test' })
  await work()
  expect(await verdict()).toMatchObject({ verdict: 'passed', commit: 'f2', jobs: [{ job: 'Test' }] })
  await pull(4, { commit: 'f2', status: 'failed', log: 'done\n' })
  await work()
  expect(await verdict()).toMatchObject({ verdict: 'unknown' })
})

test('a shelf has a verdict by its number, also as a pending changelist', async () => {
  const { report, verdict, submit, work, api } = await room()
  await submit(1201)
  await report({ number: 7, changelist: 1201 })
  await report({ number: 8, changelist: 1201, shelf: 1250, broken: 'part' })
  await report({ number: 9, changelist: 1260, preflight: true })
  await work()
  expect(await verdict('shelf=1250')).toMatchObject({ verdict: 'failed_by_change', target_branch: '//game/main' })
  expect(await verdict('shelf=1260')).toMatchObject({ verdict: 'passed' })
  expect(await verdict('shelf=1201'), 'the changelist that another shelf was synced to').toMatchObject({
    verdict: 'unknown',
    jobs: [],
  })
  for (const query of ['shelf=1&commit=2', 'shelf=']) expect((await api(`/preflight?${query}`)).status).toBe(422)
})
