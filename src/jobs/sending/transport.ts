import type { Pool } from '../../db/database.ts'
import type { Vault } from '../../domain/privacy/secrets.ts'
import type { Destination } from '../../domain/sending/destinations.ts'
import type { AllowedHosts } from '../../net/addresses.ts'
import type { Dispatcher } from '../../net/dispatcher.ts'
import type { Lane } from '../lanes.ts'

export interface SendingContext {
  db: Pool
  vault: Vault
  allowed: AllowedHosts
  site: string
  dispatcher: Dispatcher
  /** The URL of Slack's API, if not the default. */
  slackApi?: string
}

/** `more`: the lane continues. `done`: nothing is left, or it has to wait. `slow`: other lanes go first for as long as this one took. */
type Step = 'more' | 'done' | 'slow'

/** Sends the next message of a lane and records the result. */
export type Transport = (context: SendingContext, to: Destination, lane: Lane) => Promise<Step>

/** Seconds between attempts; the last one repeats. Short at first, since everything behind a message waits with it. */
const DELAYS = [1, 5, 15, 30, 60, 120, 300, 600, 1_200, 1_800]

/** Ten percent jitter, so that receivers that fail together are not called together. */
export const delayAfter = (tries: number, random = Math.random()) =>
  DELAYS[Math.min(tries, DELAYS.length - 1)]! * (0.9 + random * 0.2)
