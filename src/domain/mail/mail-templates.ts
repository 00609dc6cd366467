import type { TokenOrigin } from '../../contract/sets.ts'
import type { MailTemplate } from './mails.ts'

/** What we write to people about how they get in. */

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
