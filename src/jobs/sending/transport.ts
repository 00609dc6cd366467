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
  /** Where Slack's API is, if not at its usual address. */
  slackApi?: string
}

/** `more`: the lane goes on. `done`: nothing is left, or it has to wait. `slow`: other lanes go first for as long as this one took. */
export type Step = 'more' | 'done' | 'slow'

/** Sends what comes next in a lane and records the result. */
export type Transport = (context: SendingContext, to: Destination, lane: Lane) => Promise<Step>

/** Seconds between attempts; the last one repeats. Short at first, since everything behind a message waits with it. */
const DELAYS = [1, 5, 15, 30, 60, 120, 300, 600, 1_200, 1_800]

/** A tenth more or less, so that receivers who fail together are not asked together. */
export const delayAfter = (tries: number, random = Math.random()) =>
  DELAYS[Math.min(tries, DELAYS.length - 1)]! * (0.9 + random * 0.2)
