import type { ChannelRule } from '../../../contract/app/channels.ts'
import type { RuleSubject } from '../../../contract/channels.ts'
import { labelOf, lowered } from '../../../contract/labels.ts'

/** The filters of a rule by subject: an approval has no branch, only builds have jobs. */
export const NARROWED_BY: Record<RuleSubject, readonly ('branch' | 'job' | 'category')[]> = {
  breakage: ['branch', 'job', 'category'],
  breakage_fixed: ['branch', 'job', 'category'],
  approval: [],
  deployment: ['branch'],
  budget: ['branch', 'job'],
  last_known_good: ['branch'],
}

export const newRule = (projectId: number): ChannelRule => ({
  project_id: projectId,
  subject: 'breakage',
  branch: '',
  job: '',
  category: null,
  hours: null,
  here: false,
  quiet_from: null,
  quiet_until: null,
})

/** A rule as a sentence without its project. */
export function wordsOfRule({ subject, branch, job, category, hours, here, quiet_from, quiet_until }: ChannelRule): string {
  const parts = [
    labelOf('rule_subject', subject),
    branch && `on ${branch}`,
    job && `job ${job}`,
    category && `category ${lowered(labelOf('failure_category', category))}`,
    hours && `older than ${hours} ${hours === 1 ? 'hour' : 'hours'}`,
    here && 'pings @here',
    quiet_from && `quiet from ${quiet_from} to ${quiet_until}`,
  ]
  return parts.filter(Boolean).join(', ')
}
