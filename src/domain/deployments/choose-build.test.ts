import { expect, test } from 'vitest'
import { type Candidate, chooseBuild, type Evidence } from './choose-build.ts'

const NOTHING: Evidence = {
  named_build_run_id: null,
  job_name: '',
  build_number: '',
  commit_hash: '',
  changelist: '',
  version: '',
}
const build = (id: number, fields: Partial<Candidate> = {}): Candidate => ({
  id,
  status: 'completed',
  has_passed: fields.status === undefined,
  is_good: fields.status === undefined,
  ci_job_name: 'Ship',
  build_number: '',
  commit_hash: '',
  changelist: '',
  has_version: false,
  ...fields,
})
const choose = (told: Partial<Evidence>, builds: Candidate[], promoted?: Candidate, usual_job?: string) =>
  chooseBuild({ ...NOTHING, ...told }, builds, { promoted, usual_job })

test('an upload that was promoted from another track has the build of that track, if the build passed', () => {
  const commit = build(2, { commit_hash: 'c0ffee' })
  const told = { commit_hash: 'c0ffee' }
  expect(choose(told, [commit], build(1))).toMatchObject({ build_run_id: 1, basis: 'promotion' })
  expect(choose(told, [commit], build(1, { status: 'failed' }))).toMatchObject({ build_run_id: 2, basis: 'commit' })
  expect(choose({}, [], build(1, { status: 'building' }))).toMatchObject({ build_run_id: null, reason: 'not_named' })
})

test('the job and number that the reports name count more than a promotion', () => {
  const told = { job_name: 'Ship', build_number: '7' }
  expect(choose(told, [build(3, { build_number: '7' })], build(1))).toMatchObject({ build_run_id: 3, basis: 'job' })
})

test('a commit counts more than a changelist, and a changelist more than a version', () => {
  const builds = [build(1, { has_version: true }), build(2, { changelist: '42' }), build(3, { commit_hash: 'c0ffee' })]
  const told = { commit_hash: 'c0ffee', changelist: '42', version: '1.0' }
  expect(choose(told, builds).basis).toBe('commit')
  expect(choose(told, builds.slice(0, 2)).basis).toBe('changelist')
  expect(choose(told, builds.slice(0, 1)).basis).toBe('version')
})

test('of several builds of one commit the number decides, then the usual job of the store', () => {
  const builds = [
    build(1, { commit_hash: 'c0ffee', build_number: '7' }),
    build(2, { commit_hash: 'c0ffee', build_number: '8', ci_job_name: 'Nightly' }),
  ]
  expect(choose({ commit_hash: 'c0ffee', build_number: '8' }, builds).build_run_id).toBe(2)
  expect(choose({ commit_hash: 'c0ffee' }, builds, undefined, 'Ship').build_run_id).toBe(1)
  expect(choose({ commit_hash: 'c0ffee' }, builds)).toMatchObject({ build_run_id: null, reason: 'several' })
})

test('a failed build of the usual job does not hide the one that passed after it', () => {
  const of = (id: number, more: Partial<Candidate>) => build(id, { commit_hash: 'c0ffee', ...more })
  const builds = [of(1, { status: 'failed' }), of(2, {}), of(3, { ci_job_name: 'Nightly' })]
  expect(choose({ commit_hash: 'c0ffee' }, builds, undefined, 'Ship').build_run_id).toBe(2)
})

test('an abbreviated commit does not contradict the full one', () => {
  const told = { job_name: 'Ship', build_number: '7', commit_hash: 'c0ffee12' }
  expect(choose(told, [build(1, { build_number: '7', commit_hash: 'c0ffee' })]).build_run_id).toBe(1)
  expect(choose(told, [build(1, { build_number: '7', commit_hash: 'beef' })]).reason).toBe('contradiction')
})

test('a number alone finds no build that failed', () => {
  const failed = build(1, { build_number: '7', status: 'failed' })
  expect(choose({ build_number: '7' }, [failed])).toMatchObject({ build_run_id: null, reason: 'not_passed' })
  expect(choose({ build_number: '7' }, [failed, build(2, { build_number: '7', ci_job_name: 'Nightly' })])).toMatchObject({
    build_run_id: null,
    reason: 'number_only',
  })
})

test('another changelist contradicts the job and number', () => {
  const told = { job_name: 'Ship', build_number: '7', changelist: '42' }
  expect(choose(told, [build(1, { build_number: '7', changelist: '42' })]).build_run_id).toBe(1)
  expect(choose(told, [build(1, { build_number: '7', changelist: '41' })]).reason).toBe('contradiction')
})

test('of several builds of one commit those that their tests fail count last, but a named one was shipped', () => {
  const of = (id: number, more: Partial<Candidate>) => build(id, { commit_hash: 'c0ffee', ...more })
  const tests = of(2, { ci_job_name: 'Tests', build_number: '9', is_good: false })
  expect(choose({ commit_hash: 'c0ffee' }, [of(1, {}), tests])).toMatchObject({ build_run_id: 1, basis: 'commit' })
  expect(choose({ commit_hash: 'c0ffee' }, [tests])).toMatchObject({ build_run_id: 2, basis: 'commit' })
  expect(choose({ job_name: 'Tests', build_number: '9' }, [of(1, {}), tests])).toMatchObject({ build_run_id: 2, basis: 'job' })
  const both = [tests, of(3, { ci_job_name: 'Other', is_good: false })]
  expect(choose({ commit_hash: 'c0ffee' }, both)).toMatchObject({ build_run_id: null, reason: 'several' })
})
