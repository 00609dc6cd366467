import type { Fact } from '../../facts.ts'
import type { ServerJob } from '../../provider.ts'

declare module '../../../db/queue.ts' {
  interface Jobs {
    /** Reads the details of a changelist from the configured Perforce server. */
    describe_changelist: { account_id: number; change_id: number }
  }
}

/** A trigger that sends only a number leaves the rest to be read from the server. */
export const followUp = (fact: Fact, change_id: number, account_id: number): ServerJob | undefined =>
  fact.kind === 'change' && fact.incomplete ? { kind: 'describe_changelist', payload: { account_id, change_id } } : undefined
