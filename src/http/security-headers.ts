const HSTS_SECONDS = 365 * 86_400

/** Every answer says that it is what its type says; where the service is reached over https, that it is never to be reached otherwise. */
export const securityHeaders = (site: string): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  ...(site.startsWith('https:') && { 'strict-transport-security': `max-age=${HSTS_SECONDS}` }),
})
