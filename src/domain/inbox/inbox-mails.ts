import { NOTIFICATION_KINDS, type NotificationKind } from '../../contract/channels.ts'
import type { Announcement } from '../channels/announcement.ts'
import type { MailTemplate } from '../mail/mails.ts'

/** Why the service assigned it, said to the person: "your change CL 1204 is the first suspect". */
export const toOwner = (because: string) => because.replace(/^their /, 'your ').replace(/^they /, 'you ')

/** Why the person gets it. */
const LEADS: Record<NotificationKind, (said: Announcement) => string> = {
  suspected: ({ suspect }) =>
    `Your change ${suspect?.change ?? ''} may have broken this${suspect?.reason ? `: ${suspect.reason}` : ''}. Please check whether it did. If it did not, select “Not the cause” on the page of the breakage.`,
  given: ({ because }) =>
    `This breakage was assigned to you${because === undefined ? '' : ` because ${toOwner(because)}. If that is wrong, select “Not the cause” on its page, or release it`}.`,
  mentioned: () => 'Somebody mentioned you in a comment.',
  approval: () => 'Assets are waiting for your approval.',
  task: () => 'A task was assigned to you.',
  quarantine: () => 'Failures of this test open breakages again. You own its quarantine, which ended.',
  budget: ({ tone }) => (tone === 'good' ? 'This measure is back.' : 'This measure needs attention.'),
}

/** An immediate notification for one person. */
export const concerning = (kind: NotificationKind, said: Announcement, stop: string): MailTemplate => ({
  subject: said.title.length > 120 ? `${said.title.slice(0, 119).toWellFormed()}…` : said.title,
  unsubscribe: stop,
  text: `${LEADS[kind](said)}

${announced(said)}

You get this email because of your notification setting “${NOTIFICATION_KINDS[kind]}”. Stop these emails: ${stop}`,
})

/** An announcement as plain text. */
const announced = ({ title, facts, evidence, suspect, links }: Announcement): string =>
  [
    title,
    facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
    evidence && `Error: ${evidence}`,
    suspect &&
      `Suspect: ${suspect.change}${authorOf(suspect)}${suspect.reason === '' ? '' : ` (${suspect.reason})`}\n${suspect.url}`,
    links.map(({ label, url }) => `${label}: ${url}`).join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n')

const authorOf = ({ person, author, integrator }: NonNullable<Announcement['suspect']>) => {
  const name = person?.name ?? author
  return `${name ? ` by ${name}` : ''}${integrator ? `, integrated by ${integrator}` : ''}`
}

/** The events of a project since somebody's last digest. */
export interface DigestProject {
  name: string
  url: string
  /** The newest of each; `counts` has the totals. */
  opened: string[]
  fixed: string[]
  /** All open ones. */
  open: number
  waiting_approvals: number
  live: string[]
  counts: { opened: number; fixed: number; live: number }
}

/** The events in somebody's projects since yesterday. */
export const digest = (projects: readonly DigestProject[], stop: string): MailTemplate => {
  const opened = projects.reduce((sum, project) => sum + project.counts.opened, 0)
  const open = projects.reduce((sum, project) => sum + project.open, 0)
  return {
    subject: `Daily digest: ${opened} new ${opened === 1 ? 'breakage' : 'breakages'}, ${open} open`,
    unsubscribe: stop,
    text: `${projects.map(digested).join('\n\n')}

You get this digest once a day. Stop these emails: ${stop}`,
  }
}

const digested = ({ name, url, open, waiting_approvals, counts, ...listed }: DigestProject): string => {
  const block = (title: string, of: keyof typeof counts) => {
    const more = counts[of] - listed[of].length
    return (
      counts[of] > 0 && [title, ...listed[of].map((line) => `- ${line}`), ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
    )
  }
  return [
    `${name}: ${open === 0 ? 'no open breakages' : `${open} open ${open === 1 ? 'breakage' : 'breakages'}`}${waiting_approvals > 0 ? `, ${waiting_approvals} ${waiting_approvals === 1 ? 'asset' : 'assets'} waiting for approval` : ''}\n${url}`,
    block('New breakages', 'opened'),
    block('Fixed', 'fixed'),
    block('Live', 'live'),
  ]
    .filter(Boolean)
    .join('\n\n')
}
