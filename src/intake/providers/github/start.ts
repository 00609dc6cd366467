import type { Jobs } from '../../../db/queue.ts'
import * as builds from '../../../domain/builds/report.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import type { JobContext } from '../../job-context.ts'
import { reach } from '../../reach/reach.ts'
import { at, type Json, objects, text, time, word } from '../../reading.ts'
import { Refused } from '../ci-replies.ts'
import { bisectedCommit } from './builds.ts'
import { repositoryAt } from './server.ts'

const STARTING = 'starting'

/**
 * Starts the workflow of a queued build, with its commit as an input: GitHub only takes branches and tags as references. The name of the run
 * contains the commit, so that its webhooks are matched with this build.
 */
export async function startGitHub(
  { db, vault, allowed }: JobContext,
  { account_id, build_run_id }: Jobs['start_github'],
  signal?: AbortSignal,
) {
  const build = await subjects.build(db, { account_id, id: build_run_id })
  if (!build?.config.server || build.status !== 'queued' || build.build_number !== '') return
  if (build.commit_hash === '') throw new Refused('GitHub can only build commits.')
  const config = await reach({ db, vault, allowed, signal }, build, { job: build.ci_job_name })
  const repository = repositoryAt(config, allowed, signal)
  const workflow = workflowNamed(build.ci_job_name, await repository.json('/actions/workflows?per_page=100'))
  const runs = `/actions/workflows/${workflow.id}`
  if (build.phase === STARTING) {
    const answer = await repository.json(`${runs}/runs?event=workflow_dispatch&per_page=100`)
    if (objects(at(answer, 'workflow_runs')).some((run) => isOf(run, build))) return
  }
  const branch = build.branch.replace(/^refs\/heads\//, '')
  const file = await repository.text(`/contents/${encodeURI(workflow.path)}?ref=${encodeURIComponent(branch)}`)
  if (!NAMES_COMMIT.test(file)) throw new Refused(withoutName(workflow.path))
  await db.transaction((db) => builds.report(db, build, { build: { build_run_id }, existing: true, phase: STARTING }))
  await repository.post(`${runs}/dispatches`, { ref: branch, inputs: { commit: build.commit_hash } })
}

const NAMES_COMMIT = /^run-name:.*\bBisect\b.*\binputs\.commit\b/m

const withoutName = (path: string) =>
  `${path} can't build a given commit. Add the input "commit" and a run-name with "Bisect" and that input, as docs/bisection.md shows.`

/** Of several workflows with the same name, none is started. */
export function workflowNamed(name: string, answer: unknown): { id: string; path: string } {
  const [found, ...others] = objects(at(answer, 'workflows')).filter(
    (workflow) => workflow.state === 'active' && (workflow.name === name || workflow.path === name),
  )
  const [id, path] = [word(found?.id), text(found?.path)]
  if (id === undefined || path === undefined) throw new Refused(`The repository has no active workflow with the name ${name}.`)
  if (others.length > 0) throw new Refused(`Several workflows of the repository have the name ${name}.`)
  return { id, path }
}

/** Whether an attempt whose answer was lost started this run. */
const isOf = (run: Json, { commit_hash, created_at }: subjects.BuildSubject) =>
  bisectedCommit(run) === commit_hash &&
  Date.parse(time(run.created_at) ?? '') >= Math.floor(Date.parse(created_at) / 1000) * 1000
