import type { ChannelRule } from '../../../contract/app/channels.ts'
import type { RuleSubject } from '../../../contract/channels.ts'
import { wordsOf } from '../../ui/pill.tsx'

/** What a rule of a subject can be narrowed by: an approval belongs to no branch, only builds have jobs. */
export const NARROWED_BY: Record<RuleSubject, readonly ('branch' | 'job' | 'category')[]> = {
  breakage: ['branch', 'job', 'category'],
  breakage_fixed: ['branch', 'job', 'category'],
  approval: [],
  deployment: ['branch'],
  last_known_good: ['branch'],
}

const HEARS: Record<RuleSubject, string> = {
  breakage: 'what breaks',
  breakage_fixed: 'what is fixed, as a message of its own',
  approval: 'assets that wait for approval',
  deployment: 'deployments',
  last_known_good: 'a last known good change that is too old',
}
export const SUBJECT_OPTIONS = (Object.keys(HEARS) as RuleSubject[]).map((subject) => [subject, capital(HEARS[subject])] as const)

export function capital(text: string) {
  return text.charAt(0).toUpperCase() + text.slice(1)
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
    capital(HEARS[subject]),
    branch && `on ${branch}`,
    job && `in ${job}`,
    category && `only ${wordsOf(category)}`,
    hours && `after ${hours} ${hours === 1 ? 'hour' : 'hours'}`,
    here && 'pings @here',
    quiet_from && `waits from ${quiet_from} to ${quiet_until}`,
  ]
  return parts.filter(Boolean).join(', ')
}
