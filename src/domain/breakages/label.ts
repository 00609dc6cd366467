import type { FailureCategory } from '../../contract/sets.ts'
import { labelOfJob } from '../branches/job-labels.ts'

/** The prefix of a fingerprint that is only the job, with its platform and configuration: nothing else is known of the cause. */
export const JOB = 'job:'

interface Found {
  category: FailureCategory | null
  diagnosis: string | null
}

/** What a breakage is called. Without a log there is no cause, so that its job is named. */
export function labelOf({ fingerprint, branch }: { fingerprint: string; branch: string | null }, found: Found): Found {
  const isUnread = fingerprint.startsWith(JOB) && found.category !== 'unknown' && found.category !== 'none'
  if (!isUnread) return found
  const place = branch ? ` on ${branch}` : ''
  return { category: 'unknown', diagnosis: `${labelOfJob(fingerprint.slice(JOB.length))} failed${place} (no log)` }
}
