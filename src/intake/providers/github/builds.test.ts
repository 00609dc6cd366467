import { expect, test } from 'vitest'
import type { BuildFact } from '../../facts.ts'
import { Unreadable } from '../../reading.ts'
import { checkRun, workflowJob, workflowRun } from './builds.ts'

const times = { run_started_at: '2026-03-01T11:00:00Z', updated_at: '2026-03-01T11:02:30Z' }
const run = (action: string, more: object = {}) =>
  workflowRun({
    action,
    workflow: { name: 'Nightly' },
    workflow_run: { id: 99, run_number: 12, conclusion: null, ...times, ...more },
  })
const status = (conclusion: string) => (run('completed', { conclusion })[0] as BuildFact | undefined)?.status

test('a run is a build identified by its id, and by workflow and number', () => {
  expect(run('in_progress', { head_sha: 'a1', head_branch: 'main' })).toMatchObject([
    { build: { external_id: 'run:99', job: 'Nightly', number: '12' }, status: 'building', commit_hash: 'a1', branch: 'main' },
  ])
})

test('a bisecting run builds the commit in its name, not the head of its branch', () => {
  const [head_sha, commit] = ['a'.repeat(40), 'b'.repeat(40)]
  const named = (display_title: string, event: string) => run('in_progress', { head_sha, display_title, event })[0]
  expect(named(`Bisect ${commit}`, 'workflow_dispatch')).toMatchObject({ commit_hash: commit, build_kind: 'bisect' })
  for (const other of [named(`Bisect ${commit}`, 'push'), named(`Bisect ${commit} again`, 'workflow_dispatch')]) {
    expect(other).toMatchObject({ commit_hash: head_sha })
    expect(other).not.toHaveProperty('build_kind')
  }
})

test('a run goes from queued to building to finished, with the times of each', () => {
  expect(run('requested')[0]).toMatchObject({ status: 'queued', started_at: undefined, finished_at: undefined })
  expect(run('in_progress')[0]).toMatchObject({
    status: 'building',
    started_at: '2026-03-01T11:00:00.000Z',
    finished_at: undefined,
  })
  expect(run('completed', { conclusion: 'failure' })[0]).toMatchObject({
    status: 'failed',
    started_at: '2026-03-01T11:00:00.000Z',
    finished_at: '2026-03-01T11:02:30.000Z',
    duration_seconds: 150,
  })
})

test.each([
  ['success', 'completed'],
  ['neutral', 'completed'],
  ['failure', 'failed'],
  ['timed_out', 'failed'],
  ['startup_failure', 'failed'],
  ['cancelled', 'cancelled'],
  ['skipped', 'cancelled'],
  ['stale', 'cancelled'],
  ['action_required', 'passed_pending_approval'],
])('a run that ends in %s is %s', (conclusion, expected) => {
  expect(status(conclusion)).toBe(expected)
})

test('a run that needs approval is held by GitHub and has not started', () => {
  expect(run('completed', { conclusion: 'action_required' })[0]).toMatchObject({
    held: true,
    started_at: undefined,
    finished_at: undefined,
  })
  expect(run('completed', { conclusion: 'success' })[0]).not.toHaveProperty('held')
})

test('a run without a workflow name is named by its file', () => {
  const nameless = workflowRun({ action: 'requested', workflow_run: { id: 99, name: '', path: '.github/workflows/cook.yml' } })
  expect(nameless).toMatchObject([{ build: { job: '.github/workflows/cook.yml' } }])
})

test('a run with an unknown action or conclusion is ignored, without an id it is unreadable', () => {
  expect(run('bewitched', { conclusion: 'success' })).toEqual([])
  expect(run('completed', { conclusion: 'bewitched' })).toEqual([])
  expect(() => workflowRun({ action: 'completed' })).toThrow(Unreadable)
})

const job = (action: string, more: object = {}) => workflowJob({ action, workflow_job: { run_id: 99, name: 'cook', ...more } })

test('a job is a step of its run, creates no build and changes no state', () => {
  const [fact] = job('in_progress', { started_at: '2026-03-01T11:00:00Z' })
  expect(fact).toEqual({
    kind: 'build',
    build: { external_id: 'run:99' },
    existing: true,
    steps: [{ name: 'cook', status: 'running', started_at: '2026-03-01T11:00:00.000Z' }],
  })
})

test('a failed job names the step that failed', () => {
  const steps = [
    { name: 'Set up job', conclusion: 'success' },
    { name: 'Cook maps', conclusion: 'failure' },
  ]
  expect(job('completed', { conclusion: 'failure', steps })).toMatchObject([
    { steps: [{ status: 'failed', detail: 'Cook maps' }] },
  ])
})

test('a queued job has no start, whatever the payload contains', () => {
  for (const action of ['queued', 'waiting'])
    expect(job(action, { started_at: '2026-03-01T11:00:00Z' })).toMatchObject([
      { steps: [{ status: 'queued', started_at: undefined }] },
    ])
})

const check = (action: string, more: object = {}) =>
  checkRun({ action, check_run: { head_sha: 'a1', name: 'Sonar', status: 'completed', app: { slug: 'sonarcloud' }, ...more } })

test("a check of another app is a step of its commit's build, never a build", () => {
  expect(check('completed', { conclusion: 'timed_out', output: { title: 'Gave up' } })).toEqual([
    {
      kind: 'build',
      build: { commit: 'a1' },
      anywhere: true,
      existing: true,
      steps: [{ name: 'Sonar', status: 'failed', detail: 'Gave up' }],
    },
  ])
})

test('a check that needs action has not passed', () => {
  expect(check('completed', { conclusion: 'action_required' })).toMatchObject([{ steps: [{ status: 'queued' }] }])
})

test('a check of GitHub Actions itself is ignored, and so is a request to rerun one', () => {
  expect(check('completed', { conclusion: 'success', app: { slug: 'github-actions' } })).toEqual([])
  expect(check('completed', { conclusion: 'success', app: { name: 'GitHub Actions' } })).toEqual([])
  expect(check('rerequested', { conclusion: 'success' })).toEqual([])
})
