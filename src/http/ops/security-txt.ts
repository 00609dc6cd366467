import type { FastifyInstance } from 'fastify'
import type { Service } from '../service.ts'

const DAY = 86_400_000
/** RFC 9116 requires an expiry within a year. */
const GOOD_FOR_DAYS = 180

/** The contact for reporting vulnerabilities of this service, as in RFC 9116; nothing without a contact. */
export function serveSecurityText(app: FastifyInstance, { site, securityContact }: Service) {
  if (securityContact === undefined) return
  app.get('/.well-known/security.txt', async (_, reply) => {
    const today = Math.floor(Date.now() / DAY) * DAY
    const expires = new Date(today + GOOD_FOR_DAYS * DAY).toISOString()
    return reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=86400')
      .send(
        `Contact: ${securityContact}\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${site}/.well-known/security.txt\n`,
      )
  })
}
