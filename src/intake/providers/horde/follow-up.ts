import type { Fact } from '../../facts.ts'
import type { ServerJob } from '../../provider.ts'

declare module '../../../db/queue.ts' {
  interface Jobs {
    /** Reads the jobs that changed since a time from the configured Horde server, again and again. */
    poll_horde: { account_id: number; integration_id: number; since?: string }
    /** Reads the log of a failed job from the configured Horde server. */
    read_horde_log: { account_id: number; build_run_id: number; job: string }
  }
}

export const pollName = (integrationId: number) => `poll_horde:${integrationId}`

/** The log of a failure is fetched. */
export function followUp(fact: Fact, build_run_id: number, account_id: number): ServerJob | undefined {
  if (fact.kind !== 'build' || fact.status !== 'failed') return undefined
  const job = /^horde:([0-9a-zA-Z]+)$/.exec(fact.build.external_id ?? '')?.[1]
  return job === undefined
    ? undefined
    : { kind: 'read_horde_log', payload: { account_id, build_run_id, job }, name: `read_horde_log:${build_run_id}` }
}
