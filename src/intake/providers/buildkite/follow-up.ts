import type { Fact } from '../../facts.ts'
import type { ServerJob } from '../../provider.ts'

declare module '../../../db/queue.ts' {
  interface Jobs {
    /** Reads the log of a failed build from the configured Buildkite organization. */
    read_buildkite_log: { account_id: number; build_run_id: number }
  }
}

/** Buildkite doesn't send logs. That of a failure is fetched, unless a step left the end of it in the build's meta-data. */
export function followUp(fact: Fact, build_run_id: number, account_id: number): ServerJob | undefined {
  if (fact.kind !== 'build' || fact.status !== 'failed' || fact.log !== undefined) return undefined
  return { kind: 'read_buildkite_log', payload: { account_id, build_run_id }, name: `read_buildkite_log:${build_run_id}` }
}
