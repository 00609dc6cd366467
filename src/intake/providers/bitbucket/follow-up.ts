import type { Fact } from '../../facts.ts'
import type { ServerJob } from '../../provider.ts'

declare module '../../../db/queue.ts' {
  interface Jobs {
    /** Reads the log of a failed pipeline from the configured repository. */
    read_bitbucket_log: { account_id: number; build_run_id: number; pipeline: string }
  }
}

/** Bitbucket doesn't send logs. That of a failure is fetched. */
export function followUp(fact: Fact, build_run_id: number, account_id: number): ServerJob | undefined {
  if (fact.kind !== 'build' || fact.status !== 'failed') return undefined
  const pipeline = /^pipeline:.+:(\d+)$/.exec(fact.build.external_id ?? '')?.[1]
  return pipeline === undefined
    ? undefined
    : {
        kind: 'read_bitbucket_log',
        payload: { account_id, build_run_id, pipeline },
        name: `read_bitbucket_log:${build_run_id}`,
      }
}
