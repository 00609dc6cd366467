import type { BuildStatus } from '../../../contract/sets.ts'
import { originOf } from '../../build-origin.ts'
import type { Fact, Step } from '../../facts.ts'
import { at, type Json, link, objects, text, time, Unreadable, word } from '../../reading.ts'
import { repositoryOf } from './push.ts'

const CONCLUSIONS: ReadonlyMap<string, BuildStatus> = new Map([
  ['success', 'completed'],
  ['neutral', 'completed'],
  ['failure', 'failed'],
  ['timed_out', 'failed'],
  ['startup_failure', 'failed'],
  ['cancelled', 'cancelled'],
  ['skipped', 'cancelled'],
  ['stale', 'cancelled'],
  ['action_required', 'passed_pending_approval'],
])

/** The payload may have an older state than the action: without a conclusion the action decides. */
const RUN_ACTIONS: ReadonlyMap<string, BuildStatus> = new Map([
  ['requested', 'queued'],
  ['in_progress', 'building'],
  ['completed', 'completed'],
])

/** A workflow run is a build; a repeated attempt reports under the same run. */
export function workflowRun(body: Json): Fact[] {
  const run = at(body, 'workflow_run')
  const id = word(at(run, 'id'))
  if (id === undefined) throw new Unreadable('A workflow run must have an id.')
  const status = statusOf(RUN_ACTIONS.get(text(at(body, 'action')) ?? ''), at(run, 'conclusion'))
  if (status === undefined) return []

  const repository = repositoryOf(body)
  // A run that needs approval has both times but has not done anything yet.
  const held = status === 'passed_pending_approval'
  const [started, over] = [status !== 'queued' && !held, status !== 'queued' && status !== 'building' && !held]
  const times = spanOf(started, at(run, 'run_started_at') ?? at(run, 'created_at'), over && at(run, 'updated_at'))
  return [
    {
      kind: 'build',
      build: { external_id: `run:${id}`, job: workflowName(body), number: word(at(run, 'run_number')) },
      status,
      ...(held && { held: true }),
      commit_hash: bisectedCommit(run) ?? text(at(run, 'head_sha')),
      branch: text(at(run, 'head_branch')),
      ...runOrigin(run),
      ...(repository && { repository }),
      url: link(at(run, 'html_url')),
      ...times,
      at: time(at(run, 'updated_at')),
    },
  ]
}

/**
 * The commit that a bisecting run was started with. Its head is that of the branch, because GitHub starts workflows only there, and payloads
 * don't contain inputs: its name has the commit.
 */
export const bisectedCommit = (run: unknown): string | undefined =>
  at(run, 'event') === 'workflow_dispatch'
    ? /^Bisect ([0-9a-f]{40,64})$/.exec(text(at(run, 'display_title')) ?? '')?.[1]
    : undefined

/** Events whose runs are preflights. */
const PULL_REQUEST_EVENTS: readonly unknown[] = ['pull_request', 'pull_request_target', 'merge_group']

/** A run for a branch with a pull request lists it too, so only the event says what was built. Runs for a fork list none. */
function runOrigin(run: unknown) {
  const forPull = PULL_REQUEST_EVENTS.includes(at(run, 'event'))
  return originOf({
    preflight: forPull,
    bisect: bisectedCommit(run) !== undefined,
    pull_request: forPull ? at(run, 'pull_requests', 0) : undefined,
    repository: at(run, 'repository', 'full_name'),
    head_repository: at(run, 'head_repository', 'full_name'),
  })
}

/** Undefined for an unknown action or conclusion. */
function statusOf(byAction: BuildStatus | undefined, conclusion: unknown): BuildStatus | undefined {
  const word = text(conclusion)
  return byAction === undefined || word === undefined ? byAction : CONCLUSIONS.get(word)
}

const workflowName = (body: Json): string | undefined =>
  text(at(body, 'workflow', 'name')) ?? text(at(body, 'workflow_run', 'name')) ?? text(at(body, 'workflow_run', 'path'))

const JOB_ACTIONS: ReadonlyMap<string, BuildStatus> = new Map([['queued', 'queued'], ['waiting', 'queued'], ...RUN_ACTIONS])

/** A job is a step of its run's build. It has no build number, so it never creates a build. */
export function workflowJob(body: Json): Fact[] {
  const job = at(body, 'workflow_job')
  const run = word(at(job, 'run_id'))
  if (run === undefined) throw new Unreadable('A workflow job must name its run.')
  const failed = objects(at(job, 'steps')).find((step) => at(step, 'conclusion') === 'failure')
  const step = stepOf(JOB_ACTIONS.get(text(at(body, 'action')) ?? ''), job, text(at(failed, 'name')))
  return step ? [{ kind: 'build', build: { external_id: `run:${run}` }, existing: true, steps: [step] }] : []
}

const CHECK_STATUSES: ReadonlyMap<string, BuildStatus> = new Map([
  ['queued', 'queued'],
  ['requested', 'queued'],
  ['waiting', 'queued'],
  ['pending', 'queued'],
  ['in_progress', 'building'],
  ['completed', 'completed'],
])

/** A check of another app is a step of the commit's build, whoever built it. GitHub Actions' own checks are already sent as jobs. */
export function checkRun(body: Json): Fact[] {
  const check = at(body, 'check_run')
  const commit = text(at(check, 'head_sha'))
  if (commit === undefined) throw new Unreadable('A check run must name its commit.')
  const action = text(at(body, 'action'))
  const own = at(check, 'app', 'slug') === 'github-actions' || at(check, 'app', 'name') === 'GitHub Actions'
  if (own || (action !== 'created' && action !== 'completed')) return []
  const state = CHECK_STATUSES.get(action === 'completed' ? action : (text(at(check, 'status')) ?? ''))
  const step = stepOf(state, check, text(at(check, 'output', 'title')))
  return step ? [{ kind: 'build', build: { commit }, anywhere: true, existing: true, steps: [step] }] : []
}

const STEP_STATUS: Record<BuildStatus, Step['status']> = {
  queued: 'queued',
  preparing: 'running',
  building: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  // Somebody has to act before it continues.
  passed_pending_approval: 'queued',
}

function stepOf(state: BuildStatus | undefined, job: unknown, detail: string | undefined): Step | undefined {
  const name = text(at(job, 'name'))
  // A conclusion counts only once it is over: a restarted check may still have the previous one.
  const status = state === 'completed' ? statusOf(state, at(job, 'conclusion')) : state
  if (name === undefined || status === undefined) return undefined
  const over = state === 'completed'
  const times = spanOf(status !== 'queued', at(job, 'started_at'), over && at(job, 'completed_at'))
  return { name, status: STEP_STATUS[status], ...times, detail }
}

/** A queued run has a start time too; it has no meaning yet. */
function spanOf(started: boolean, start: unknown, finish: unknown) {
  const started_at = started ? time(start) : undefined
  const finished_at = time(finish)
  if (started_at === undefined || finished_at === undefined) return { started_at, finished_at }
  return {
    started_at,
    finished_at,
    duration_seconds: Math.max(0, Math.round((Date.parse(finished_at) - Date.parse(started_at)) / 1000)),
  }
}
