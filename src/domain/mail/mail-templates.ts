import { labelOf } from '../../contract/labels.ts'
import type { TokenOrigin } from '../../contract/sets.ts'
import type { MailTemplate } from './mails.ts'

/** Emails about sign-in, passwords, tokens and invitations. */

const utc = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`

export const tokenCreated = (
  site: string,
  token: { name: string; prefix: string; created_via: TokenOrigin; created_at: string },
): MailTemplate => ({
  subject: `New API token: ${token.name}`,
  text: `An API token was created for you.

Name: ${token.name}
Starts with:  ${token.prefix}
Created: ${labelOf('token_origin', token.created_via)}
Time: ${utc(token.created_at)}

If this wasn’t you, revoke it now: ${site}/settings/tokens`,
})

export const verifyAddress = (site: string, token: string): MailTemplate => ({
  subject: 'Confirm your email address',
  text: `Open this link to confirm your email address:

${site}/verify?token=${encodeURIComponent(token)}

The link works for one hour. If you didn’t sign up, ignore this email.`,
})

export const signUp = (site: string, token: string): MailTemplate => ({
  subject: 'Create your Goldmaster account',
  text: `Open this link to choose a password and create your account:

${site}/sign-up?token=${encodeURIComponent(token)}

The link works once, for one hour. If you didn’t ask for it, ignore this email. No account is created.`,
})

export const signedUpAlready = (site: string): MailTemplate => ({
  subject: 'You already have a Goldmaster account',
  text: `Somebody tried to sign up with this email address, which already has an account.

Sign in: ${site}/sign-in
Forgot your password? ${site}/reset

If this wasn’t you, ignore this email. Nothing has changed.`,
})

export const RESET_SUBJECT = 'Choose a new password'

export const resetPassword = (site: string, token: string): MailTemplate => ({
  subject: RESET_SUBJECT,
  text: `Open this link to choose a new password:

${site}/reset?token=${encodeURIComponent(token)}

The link works once, for one hour. A new password signs you out everywhere and revokes your API tokens. If you didn’t ask for it, ignore this email. Your password stays the same.`,
})

export const passwordChanged = (site: string, how: string, revoked: number): MailTemplate => ({
  subject: 'Your password was changed',
  text: `Your password was changed ${how}. You are signed out everywhere else.

API tokens revoked: ${revoked}${revoked === 0 ? '' : `. Create new ones: ${site}/settings/tokens`}

If this wasn’t you, choose a new password now: ${site}/reset`,
})

export const signInChanged = (site: string, what: string): MailTemplate => ({
  subject: 'Your sign-in settings changed',
  text: `${what}. Your sign-in settings: ${site}/settings/sign-in

If this wasn’t you, choose a new password now (${site}/reset) and remove anything you don’t recognize there.`,
})

export const wrongCodes = (site: string, count: number): MailTemplate => ({
  subject: 'Failed sign-ins to your account',
  text: `Somebody entered your password and then ${count} wrong codes for your authenticator app. Each further wrong code makes the next wait longer, up to an hour. A recovery code or a passkey works at once.

If this wasn’t you, somebody knows your password. Choose a new one now: ${site}/reset`,
})

export const invitation = (url: string, accountName: string, inviter: string): MailTemplate => ({
  subject: `${inviter} invited you to ${accountName}`,
  text: `${inviter} invited you to ${accountName} on Goldmaster, where your studio follows its changes, builds, breakages and releases.

Accept the invitation: ${url}

The invitation expires in 7 days.`,
})
