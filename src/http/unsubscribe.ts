import type { FastifyInstance } from 'fastify'
import { stopMails } from '../domain/inbox/preferences.ts'
import { readUnsubscribe } from '../domain/inbox/unsubscribe.ts'
import type { Service } from './service.ts'

/**
 * Unsubscribes one person from one kind of email, without a session: mail programs do this for their reader with one request (RFC 8058),
 * and so does the page behind the link in the email. Only with a POST, since scanners follow links.
 */
export function serveUnsubscribe(app: FastifyInstance, { db, vault }: Service) {
  app.post('/unsubscribe', async (request) => {
    const token = (request.query as [string, string][]).find(([name]) => name === 'token')?.[1] ?? ''
    const link = readUnsubscribe(vault, token)
    await stopMails(db, link.user_id, link.kind)
    return { ok: true }
  })
}
