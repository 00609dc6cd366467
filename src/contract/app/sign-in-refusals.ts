/** Why a sign-in failed, in texts for the page and for programs. */
export const SIGN_IN_REFUSALS = {
  sso_unknown: 'No single sign-on is set up for this address.',
  sso_required: 'Your studio requires single sign-on. Select Single sign-on to sign in.',
  sso_away: 'Your studio’s identity provider does not respond. Try again in a moment, or ask your administrator.',
  sso_refused: 'Your studio’s identity provider refused the sign-in.',
  sso_failed: 'The identity provider sent an invalid response. Try again. If it happens again, tell your administrator.',
  sso_expired: 'This sign-in took too long or was started in another browser. Start again.',
  sso_no_email: 'The identity provider did not send your email address.',
  sso_foreign_email: 'Your email address is not in the allowed domains of this identity provider.',
  sso_unverified_email: 'The identity provider has not verified your email address.',
  sso_email_taken: 'Another person in your studio already signs in with this email address.',
  sso_inactive: 'Your studio has removed your access.',
  address_not_allowed: 'The account can’t be opened from your IP address. Its owners choose which addresses are allowed.',
  sso_no_role: 'None of your groups has access to this studio.',
} as const
export type SignInRefusal = keyof typeof SIGN_IN_REFUSALS

export const isSignInRefusal = (code: string): code is SignInRefusal => Object.hasOwn(SIGN_IN_REFUSALS, code)
