import type { FastifyInstance } from 'fastify'
import { stopMails } from '../domain/inbox/preferences.ts'
import { readUnsubscribe } from '../domain/inbox/unsubscribe.ts'
import type { Service } from './service.ts'

/**
 * Stops one kind of mails to one person, without a session: mail programs do this for their reader with one request (RFC 8058), and so
 * does the page that the link in the mail opens. Only a POST does, since programs follow links to look for harm.
 */
export function serveUnsubscribe(app: FastifyInstance, { db, vault }: Service) {
  app.post('/unsubscribe', async (request) => {
    const token = (request.query as [string, string][]).find(([name]) => name === 'token')?.[1] ?? ''
    const link = readUnsubscribe(vault, token)
    await stopMails(db, link.user_id, link.kind)
    return { ok: true }
  })
}
