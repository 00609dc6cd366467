import type { Fact } from '../../facts.ts'
import type { ServerJob } from '../../provider.ts'

declare module '../../../db/queue.ts' {
  interface Jobs {
    /** Reads the log of a failed workflow run from the configured repository. */
    read_github_log: { account_id: number; build_run_id: number; run: string }
    /** Starts a workflow of the configured repository. */
    start_github: { account_id: number; build_run_id: number }
  }
}

/** GitHub doesn't send logs. That of a failure is fetched. */
export function followUp(fact: Fact, build_run_id: number, account_id: number): ServerJob | undefined {
  if (fact.kind !== 'build' || fact.status !== 'failed') return undefined
  const run = /^run:(\d+)$/.exec(fact.build.external_id ?? '')?.[1]
  return run === undefined
    ? undefined
    : { kind: 'read_github_log', payload: { account_id, build_run_id, run }, name: `read_github_log:${build_run_id}` }
}
