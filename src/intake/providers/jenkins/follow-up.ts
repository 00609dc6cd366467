import type { Fact } from '../../facts.ts'
import type { ServerJob } from '../../provider.ts'

declare module '../../../db/queue.ts' {
  interface Jobs {
    /** Reads a build's state, artifacts and console from the configured Jenkins, from where the last poll ended. */
    poll_jenkins: { account_id: number; build_run_id: number; offset: number; looks: number }
    /** Starts a job on the configured Jenkins. */
    start_jenkins: { account_id: number; build_run_id: number }
    /** Waits until Jenkins gives a started job its number. */
    follow_jenkins: { account_id: number; build_run_id: number; queue_item: number; looks: number }
  }
}

export const pollName = (buildId: number) => `poll_jenkins:${buildId}`

/** A requested build is started; a reported one is queried for what its report leaves out. */
export function followUp(fact: Fact, build_run_id: number, account_id: number): ServerJob | undefined {
  if (fact.kind !== 'build') return undefined
  if (fact.start) return { kind: 'start_jenkins', payload: { account_id, build_run_id } }
  if (!fact.url) return undefined
  return { kind: 'poll_jenkins', payload: { account_id, build_run_id, offset: 0, looks: 0 }, name: pollName(build_run_id) }
}
