import type { FastifyInstance } from 'fastify'
import type { Service } from '../service.ts'

const DAY = 86_400_000
/** RFC 9116 wants it read again within a year. */
const GOOD_FOR_DAYS = 180

/** Whom to tell of a weakness of this service, as RFC 9116 has it; nothing where nobody is named. */
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
