import type { Fact } from '../../facts.ts'
import type { ServerJob } from '../../provider.ts'

declare module '../../../db/queue.ts' {
  interface Jobs {
    /** Reads the log of a failed build from the configured Azure DevOps project. */
    read_azure_log: { account_id: number; build_run_id: number; build: string }
  }
}

/** Azure DevOps doesn't send logs. That of a failure is fetched. */
export function followUp(fact: Fact, build_run_id: number, account_id: number): ServerJob | undefined {
  if (fact.kind !== 'build' || fact.status !== 'failed') return undefined
  const build = /^build:(\d+)$/.exec(fact.build.external_id ?? '')?.[1]
  return build === undefined
    ? undefined
    : { kind: 'read_azure_log', payload: { account_id, build_run_id, build }, name: `read_azure_log:${build_run_id}` }
}
