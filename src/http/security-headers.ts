const HSTS_SECONDS = 365 * 86_400

/** Every response forbids content sniffing; if the service uses https, it also requires https. */
export const securityHeaders = (site: string): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  ...(site.startsWith('https:') && { 'strict-transport-security': `max-age=${HSTS_SECONDS}` }),
})
