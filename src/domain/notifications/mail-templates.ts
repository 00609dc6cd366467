import { NOTIFICATION_KINDS, type NotificationKind } from '../../contract/channels.ts'
import type { TokenOrigin } from '../../contract/sets.ts'
import type { Announcement } from '../channels/announcement.ts'
import type { MailTemplate } from './mails.ts'

/** What we write to people. */

const utc = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`

const METHODS: Record<TokenOrigin, string> = {
  web: 'in the web settings',
  cli: 'by logging in from the command line',
  mcp: 'by logging in from an assistant server',
  api: 'with another of your tokens',
  admin: 'by an operator',
}

export const tokenCreated = (
  site: string,
  token: { name: string; prefix: string; created_via: TokenOrigin; created_at: string },
): MailTemplate => ({
  subject: `A new API token: ${token.name}`,
  text: `An API token was created for you.

Name: ${token.name}
Begins with: ${token.prefix}
Created: ${METHODS[token.created_via]}
Time: ${utc(token.created_at)}

If this was not you, revoke it now: ${site}/settings/tokens`,
})

export const verifyAddress = (site: string, token: string): MailTemplate => ({
  subject: 'Confirm your e-mail address',
  text: `Follow this link to confirm that this address is yours:

${site}/verify?token=${encodeURIComponent(token)}

It works for one hour. If you did not sign up, nothing needs to be done.`,
})

export const signUp = (site: string, token: string): MailTemplate => ({
  subject: 'Make your Goldmaster account',
  text: `Follow this link to choose a password and make your account:

${site}/sign-up?token=${encodeURIComponent(token)}

It works once, for one hour. If you did not ask for it, nothing needs to be done: without the link there is no account.`,
})

export const signedUpAlready = (site: string): MailTemplate => ({
  subject: 'You have a Goldmaster account already',
  text: `Somebody, probably you, wants to sign up with this address, which has an account already.

Sign in: ${site}/sign-in
Forgot your password? ${site}/reset

If it was not you, nothing needs to be done: nothing has changed.`,
})

export const RESET_SUBJECT = 'Choose a new password'

export const resetPassword = (site: string, token: string): MailTemplate => ({
  subject: RESET_SUBJECT,
  text: `Follow this link to choose a new password:

${site}/reset?token=${encodeURIComponent(token)}

It works once, for one hour. Choosing one signs you out everywhere and revokes your API tokens. If you did not ask for it, nothing needs to be done: your password stays.`,
})

export const passwordChanged = (site: string, how: string, revoked: number): MailTemplate => ({
  subject: 'Your password was changed',
  text: `Your password was changed ${how}. Everybody who was signed in as you has to sign in again.

API tokens revoked: ${revoked}${revoked === 0 ? '' : `. Make new ones where they are needed: ${site}/settings/tokens`}

If this was not you, choose another password now: ${site}/reset`,
})

export const signInChanged = (site: string, what: string): MailTemplate => ({
  subject: 'How you sign in was changed',
  text: `${what} in your settings: ${site}/settings/sign-in

If this was not you, choose another password now (${site}/reset) and remove what is not yours there.`,
})

export const wrongCodes = (site: string, count: number): MailTemplate => ({
  subject: 'Wrong codes after your password',
  text: `Somebody signed in with your password and then gave ${count} wrong codes for your authenticator app. Each further one makes the next wait longer, up to an hour; a recovery code or a passkey works at once.

If this was not you, your password is known to somebody: choose another now, which ends what they are doing: ${site}/reset`,
})

export const invitation = (url: string, accountName: string, inviter: string): MailTemplate => ({
  subject: `${inviter} invites you to ${accountName}`,
  text: `${inviter} invites you to ${accountName} on Goldmaster, where a studio sees what changed, what was built, what broke and what went live.

Accept here: ${url}

The invitation ends after seven days.`,
})

/** Why the person gets it. */
const LEADS: Record<NotificationKind, (said: Announcement) => string> = {
  suspected: ({ suspect }) =>
    `Your change ${suspect?.change ?? ''} may have broken this${suspect?.reason ? `: ${suspect.reason}` : ''}. Please check whether it did.`,
  given: () => 'You were made the owner of this breakage.',
  approval: () => 'Assets wait for your approval.',
  task: () => 'You were assigned a task.',
}

/** What concerns one person, told at once. */
export const concerning = (kind: NotificationKind, said: Announcement, stop: string): MailTemplate => ({
  subject: said.title.length > 120 ? `${said.title.slice(0, 119).toWellFormed()}…` : said.title,
  unsubscribe: stop,
  text: `${LEADS[kind](said)}

${announced(said)}

You get this because “${NOTIFICATION_KINDS[kind]}” is mailed to you. Stop these mails: ${stop}`,
})

/** An announcement as plain text. */
const announced = ({ title, facts, evidence, suspect, links }: Announcement): string =>
  [
    title,
    facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
    evidence && `The log says: ${evidence}`,
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

/** What a project did since somebody's last digest. */
export interface DigestProject {
  name: string
  url: string
  /** The newest of each; `counts` says how many there are. */
  opened: string[]
  fixed: string[]
  /** Open ones in all. */
  open: number
  waiting_approvals: number
  live: string[]
  counts: { opened: number; fixed: number; live: number }
}

/** What happened in somebody's projects since yesterday. */
export const digest = (projects: readonly DigestProject[], stop: string): MailTemplate => {
  const opened = projects.reduce((sum, project) => sum + project.counts.opened, 0)
  const open = projects.reduce((sum, project) => sum + project.open, 0)
  return {
    subject: `Your studio today: ${opened} newly broken, ${open} open`,
    unsubscribe: stop,
    text: `${projects.map(digested).join('\n\n')}

You get this once a day. Stop it: ${stop}`,
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
    `${name}: ${open === 0 ? 'nothing is broken' : `${open} open ${open === 1 ? 'breakage' : 'breakages'}`}${waiting_approvals > 0 ? `, ${waiting_approvals} waiting for approval` : ''}\n${url}`,
    block('Newly broken', 'opened'),
    block('Fixed', 'fixed'),
    block('Live', 'live'),
  ]
    .filter(Boolean)
    .join('\n\n')
}
