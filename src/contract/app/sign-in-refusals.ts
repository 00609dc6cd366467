/** Why nobody was signed in, in words for the page and for programs alike. */
export const SIGN_IN_REFUSALS = {
  sso_unknown: 'No single sign-on is set up for this address.',
  sso_required: 'Your studio asks you to sign in through its own provider: choose single sign-on.',
  sso_away: 'The sign-in provider of your studio does not answer. Try again in a moment, or ask whoever runs it.',
  sso_refused: 'The sign-in provider did not let you in.',
  sso_failed: 'The answer of the sign-in provider does not fit. Start again; if it stays, tell whoever set single sign-on up.',
  sso_expired: 'This sign-in took too long, or was begun in another browser. Start again.',
  sso_no_email: 'The sign-in provider does not say which e-mail address you have.',
  sso_foreign_email: 'The sign-in provider may not speak for your e-mail address.',
  sso_unverified_email: 'The sign-in provider has not verified your e-mail address.',
  sso_email_taken: 'Somebody else of your studio signs in with this e-mail address.',
  sso_inactive: 'Your studio has ended your access.',
  address_not_allowed: 'The account does not allow requests from this address. Its owners say which it allows.',
  sso_no_role: 'None of your groups gives you access to this studio.',
} as const
export type SignInRefusal = keyof typeof SIGN_IN_REFUSALS

export const isSignInRefusal = (code: string): code is SignInRefusal => Object.hasOwn(SIGN_IN_REFUSALS, code)
