import type { Jobs } from '../../../db/queue.ts'
import * as builds from '../../../domain/builds/report.ts'
import { openConfig } from '../../../domain/integrations/config.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import type { JobContext } from '../../job-context.ts'
import { at, objects, text, word } from '../../reading.ts'
import { stripNul } from '../../strip-nul.ts'
import { Refused } from '../ci-replies.ts'
import { repositoryAt } from './server.ts'

/** A longer log is not read. */
const LOG_BYTES = 64 * 1024 * 1024
const FAILED: readonly unknown[] = ['failure', 'timed_out']

/** Stores the log of the first job of a run that failed: later ones often fail because of it. */
export async function readGitHubLog(
  { db, vault, allowed }: JobContext,
  { account_id, build_run_id, run }: Jobs['read_github_log'],
  signal?: AbortSignal,
) {
  const build = await subjects.build(db, { account_id, id: build_run_id })
  if (!build?.config.server || build.status !== 'failed') return
  const repository = repositoryAt(openConfig(vault, build), allowed, signal)
  const log = await firstFailure(repository, run)
  if (log !== undefined)
    await db.transaction((db) => builds.report(db, build, { build: { build_run_id }, existing: true, log: stripNul(log) }))
}

/** Undefined if no job failed, or its log can't be read. */
async function firstFailure({ json, download }: ReturnType<typeof repositoryAt>, run: string): Promise<string | undefined> {
  const listed = objects(at(await json(`/actions/runs/${run}/jobs?filter=latest&per_page=100`), 'jobs'))
  const [first] = listed
    .filter(({ conclusion }) => FAILED.includes(conclusion))
    .toSorted((one, other) => (text(one.completed_at) ?? '').localeCompare(text(other.completed_at) ?? ''))
  const id = word(first?.id)
  if (id === undefined) return undefined
  return download(`/actions/jobs/${id}/logs`, LOG_BYTES).catch((error) => {
    // GitHub deletes old logs.
    if (!(error instanceof Refused)) throw error
    return undefined
  })
}
