/** Pages for people who are not signed in. */
const OUTSIDE = [
  '/sign-in',
  '/sign-up',
  '/verify',
  '/reset',
  '/welcome',
  '/unsubscribe',
  '/oauth/refused',
  '/invitations',
] as const

export const isOutside = (path: string): boolean => OUTSIDE.some((start) => path === start || path.startsWith(`${start}/`))
