import type { Fact } from '../../facts.ts'
import type { ServerJob } from '../../provider.ts'

declare module '../../../db/queue.ts' {
  interface Jobs {
    /** Reads the log of a failed pipeline from the configured GitLab server. */
    read_gitlab_log: { account_id: number; build_run_id: number; project: string; pipeline: string }
  }
}

/** GitLab doesn't send logs. That of a failure is fetched. */
export function followUp(fact: Fact, build_run_id: number, account_id: number): ServerJob | undefined {
  if (fact.kind !== 'build' || fact.status !== 'failed' || fact.repository === undefined) return undefined
  const pipeline = /^pipeline:(\d+)$/.exec(fact.build.external_id ?? '')?.[1]
  if (pipeline === undefined) return undefined
  const payload = { account_id, build_run_id, project: fact.repository.id, pipeline }
  return { kind: 'read_gitlab_log', payload, name: `read_gitlab_log:${build_run_id}` }
}
