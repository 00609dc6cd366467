import type { Fact } from '../../facts.ts'
import type { ServerJob, Streams } from '../../provider.ts'

declare module '../../../db/queue.ts' {
  interface Jobs {
    /** Reads the details of a changelist from the configured Perforce server. */
    describe_changelist: { account_id: number; change_id: number }
    /** Reads the streams of the configured Perforce server. */
    read_streams: { account_id: number; integration_id: number }
  }
}

/** A trigger that sends only a number leaves the rest to be read from the server. */
export const followUp = (fact: Fact, change_id: number, account_id: number): ServerJob | undefined =>
  fact.kind === 'change' && fact.incomplete ? { kind: 'describe_changelist', payload: { account_id, change_id } } : undefined

/** The server is asked for its streams at most this often. */
export const ASKING_SECONDS = 60

/** A stream may be new, and its changes are on no branch until it is listed. */
export const unplaced = (integration_id: number, account_id: number): Streams => ({
  job: { kind: 'read_streams', payload: { account_id, integration_id }, name: `streams of integration ${integration_id}` },
  seconds: ASKING_SECONDS,
})
